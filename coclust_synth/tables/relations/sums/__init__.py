"""Columns of numbers that others tell.

fits          columns that are a sum, or a product, of others
over_sum      what those have that say more of a sum
bills         columns that are a sum with products in it
quotients     columns that are a sum of others over a column
known         columns that are a sum of what is there of others
counts        columns that are how many of others have a value
around_clock  columns that are a sum around the clock
extremes      columns that are the largest or mean of others, or how far two are apart
functions     columns that are a logarithm, a square, ... of one other
shares        columns that are one of some shares of another
"""
