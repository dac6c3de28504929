"""What is known of a person before each further row.

known_before    all of it in one list, and what rules of rows after the first say, in
                words: start here
person_levels   what a column is like in all rows of a person
level_rests     what of it is left for the rows to come
earlier_rows    what rows before the row before say of a column
person_starts   the number of each person from which an age advances
person_times    when their rows are
key_rows        how many rows each key of one has
"""
