"""What holds between the rows of one person.

steps  what stays in all rows, what they are in the order of, what counts on
lags   columns that are what others were in the row before
since  columns that count the days from a date of the row before
"""
