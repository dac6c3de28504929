"""Columns of numbers that others tell in pieces, as a value says which.

limits  columns that are a sum up to a limit
cases   columns that others tell in rows of some values of another

How such a relation is fitted to rows is in `coclust_synth.tables.rules.fitting`.
"""
