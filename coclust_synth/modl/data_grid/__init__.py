"""Grids of any number of dimensions.

estimator               the scikit-learn face; fitting: without scikit-learn
observations            from columns to values and records
data_grid, state        a grid, and the one that a search changes
search                  for the cheapest grid
dendrogram, importance  merges and coarser grids, and what matters in them
"""
