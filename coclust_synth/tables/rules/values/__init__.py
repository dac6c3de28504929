"""What the values of some columns say of those of others.

dependences         columns that two or three others tell together
lookup              what is told of combinations of values, where few have one by those
                    next to it, and where classes begin
classes_of_numbers  columns that are classes of a number, by limits; classes_beside:
                    elsewhere beside other values
combinations        values of two columns that never meet; pairs: how many rows have
                    which of both; first_counts: which pairs may have such; stops:
                    numbers that stop beside a category
one_of_several      columns of yes and no of which each row has one yes
counts              columns that count how many of others have a value
in_words            values that never meet, in words, and columns that are missing where
                    others are, each told once
"""
