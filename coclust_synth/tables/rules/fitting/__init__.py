"""How a relation of numbers is fitted to rows, and whether it holds in them.

told           which columns others tell, and a first look at a few rows
scales         the sums or products that tell one column
tellers        the columns that may tell one, in the rows that have it
exact          those that tell it exactly, in all rows; how much of it any tells
regressions    the coefficients of these, by quantiles of what they leave
least_squares  the same by squares, of many columns in less time
digits         to how many digits they are told
rounding       what rounding leaves, and whether what is said holds in nearly all rows
"""
