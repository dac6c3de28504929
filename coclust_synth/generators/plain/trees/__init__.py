"""A tree: of which leaf of a table a column is drawn.

trees    one tree, grown, and its leaves, which are large where nothing tells a column
pairs    few rows that two columns tell together, set apart before a tree is grown
mostly   columns that others tell but for more slips than a rule has
coarser  the same trees over merged clusters
"""
