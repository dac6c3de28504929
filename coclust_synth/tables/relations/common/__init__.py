"""What relations have in common.

relation  what every relation has
fields    how their names and numbers are read and written
sum_text  sums of columns as text
"""
