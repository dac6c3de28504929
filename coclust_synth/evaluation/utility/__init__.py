"""What can be done with a release.

distances, associations  sets of columns, and pairs of them
counts                   totals, quantiles, counts of rows
learning                 models of each column, and of what is real
broken_rules             rules of the table, and rows that break them
generalized              what labels lost
"""
