from .criterion.terms import CostTerms as CostTerms
from .criterion.terms import cost_terms as cost_terms
from .data_grid.dendrogram import DataGridDendrogram as DataGridDendrogram
from .data_grid.estimator import MODLDataGrid as MODLDataGrid
from .estimator import MODLCoclustering as MODLCoclustering
from .grid.dendrogram import Dendrogram as Dendrogram
