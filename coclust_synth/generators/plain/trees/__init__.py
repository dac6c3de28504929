"""A tree: of which leaf of a table a column is drawn.

trees      one tree, grown, and its leaves
screening  whether anything tells something of a column: else leaves are large
coarser    the same trees over merged clusters
"""
