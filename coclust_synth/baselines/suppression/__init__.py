"""k-anonymous tables by local suppression: single cells are left out.

anonymizer   cells in, tables with gaps out
search       which cells, so that every row reads like k - 1 others
"""
