"""Persons of several rows.

persons          how many rows each has, and what is drawn of each: start here
person_rows      how these are learnt; columns_of_rows: from which columns, side by side
known_before     what is known of a person before each further row, in one list
person_levels    what a column is like in all rows of a person
person_times     when their rows are
person_once      what nobody has twice; last_rows: what goes with the last row of one
person_totals    what adds up in the rows of one; row_numbers: what counts them
rows_of_keys     what the row before of the same claim or contract tells
"""
