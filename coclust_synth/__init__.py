"""Synthetic and anonymised tables about people, from MODL Bayesian co-clustering."""

from coclust_synth._version import __version__
from coclust_synth.baselines.anatomy import AnatomyReleaser
from coclust_synth.baselines.lattice.anonymizer import LatticeAnonymizer
from coclust_synth.baselines.mdav.anonymizer import MDAVAnonymizer
from coclust_synth.baselines.mdav.groups import mdav_groups
from coclust_synth.baselines.micro import MicroAnonymizer
from coclust_synth.baselines.mondrian.anonymizer import MondrianAnonymizer
from coclust_synth.baselines.private.independent import IndependentMargins
from coclust_synth.baselines.private.laplace import LaplaceHistogram
from coclust_synth.baselines.private.privbayes import PrivBayes
from coclust_synth.evaluation.privacy_check import check_release
from coclust_synth.exceptions import (
    CoclustSynthError,
    DataWarning,
    ModelFileError,
    NotFittedError,
    OutputError,
    ParameterError,
    SchemaError,
    TableError,
)
from coclust_synth.generators.derived.hierarchies import derive_hierarchies
from coclust_synth.generators.dp.dpcocgen import DPCocGen
from coclust_synth.generators.kanon.coc import COCAnonymizer, COCHGAnonymizer
from coclust_synth.generators.kanon.hybrid import HybridKAnonymizer
from coclust_synth.generators.plain.synthesizer import CoclusterSynthesizer
from coclust_synth.modl.data_grid.estimator import MODLDataGrid
from coclust_synth.modl.estimator import MODLCoclustering
from coclust_synth.privacy.noise.ledger import PrivacyLedger
from coclust_synth.reports.khiops.coclustering import coclustering_report
from coclust_synth.reports.khiops.costs import report_costs
from coclust_synth.reports.khiops.data_grid import data_grid_report
from coclust_synth.reports.khiops.files import read_khiops_report, write_khiops_report
from coclust_synth.reports.khiops.report import CoclusteringReport
from coclust_synth.tables.domain.domain import Domain
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.people.bounded import bound_rows
from coclust_synth.tables.reading.infer import infer_schema
from coclust_synth.tables.reading.table import read_table, read_texts
from coclust_synth.tables.schema import Column, Schema
from coclust_synth.tables.writing import write_table

__all__ = [
    "AnatomyReleaser",
    "COCAnonymizer",
    "COCHGAnonymizer",
    "CoclustSynthError",
    "CoclusterSynthesizer",
    "CoclusteringReport",
    "Column",
    "DPCocGen",
    "DataWarning",
    "Domain",
    "GeneralizationHierarchy",
    "HybridKAnonymizer",
    "IndependentMargins",
    "LaplaceHistogram",
    "LatticeAnonymizer",
    "MDAVAnonymizer",
    "MODLCoclustering",
    "MODLDataGrid",
    "MicroAnonymizer",
    "ModelFileError",
    "MondrianAnonymizer",
    "NotFittedError",
    "OutputError",
    "ParameterError",
    "PrivBayes",
    "PrivacyLedger",
    "Schema",
    "SchemaError",
    "TableError",
    "__version__",
    "bound_rows",
    "check_release",
    "coclustering_report",
    "data_grid_report",
    "derive_hierarchies",
    "infer_schema",
    "mdav_groups",
    "read_khiops_report",
    "read_table",
    "read_texts",
    "report_costs",
    "write_khiops_report",
    "write_table",
]
