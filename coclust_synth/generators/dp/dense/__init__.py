"""A domain whose cells can all be counted, whole or in blocks of columns.

histograms   the noisy counts, and blocks of columns of a domain too large for one
split        how the budget is shared out between them
partition    parts of the values, by co-clustering noisy counts
counts       what was measured, and how exactly
estimate     the joint distribution that the counts speak for, a log-linear model
blocks       whole rows, block by block of columns
"""
