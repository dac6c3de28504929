"""Columns of numbers that others tell: one search for each kind of relation.

search     what they look at, and what is remembered
fits       columns that are about a sum, or a product, of others
sides      which of its columns such a sum, or product, is told for
bills      columns that are a sum with products in it
known      columns that are a sum of what is there of others; mostly_zero: of others
           which are mostly 0
means      columns that are the mean of what is there of others
shares     columns that are one of a few round shares of another
cases      columns that others tell in rows of some values of another
ratios     columns of a product that tell each other nearly
slips      columns that are a product of others in most rows, and off by slips in more
functions  columns that are a logarithm, a square, ... of one other

How such a relation is fitted to rows is in `coclust_synth.tables.rules.fitting`.
"""
