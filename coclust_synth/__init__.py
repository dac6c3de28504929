"""Synthetic and anonymised tables about people, from MODL Bayesian co-clustering."""

from coclust_synth._version import __version__
from coclust_synth.exceptions import (
    CoclustSynthError,
    DataWarning,
    ModelFileError,
    OutputError,
    ParameterError,
    SchemaError,
    TableError,
)
from coclust_synth.generators.plain import CoclusterSynthesizer
from coclust_synth.modl.data_grid_estimator import MODLDataGrid
from coclust_synth.modl.estimator import MODLCoclustering
from coclust_synth.tables.infer import infer_schema
from coclust_synth.tables.io import read_table, write_table
from coclust_synth.tables.schema import Column, Schema

__all__ = [
    "CoclustSynthError",
    "CoclusterSynthesizer",
    "Column",
    "DataWarning",
    "MODLCoclustering",
    "MODLDataGrid",
    "ModelFileError",
    "OutputError",
    "ParameterError",
    "Schema",
    "SchemaError",
    "TableError",
    "__version__",
    "infer_schema",
    "read_table",
    "write_table",
]
