"""What is kept of the rows of a person.

known_before    what is known of a person before each further row, in one list, and
                what rules of rows after the first say, in words
person_levels   what a column is like in all rows of a person
level_rests     what of it is left for the rows to come
earlier_rows    what rows before the row before say of a column
person_starts   the number of each person from which an age advances
person_times    when their rows are
person_once     what nobody has twice; last_rows: what goes with the last row of one
key_rows        how many rows each key of one has
person_totals   what adds up in the rows of one; row_numbers: what counts them
"""
