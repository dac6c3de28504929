"""What a run says of itself: one flat record, for people and for machines."""

_NOT_KEPT = (
    "which rows are one person's, their order, how many a person has, what is the same "
    "in all rows of a person"
)


def run_summary(model, coclustering=None, broken=None, **more):
    """Facts of a fitted model, JSON compatible.

    Parameters
    ----------
    model : PlainModel
    coclustering : MODLCoclustering, optional
        Adds the budget that was used.
    broken : list of int or None, optional
        Drawn rows that break each rule, as `PlainModel.count_broken` gives them.
    **more
        Further facts, added at the end.

    Returns
    -------
    dict
        ``cost`` is that of the best grid (nats); ``drawn_cost``, ``clusters``,
        ``smallest_cluster`` (rows) and ``information`` are those of the finest grid
        that the model holds, which synthetic rows are drawn from. Where individuals are
        persons, ``persons`` in all, ``smallest_cluster_persons``, and what is kept of
        them, ``same_in_all_rows`` and ``in_order_of``, or ``not_kept``.
        ``rules`` are those that a draw from trees keeps, with the rows and individuals
        that they are about, and the ``drawn_broken`` of the drawn rows that break them.
    """
    dendrogram = model.dendrogram
    n_individuals, n_parts = (int(j) for j in dendrogram.cells.shape)
    summary = {
        "cost": float(dendrogram.best_cost),
        "null_cost": dendrogram.null_cost,
        "drawn_cost": float(dendrogram.costs[0]),
        "clusters": {"individuals": n_individuals, "parts": n_parts},
        "smallest_cluster": int(model.cluster_rows.min()),
        "information": float(dendrogram.information[0]),
    }
    if model.by_person:
        summary |= {
            "persons": model.n_individuals,
            "smallest_cluster_persons": model.smallest_cluster,
            **_kept_of_persons(model.structure),
        }
    if model.structure is not None:
        summary["rules"] = kept_rules(model, broken)
    if coclustering is not None:
        summary["iterations"] = coclustering.n_iter_
        summary["stopped_by"] = coclustering.stopped_by_
    return summary | more


def kept_rules(model, broken=None):
    """What is kept of a table by trees, and how many drawn rows break each rule.

    Parameters
    ----------
    model : PlainModel
        With a structure.
    broken : list of int or None, optional
        As of `run_summary`.

    Returns
    -------
    list of dict
        Without ``drawn_broken`` where that was not counted.
    """
    rules = [rule.to_dict() for rule in model.structure.rules.all]
    if broken is not None:
        rules = [
            rule | ({} if n is None else {"drawn_broken": n})
            for rule, n in zip(rules, broken, strict=True)
        ]
    spelt = [{"kind": "spelt", "rule": str(own)} | own.to_dict() for own in model.spelt]
    return spelt + rules


def _kept_of_persons(structure):
    """What stays in the rows of a person, or what does not."""
    if structure is None:
        return {"not_kept": _NOT_KEPT}
    return {
        "same_in_all_rows": ", ".join(structure.constants) or None,
        "in_order_of": structure.ordered_by,
    }


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
