"""The classes and labels of a k-anonymous release, as a section of its page."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from coclust_synth.evaluation.generalisation.hierarchies import release_precision
from coclust_synth.evaluation.generalisation.losses import (
    arx_loss,
    average_class_size,
    classification_metric,
    completeness,
    discernability,
    information_loss,
)
from coclust_synth.plotting.hierarchies import shown_branches
from coclust_synth.plotting.tables import plot_class_sizes
from coclust_synth.privacy.release import ReleaseReport
from coclust_synth.reports.html.headline import written
from coclust_synth.reports.html.rendering import Section, page_figure, rendered
from coclust_synth.tables.generalized.table import GeneralizedTable
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy

_MAX_NODES = 40  # of the lowest level of a hierarchy that is written out


def labels_section(
    released: GeneralizedTable,
    k: int | None = None,
    hierarchies: Mapping[str, GeneralizationHierarchy] | None = None,
    report: ReleaseReport | None = None,
    *,
    of_centres: bool = False,
) -> Section:
    """What the labels of a release lost, its classes and its hierarchies.

    Parameters
    ----------
    released : GeneralizedTable
    k : int, optional
        That was asked for; by default as many rows as the smallest class has.
    hierarchies : mapping of column name to GeneralizationHierarchy, optional
        Of columns whose labels are nodes.
    report : ReleaseReport, optional
        What was done to the real rows.
    of_centres : bool, default=False
        Whether cells are means, medians or modes of their classes, and no sets.
    """
    used = {n: h for n, h in (hierarchies or {}).items() if n in released.names}
    asked = k
    if asked is None:
        asked = int(min(released.kept_class_sizes, default=1))
    figure = page_figure(
        "Sizes of classes",
        partial(plot_class_sizes, released, k),
        (5.2, 3.0),
        "Rows, by the number of rows that look like them in all quasi-identifiers. "
        "Bars far to the right of k are rows whose labels hide more than was asked "
        "for; suppressed rows are left out.",
    )
    content = rendered(
        "labels.html.j2",
        figure=figure,
        measures=[
            *([] if of_centres else _losses(released, used)),
            *_measures(released, asked),
            *_done(report),
        ],
        of_centres=of_centres,
        columns=list(_columns(released)),
        told=list(_told_by_classes(released)),
        trees=[
            (name, h.n_leaves, h.height, shown_branches(h, _MAX_NODES))
            for name, h in used.items()
        ],
    )
    return Section("labels", "Classes and labels", content)


def _losses(released, hierarchies) -> Iterator[tuple[str, str, str]]:
    """Name, figure and how to read it, of what labels lost."""
    yield (
        "Information loss, by sets (InfoLoss)",
        written(information_loss(released)),
        "mean share of a column's other values that a cell stands for: 0 for original "
        "values, 1 where every cell stands for all",
    )
    yield (
        "Information loss, by ranges",
        written(information_loss(released, "range")),
        "the same, but for numbers and dates the share of their range",
    )
    yield (
        "Loss as ARX counts it",
        written(arx_loss(released)),
        "geometric mean over columns, to compare with ARX",
    )
    if hierarchies:
        yield (
            "Precision (PREC)",
            written(release_precision(released, hierarchies)),
            "1 for original values, 0 where all are at the root; of "
            f"{', '.join(hierarchies)}",
        )


def _measures(released, k) -> Iterator[tuple[str, str, str]]:
    """The same of classes."""
    n_suppressed = int(released.suppressed.sum())
    yield (
        "Average size of a class (C_AVG)",
        written(average_class_size(released, k)),
        f"rows per class, divided by k = {k:,}; 1 at "
        f"best{'; suppressed rows are one class together' * bool(n_suppressed)}",
    )
    yield (
        "Discernibility (DM)",
        written(float(discernability(released))),
        "sum of squared class sizes, plus the number of rows for each suppressed "
        f"row; at best {released.n_rows * k:,}, for classes of k rows",
    )
    yield (
        "Completeness",
        f"{completeness(released):.2%}",
        f"rows that are not suppressed; {n_suppressed:,} rows are",
    )


def _told_by_classes(released) -> Iterator[tuple[str, str]]:
    """The classification metric of each column that is no quasi-identifier."""
    for name in map(str, released.others.columns):
        yield name, written(classification_metric(released, name))


def _done(report) -> Iterator[tuple[str, str, str]]:
    """What was done to the rows, where that is known."""
    if report is not None:
        yield (
            "Rows with a value that their label does not stand for",
            f"{int(report.classes['perturbed'].sum()):,}",
            "perturbed, to keep labels small; 0 if all labels are truthful",
        )
        yield (
            "Cells whose label stands for the value that was there",
            f"{report.covered_cells:.2%}",
            "of all quasi-identifying cells",
        )


def _columns(released) -> Iterator[dict[str, Any]]:
    """Of each generalised column what its labels are like."""
    for column in released.columns:
        sizes = column.sizes[column.codes]
        rows = np.bincount(column.codes, minlength=len(column.labels))
        widest = int(np.argmax(np.where(rows > 0, column.sizes, -1)))
        commonest = int(rows.argmax())
        yield {
            "name": column.name,
            "n_values": f"{len(column.leaves):,}",
            "n_labels": f"{len(column.labels):,}",
            "mean": f"{sizes.mean():.1f}",
            "exact": f"{(sizes == 1).mean():.1%}",
            "commonest": _short(column.labels[commonest]),
            "widest": f"{_short(column.labels[widest])} "
            f"({_n_values(column.sizes[widest])})",
        }


def _n_values(n):
    return "1 value" if n == 1 else f"{n:,} values"


def _short(label):
    return label if len(label) <= 60 else f"{label[:59]}…"
