"""Values that a column can take, and even draws.

rulers  the multiples of a step, dates, or any number
strata  systematic draws in groups of rows
"""
