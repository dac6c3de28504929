"""Co-clustering reports of Khiops as ``.khcj`` files: read and written.

A report is JSON, whose keys come in a fixed order: the reader of Khiops itself is
sequential. Costs have 10 significant digits in it and other reals 6.
"""

import gzip
import json
import os
import zlib
from pathlib import Path

from coclust_synth.exceptions import ModelFileError
from coclust_synth.reports.khiops.report import (
    FORMAT_VERSION,
    CoclusteringReport,
    Interval,
    Node,
    ReportDimension,
    Summary,
    ValueGroup,
)
from coclust_synth.tables.files import check_writable, read_gzip, write_files
from coclust_synth.tables.literals import parse_json

TOOL = "Khiops Coclustering"

_CATEGORICAL, _NUMERICAL = "Categorical", "Numerical"
# What a content that is no report can raise.
_NO_REPORT = (KeyError, TypeError, AttributeError, IndexError, ValueError)


def read_khiops_report(path: str | os.PathLike) -> CoclusteringReport:
    """Read a co-clustering report of Khiops.

    Parameters
    ----------
    path : path
        A ``.khcj`` file; compressed if its name ends with ``.gz``.

    Returns
    -------
    CoclusteringReport

    Raises
    ------
    ModelFileError
        If the file is none, or a newer or truncated one.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> from coclust_synth import MODLDataGrid, data_grid_report
    >>> table = pd.DataFrame({"a": list("xxyy") * 50, "b": list("uuvv") * 50})
    >>> model = MODLDataGrid(n_iterations=5, random_state=0).fit(table)
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "report.khcj")
    ...     write_khiops_report(data_grid_report(model, table), path)
    ...     [dimension.name for dimension in read_khiops_report(path).dimensions]
    ['a', 'b']
    """
    path = Path(path)
    try:
        is_compressed = path.suffix.lower() == ".gz"
        data = read_gzip(path) if is_compressed else path.read_bytes()
        # Files in the encoding of a machine come back as they were.
        return _parse(parse_json(data.decode("utf-8", "surrogateescape")))
    except OSError as error:
        received = error.strerror or str(error)
    except (EOFError, zlib.error, *_NO_REPORT) as error:
        received = _received(error)
    raise ModelFileError(
        f"Expected a co-clustering report of Khiops in {str(path)!r}. Received: "
        f"{received}. Give a .khcj file that Khiops wrote, or `cocluster` or `grid` "
        "of a table; `view` shows models of `fit` too."
    )


def write_khiops_report(
    report: CoclusteringReport, path: str | os.PathLike, *, force: bool = False
) -> None:
    """Write a co-clustering report for Khiops and its tools.

    Parameters
    ----------
    report : CoclusteringReport
    path : path
        Where to, by custom a ``.khcj`` file; compressed if it ends with ``.gz``.
    force : bool, default=False
        Whether to replace a file that exists.

    Raises
    ------
    OutputError
        If the file exists, or cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> from coclust_synth import MODLDataGrid, data_grid_report
    >>> table = pd.DataFrame({"a": list("xxyy") * 50, "b": list("uuvv") * 50})
    >>> model = MODLDataGrid(n_iterations=5, random_state=0).fit(table)
    >>> report = data_grid_report(model, table)
    >>> with TemporaryDirectory() as folder:
    ...     write_khiops_report(report, Path(folder, "report.khcj"))
    ...     [path.name for path in Path(folder).iterdir()]
    ['report.khcj']
    """
    path = Path(path)
    check_writable(path, force)
    text = json.dumps(report_to_dict(report), indent=1, ensure_ascii=False) + "\n"
    data = text.encode("utf-8", "surrogateescape")
    if path.suffix.lower() == ".gz":
        data = gzip.compress(data, mtime=0)
    write_files({path: data})


# --- to JSON ----------------------------------------------------------------


def report_to_dict(report: CoclusteringReport) -> dict:
    """The report as JSON compatible content, keys in their order."""
    content = {
        "tool": TOOL,
        "version": report.version,
        "shortDescription": report.short_description,
        "coclusteringReport": {
            "summary": _summary_to_dict(report.summary),
            "dimensionSummaries": list(map(_overview_to_dict, report.dimensions)),
            "dimensionPartitions": list(map(_partition_to_dict, report.dimensions)),
            "dimensionHierarchies": list(map(_hierarchy_to_dict, report.dimensions)),
            "cellPartIndexes": [list(parts) for parts in report.cell_parts],
            "cellFrequencies": list(report.cell_frequencies),
        },
    }
    encoding = report.encoding
    if encoding is None:
        text = json.dumps(content, ensure_ascii=False)
        encoding = "ascii" if text.isascii() else "utf8"
    return content | {"khiops_encoding": encoding}


def _summary_to_dict(summary):
    return {
        "instances": summary.instances,
        "cells": summary.cells,
        "nullCost": _real(summary.null_cost, 10),
        "cost": _real(summary.cost, 10),
        "level": _real(summary.level, 10),
        "initialDimensions": summary.initial_dimensions,
        "frequencyVariable": summary.frequency_variable,
        "dictionary": summary.dictionary,
        "database": summary.database,
        "samplePercentage": _real(summary.sample_percentage, 6),
        "samplingMode": summary.sampling_mode,
        "selectionVariable": summary.selection_variable,
        "selectionValue": summary.selection_value,
    }


def _overview_to_dict(dimension):
    content = {"name": dimension.name}
    if dimension.inner_variables:
        content["isVarPart"] = True
    content |= {
        "type": _type_name(dimension),
        "parts": len(dimension.parts),
        "initialParts": dimension.initial_parts,
        "values": dimension.n_values,
        "interest": _real(dimension.interest, 6),
        "description": dimension.description,
    }
    if dimension.minimum is not None:
        content["min"] = _real(dimension.minimum, 17)
        content["max"] = _real(dimension.maximum, 17)
    return content


def _partition_to_dict(dimension):
    content = {"name": dimension.name, "type": _type_name(dimension)}
    if dimension.is_numeric:
        content["intervals"] = [
            {"cluster": part.name, "bounds": [_real(b, 17) for b in part.bounds]}
            for part in dimension.parts
        ]
        return content
    if dimension.inner_variables:
        content["innerVariables"] = {
            "dimensionSummaries": list(
                map(_overview_to_dict, dimension.inner_variables)
            ),
            "dimensionPartitions": list(
                map(_partition_to_dict, dimension.inner_variables)
            ),
        }
    content["valueGroups"] = list(map(_group_to_dict, dimension.parts))
    content["defaultGroupIndex"] = dimension.default_group
    return content


def _group_to_dict(group):
    content = {
        "cluster": group.name,
        "values": list(group.values),
        "valueFrequencies": list(group.frequencies),
    }
    if group.typicalities is not None:
        content["valueTypicalities"] = [_real(t, 6) for t in group.typicalities]
    return content


def _hierarchy_to_dict(dimension):
    return {
        "name": dimension.name,
        "type": _type_name(dimension),
        "clusters": [
            {
                "cluster": node.name,
                "parentCluster": node.parent,
                "frequency": node.frequency,
                "interest": _real(node.interest, 6),
                "hierarchicalLevel": _real(node.level, 6),
                "rank": node.rank,
                "hierarchicalRank": node.hierarchical_rank,
                "isLeaf": node.is_leaf,
            }
            for node in dimension.hierarchy
        ],
    }


def _type_name(dimension):
    return _NUMERICAL if dimension.is_numeric else _CATEGORICAL


def _real(value, digits):
    """A number with so many significant digits, written without ``.0`` if whole."""
    value = float(f"{value:.{digits}g}")
    return int(value) if value.is_integer() else value


# --- from JSON --------------------------------------------------------------


def report_from_dict(content: dict) -> CoclusteringReport:
    """Inverse of `report_to_dict`.

    Raises
    ------
    ModelFileError
        If this is no co-clustering report.
    """
    try:
        return _parse(content)
    except _NO_REPORT as error:
        received = _received(error)
    raise ModelFileError(
        "Expected the content of a co-clustering report of Khiops. Received: "
        f"{received}. Write the report again."
    )


def _received(error):
    if isinstance(error, KeyError):
        return f"a content without the key {error}"
    if isinstance(error, json.JSONDecodeError):
        return "a text that is no JSON, as reports are"
    return str(error)


def _parse(content):
    """The report, or one of the errors of `_NO_REPORT`."""
    if content["tool"] != TOOL:
        raise ValueError(f"a report of {content['tool']!r}")
    report = content["coclusteringReport"]
    _check_version(content["version"])
    return CoclusteringReport(
        summary=_summary_from_dict(report["summary"]),
        dimensions=_dimensions_from_dict(
            report["dimensionSummaries"],
            report["dimensionPartitions"],
            report["dimensionHierarchies"],
        ),
        cell_parts=tuple(map(tuple, report["cellPartIndexes"])),
        cell_frequencies=tuple(report["cellFrequencies"]),
        short_description=content.get("shortDescription", ""),
        version=content["version"],
        encoding=content.get("khiops_encoding"),
    )


def _check_version(version):
    """Refuse a version of the format that came after the one that is known."""
    major, known = (str(text).partition(".")[0] for text in (version, FORMAT_VERSION))
    if not major.isdecimal() or int(major) > int(known):
        raise ValueError(
            f"a report of version {version!r}, of which those up to {known} are known"
        )


def _summary_from_dict(content):
    return Summary(
        instances=_number(content["instances"]),
        cells=_number(content["cells"]),
        null_cost=_number(content["nullCost"]),
        cost=_number(content["cost"]),
        level=_number(content["level"]),
        initial_dimensions=content["initialDimensions"],
        frequency_variable=content["frequencyVariable"],
        dictionary=content["dictionary"],
        database=content["database"],
        sample_percentage=content["samplePercentage"],
        sampling_mode=content["samplingMode"],
        selection_variable=content["selectionVariable"],
        selection_value=content["selectionValue"],
    )


def _dimensions_from_dict(overviews, partitions, hierarchies):
    return tuple(
        _dimension_from_dict(*parts)
        for parts in zip(overviews, partitions, hierarchies, strict=True)
    )


def _dimension_from_dict(overview, partition, hierarchy):
    is_numeric = _is_numeric(overview["type"])
    if is_numeric:
        parts = tuple(
            Interval(interval["cluster"], tuple(interval["bounds"]))
            for interval in partition["intervals"]
        )
    else:
        parts = tuple(map(_group_from_dict, partition["valueGroups"]))
    if len(parts) != overview["parts"]:
        raise ValueError(
            f"{len(parts)} parts of {overview['name']!r}, announced as "
            f"{overview['parts']}"
        )
    inner = partition.get("innerVariables")
    inner_variables = ()
    if inner is not None:
        names = inner["dimensionSummaries"]
        inner_variables = _dimensions_from_dict(
            names, inner["dimensionPartitions"], [{"clusters": []}] * len(names)
        )
    return ReportDimension(
        name=overview["name"],
        is_numeric=is_numeric,
        initial_parts=_number(overview["initialParts"]),
        n_values=_number(overview["values"]),
        parts=parts,
        interest=_number(overview["interest"]),
        description=overview["description"],
        minimum=overview.get("min"),
        maximum=overview.get("max"),
        default_group=partition.get("defaultGroupIndex"),
        hierarchy=tuple(map(_node_from_dict, hierarchy["clusters"])),
        inner_variables=inner_variables,
    )


def _number(value):
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{value!r} where a number is expected")
    return value


def _is_numeric(type_name):
    if type_name not in (_CATEGORICAL, _NUMERICAL):
        raise ValueError(f"a dimension of type {type_name!r}")
    return type_name == _NUMERICAL


def _group_from_dict(content):
    typicalities = content.get("valueTypicalities")
    return ValueGroup(
        name=content["cluster"],
        values=tuple(content["values"]),
        frequencies=tuple(content["valueFrequencies"]),
        typicalities=None if typicalities is None else tuple(typicalities),
    )


def _node_from_dict(content):
    return Node(
        name=content["cluster"],
        parent=content["parentCluster"],
        frequency=_number(content["frequency"]),
        interest=_number(content["interest"]),
        level=_number(content["hierarchicalLevel"]),
        rank=_number(content["rank"]),
        hierarchical_rank=_number(content["hierarchicalRank"]),
        is_leaf=content["isLeaf"],
    )
