"""A fitted grid, and a report of Khiops, in a few lines for people and for machines."""

from coclust_synth.reports.console import print_facts, print_table

_N_MERGES = 5


def coclustering_facts(model, **more):
    """Facts of a fitted co-clustering, JSON compatible.

    Parameters
    ----------
    model : MODLCoclustering
    **more
        Further facts, added at the end.

    Returns
    -------
    dict
        Costs in nats.
    """
    n_individuals, n_parts = model.grid_.shape
    found = {
        "clusters": {"individuals": n_individuals, "parts": n_parts},
        "smallest_cluster": int(model.grid_.row_sizes.min()),
    }
    return _search_facts(model, found) | more


def data_grid_facts(model, **more):
    """Facts of a fitted grid of the columns of a table, JSON compatible.

    Parameters
    ----------
    model : MODLDataGrid
    **more
        Further facts, added at the end.

    Returns
    -------
    dict
        Costs in nats; ``parts`` of each column; ``cells`` that are not empty.
    """
    found = {
        "parts": dict(zip(model.partitions_, model.grid_.shape, strict=True)),
        "cells": len(model.grid_.counts),
    }
    return _search_facts(model, found) | more


def _search_facts(model, found):
    return {
        "cost": float(model.cost_),
        "null_cost": float(model.null_cost_),
        "level": float(model.level_),
        **found,
        "iterations": model.n_iter_,
        "stopped_by": model.stopped_by_,
    }


def report_facts(report, *, n_merges=_N_MERGES):
    """What a report says, JSON compatible.

    Parameters
    ----------
    report : CoclusteringReport
    n_merges : int, default=5
        Merges to name.

    Returns
    -------
    dict
        The figures of the summary, the ``dimensions`` and the ``merges`` that lose most
        of the best grid's information: ``loss`` is the share that a merge takes of it,
        ``level`` what is left, ``clusters`` the parts of either side.
    """
    summary = report.summary
    return {
        "observations": summary.instances,
        "cells": summary.cells,
        "cost": summary.cost,
        "null_cost": summary.null_cost,
        "level": summary.level,
        "dimensions": [
            {
                "name": dimension.name,
                "type": "numerical" if dimension.is_numeric else "categorical",
                "parts": len(dimension.parts),
                "values": dimension.n_values,
            }
            for dimension in report.dimensions
        ],
        "merges": _merges(report, n_merges),
    }


def print_report(report):
    """Print the facts of a report: its figures, its dimensions, its costly merges."""
    facts = report_facts(report)
    dimensions, merges = facts.pop("dimensions"), facts.pop("merges")
    print_facts(facts)
    print_table(
        ("dimension", "type", "parts", "values"),
        [tuple(dimension.values()) for dimension in dimensions],
    )
    if merges:
        print_table(
            ("lost", "level left", "parts left", "dimension", "merge"),
            [
                (
                    f"{merge['loss']:.4f}",
                    f"{merge['level']:.4f}",
                    merge["parts_left"],
                    merge["dimension"],
                    " + ".join(map(_short, merge["clusters"])),
                )
                for merge in merges
            ],
            title=f"The {len(merges)} merges that lose most:",
        )


def _short(parts):
    """The first of some parts by name, the others by their number."""
    more = len(parts) - 1
    return f"{parts[0]} and {more} more" if more else parts[0]


def _merges(report, n_merges):
    """The merges of all dimensions that lose most, the first of equal ones first."""
    nodes = [
        (dimension, node)
        for dimension in report.dimensions
        for node in dimension.hierarchy
    ]
    level = min((node.level for _, node in nodes if node.is_leaf), default=1.0)
    merges = []
    inner = [(dimension, node) for dimension, node in nodes if not node.is_leaf]
    for dimension, node in sorted(inner, key=lambda pair: -pair[1].hierarchical_rank):
        merges.append(
            {
                "dimension": dimension.name,
                "clusters": [
                    dimension.leaves(child.name)
                    for child in sorted(dimension.hierarchy, key=lambda n: n.rank)
                    if child.parent == node.name
                ],
                "loss": round(level - node.level, 6),
                "level": node.level,
                "parts_left": node.hierarchical_rank,
            }
        )
        level = node.level
    return sorted(merges, key=lambda merge: -merge["loss"])[:n_merges]
