"""k-anonymous tables by local suppression: single cells are left out.

anonymizer   cells in, tables with gaps out
column_sets  which columns a row may lose
search       which cells, so that every row reads like k - 1 others
"""
