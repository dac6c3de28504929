"""MODL co-clustering: the criterion, the searches that optimise it, the estimators.

criterion   what a grid costs, term by term, and the tables that searches look up
grid        two categorical variables: counts, partitions, merges of their clusters
search      the search for a grid of two variables, and its coarser and finer levels
data_grid   grids of any number of variables, categorical or numeric
learnt      parts of the columns that are learnt with the clusters of the individuals
estimator   `MODLCoclustering`, a table's individuals by the parts of its columns
"""
