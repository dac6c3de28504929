"""MODL co-clustering: the criterion, the searches that optimise it, the estimators.

criterion   what a grid costs, term by term, and the tables that searches look up
grid        a `Grid` of two categorical variables: counts, partitions, its dendrogram
search      the search for a `Grid`, and its coarser and finer levels
data_grid   a `DataGrid` of any number of variables, categorical or numeric
learnt      parts of the columns that are learnt with the clusters of the individuals
counted     co-clusterings of tables that an engine counts
estimator   `MODLCoclustering`, a table's individuals by the parts of its columns
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
