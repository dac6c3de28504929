"""What holds between the rows of one person.

order             what stays in all rows, and what these are in the order of
numbers_in_order  of numbers, without dates: a year, a visit
steps             columns that change as others do, or by little
lags              columns that are what others were in the row before
since             columns that count the days from a date of the row before, or the rows
advances          columns that advance with the order of the rows: ages
"""
