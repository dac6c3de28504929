"""Persons of several rows.

persons    how many rows each has, and what is drawn of each: start here
learning   how these are learnt from a table
drawing    rows drawn one after the other
asked      whole persons whose rows meet conditions
kept       what is kept of the rows of a person, and known before each
"""
