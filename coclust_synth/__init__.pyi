from . import baselines as baselines
from . import evaluation as evaluation
from . import generators as generators
from . import modl as modl
from . import plotting as plotting
from . import privacy as privacy
from . import reports as reports
from . import scale as scale
from . import tables as tables
from ._version import __version__
from .baselines import (
    AIMSynthesizer,
    AnatomyReleaser,
    CutAnonymizer,
    IndependentMargins,
    LaplaceHistogram,
    LatticeAnonymizer,
    LocalSuppression,
    MDAVAnonymizer,
    MicroAnonymizer,
    MondrianAnonymizer,
    MSTSynthesizer,
    PrivBayes,
    mdav_groups,
)
from .evaluation import check_release
from .exceptions import (
    CoclustSynthError,
    DataWarning,
    ModelFileError,
    NotFittedError,
    OutputError,
    ParameterError,
    SchemaError,
    TableError,
)
from .generators import (
    COCAnonymizer,
    COCHGAnonymizer,
    CoclusterSynthesizer,
    DPCocGen,
    HybridKAnonymizer,
    derive_hierarchies,
)
from .modl import MODLCoclustering, MODLDataGrid
from .privacy import (
    AlphaK,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    PrivacyLedger,
    RecursiveLDiversity,
    TCloseness,
)
from .reports import (
    CoclusteringReport,
    coclustering_report,
    data_grid_report,
    read_khiops_report,
    report_costs,
    write_khiops_report,
)
from .reports.view.widget import grid_widget
from .tables import (
    Column,
    Domain,
    GeneralizationHierarchy,
    Recoding,
    Schema,
    bound_rows,
    infer_schema,
    read_table,
    read_texts,
    write_table,
)

__all__ = [
    "AIMSynthesizer",
    "AlphaK",
    "AnatomyReleaser",
    "COCAnonymizer",
    "COCHGAnonymizer",
    "CoclustSynthError",
    "CoclusterSynthesizer",
    "CoclusteringReport",
    "Column",
    "CutAnonymizer",
    "DPCocGen",
    "DataWarning",
    "DeltaPresence",
    "DistinctLDiversity",
    "Domain",
    "EntropyLDiversity",
    "GeneralizationHierarchy",
    "HybridKAnonymizer",
    "IndependentMargins",
    "LaplaceHistogram",
    "LatticeAnonymizer",
    "LocalSuppression",
    "MDAVAnonymizer",
    "MODLCoclustering",
    "MODLDataGrid",
    "MSTSynthesizer",
    "MicroAnonymizer",
    "ModelFileError",
    "MondrianAnonymizer",
    "NotFittedError",
    "OutputError",
    "ParameterError",
    "PrivBayes",
    "PrivacyLedger",
    "Recoding",
    "RecursiveLDiversity",
    "Schema",
    "SchemaError",
    "TCloseness",
    "TableError",
    "__version__",
    "baselines",
    "bound_rows",
    "check_release",
    "coclustering_report",
    "data_grid_report",
    "derive_hierarchies",
    "evaluation",
    "generators",
    "grid_widget",
    "infer_schema",
    "mdav_groups",
    "modl",
    "plotting",
    "privacy",
    "read_khiops_report",
    "read_table",
    "read_texts",
    "report_costs",
    "reports",
    "scale",
    "tables",
    "write_khiops_report",
    "write_table",
]
