"""How persons and their rows are learnt.

from_table        all that is learnt of a table: start here; rows_of_keys: and of
                  what persons have several of, key by key
person_table      the rows of a table by person, and what is found in them
first_rows        trees of the first row of each; later_rows: and of each other row,
                  and rules where some of what they tell is known
first_values      what stays, and is a number of the first row
tables_of_keys    the rows of a table by key; keys_in_order: of keys one after the
                  other
moments           when these are the rows of a visit, which has no key
earlier_rows      the columns of which rows before the row before tell the next one
columns_of_rows   from which columns all these are learnt, side by side
"""
