"""MODL co-clustering: the criterion, the searches that optimise it, the estimators.

criterion   what a grid costs, term by term, and the tables that searches look up
grid        a `Grid` of two categorical variables: counts, partitions, its dendrogram
search      the search for a `Grid`, and its coarser and finer levels
data_grid   a `DataGrid` of any number of variables, categorical or numeric
learnt      parts of the columns that are learnt with the clusters of the individuals
estimator   `MODLCoclustering`, a table's individuals by the parts of its columns
"""

from coclust_synth.modl.criterion.terms import CostTerms, cost_terms
from coclust_synth.modl.data_grid.dendrogram import DataGridDendrogram
from coclust_synth.modl.data_grid.estimator import MODLDataGrid
from coclust_synth.modl.estimator import MODLCoclustering
from coclust_synth.modl.grid.dendrogram import Dendrogram

__all__ = [
    "CostTerms",
    "DataGridDendrogram",
    "Dendrogram",
    "MODLCoclustering",
    "MODLDataGrid",
    "cost_terms",
]
