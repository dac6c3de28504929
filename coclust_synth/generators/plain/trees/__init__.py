"""A tree: of which leaf of a table a column is drawn.

trees    one tree, grown, and its leaves, which are large where nothing tells a column
coarser  the same trees over merged clusters
"""
