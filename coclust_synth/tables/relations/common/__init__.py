"""What relations have in common.

relation  what every relation has; formula: what those have that tell a column
fields    how their names and numbers are read and written
sum_text  sums of columns as text
"""
