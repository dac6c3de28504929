"""Persons of several rows.

persons    how many rows each has, and what is drawn of each: start here
learning   how these are learnt from a table
drawing    rows drawn one after the other
asked      whole persons whose rows meet conditions
known      what is known of a person before each row
kept       what is kept of all rows of a person together
"""
