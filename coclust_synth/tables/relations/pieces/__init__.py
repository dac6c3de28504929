"""Columns of numbers that others tell in pieces, as a value says which.

limits     columns that are a sum, or a bill, up to a limit
capped     columns that are a sum up to a limit that another column says
brackets   columns that are a line of another one in each of some brackets
cases      columns that are a sum or a product in rows of some values of another
"""
