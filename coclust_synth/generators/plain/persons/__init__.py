"""Persons of several rows.

persons        how many rows each has, and what is drawn of each
person_rows    how these are learnt; person_levels: with what differs between persons
person_times   when their rows are
person_once    what nobody has twice; last_rows: what goes with the last row of one
person_totals  what adds up in the rows of one; row_numbers: what counts them
"""
