"""Columns of numbers that others tell: one search for each kind of relation.

search     one column after the other, and what is remembered of it
fits       columns that are about a sum, or a product, of others
sides      which of its columns such a sum, or product, is told for
bills      columns that are a sum with products in it
quotients  columns that are a sum over a column
known      columns that are a sum of what is there of others
shares     columns that are one of a few round shares of another
limits     columns that are a sum up to a limit
cases      columns that others tell in rows of some values of another
extremes   columns that are the largest or mean of others, or the distance of two
functions  columns that are a logarithm, a square, ... of one other

How such a relation is fitted to rows is in `coclust_synth.tables.rules.fitting`.
"""
