"""A tree: of which leaf of a table a column is drawn.

trees    one tree, grown, and its leaves
coarser  the same trees over merged clusters
"""
