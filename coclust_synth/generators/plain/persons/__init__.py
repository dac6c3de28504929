"""Persons of several rows.

persons        how many rows each has, and what is drawn of each
person_rows    how these are learnt; person_levels: with what differs between persons
person_times   when their rows are
person_once    what nobody has twice; last_rows: what goes with the last row of one
rows_of_keys   what the row before of the same claim or contract tells
person_totals  what adds up in the rows of one; row_numbers: what counts them
"""
