"""What can be done with a release.

distances, associations  sets of columns, and pairs of them; apart: told by boosting
numbers, queries         totals, quantiles, counts of rows
learning                 models of each column
broken_rules             rules of the table, and rows that break them
generalized              what labels lost
"""
