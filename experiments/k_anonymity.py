"""What k-anonymous tables of several methods keep of a table, along k.

Each method releases the whole table; the columns that are not sensitive are the
quasi-identifiers. One co-clustering of these for each seed serves all methods and k:
``fit_seconds`` is what it took, ``seconds`` what the method took besides. Clusters that
are split for a small k are kept, so that they are in the time of the first method of a
kind alone: of coc, not of coc_hg.

``smallest_class`` leaves suppressed rows out; in ``classes`` and ``c_avg`` they are one
class together. ``hellinger`` is the mean joint distance over all sets of 2 to 6
quasi-identifiers, ``hellinger_<order>`` that over the sets of one order and
``by_column`` those of single columns; ``cm`` is the classification metric of the first
sensitive column. Measures are those of
`coclust_synth.evaluation.generalisation.losses` and `hellinger`.

Config: ``seeds``, ``k``, ``methods`` (of `experiments.anonymizers`), ``sensitive``
(columns, or none); ``panels``, what the figure has: measures along k, ``orders`` or
``columns`` for the distances of several columns together or of each one at each k;
``[dataset]``, see `experiments.datasets`; ``[domain_sizes]``, values of a column for
``arx_loss`` where they are not those of the table; ``[hierarchies]``, see
`experiments.hand_made`; ``[fit]``, arguments of `MODLCoclustering`.
"""

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pandas as pd

from coclust_synth import MODLCoclustering
from coclust_synth.evaluation.distances.hellinger import joint_hellinger_distances
from coclust_synth.evaluation.generalisation.losses import (
    arx_loss,
    average_class_size,
    classification_metric,
    discernability,
    information_loss,
)
from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.schema import unknown_column
from coclust_synth.validation import check_choice
from experiments.anonymizers import METHODS, Given
from experiments.clock import Clock
from experiments.datasets import Source
from experiments.drawing import Panel, figure_of_panels
from experiments.hand_made import hand_made_hierarchies
from experiments.tasks import Fit, Task

ORDERS = range(2, 7)

COLUMNS = (
    # What was tried
    "dataset",
    "method",
    "k",
    "seed",
    "n_rows",
    # What came out
    "classes",
    "smallest_class",
    "c_avg",
    "dm",
    "loss_set",
    "loss_range",
    "arx_loss",
    "hellinger",
    "hellinger_1",
    *(f"hellinger_{order}" for order in ORDERS),
    "by_column",
    "cm",
    "suppressed_rows",
    # What is known of the real rows behind it, where labels need not cover them
    "covered_cells",
    "perturbed_rows",
    # Of recodings along hierarchies: levels, score, and what none can be below
    "node",
    "score",
    "bound",
    # What it took
    "fit_seconds",
    "fit_cpu_seconds",
    "seconds",
    "cpu_seconds",
)

KEYS = {
    "seeds",
    "k",
    "methods",
    "sensitive",
    "panels",
    "domain_sizes",
    "hierarchies",
    "fit",
}


def smoke(config):
    """What is different at a tiny size: one seed and k."""
    return {
        "seeds": config["seeds"][:1],
        "k": [20],
        "fit": config["fit"] | {"n_iterations": 3},
    }


def tasks(config, directory, fits):
    """What is to do: a task a method, seed and k; see `experiments.run`.

    Raises
    ------
    CoclustSynthError
        If the config or its dataset cannot be used.
    """
    for method in config["methods"]:
        check_choice("method", method, list(METHODS))
    try:
        MODLCoclustering(**config["fit"])
    except TypeError as error:
        raise ParameterError(
            "Expected arguments of MODLCoclustering in [fit]. Received something else: "
            f"{error}. Correct the config."
        ) from None
    source = Source(config["dataset"], str(directory))
    table, _ = source.tables()
    for name in (*config["sensitive"], *config["domain_sizes"]):
        if name not in table.columns:
            raise ParameterError(unknown_column(name, tuple(table.columns)))
    known = table.drop(columns=config["sensitive"])
    hand_made_hierarchies(config["hierarchies"], known, directory)
    asked = {name: config[name] for name in ("sensitive", "hierarchies")}
    asked |= {"domain_sizes": config["domain_sizes"], "directory": str(directory)}
    found = []
    for seed in config["seeds"]:
        fit = Fit(source, tuple(config["sensitive"]), config["fit"], seed)
        for method in config["methods"]:
            for k in config["k"]:
                given = {
                    "dataset": config["dataset"]["name"],
                    "method": method,
                    "k": k,
                    "seed": seed,
                    "n_rows": len(table),
                }
                found.append(Task(given, _rows, (asked, method, k, fit, fits), (fit,)))
    return found


def _rows(asked, method, k, fit, fits):
    given, took = _given(json.dumps([asked, fit]), fits)
    if method not in _warm:
        _load_kernels(method)  # so that the first release is timed as all others
        _warm.add(method)
    return [took | _row(asked, given, method, k)]


_warm: set[str] = set()


@lru_cache(maxsize=2)
def _given(text, fits):
    """What is given for a fit, and what that took: once in each worker process."""
    asked, (source, without, options, seed) = json.loads(text)
    fit = Fit(Source(*source), tuple(without), options, seed)
    table, _ = fit.source.tables()
    model, took = fit.load(fits)
    known = table.drop(columns=without)
    hand_made = hand_made_hierarchies(
        asked["hierarchies"], known, Path(asked["directory"])
    )
    return Given(table, tuple(without), model, hand_made, seed), took


def _row(config, given, method, k):
    clock = Clock()
    released, known = METHODS[method](given, k)
    took = {"seconds": clock.seconds(), "cpu_seconds": clock.cpu_seconds()}
    return known | took | _measure(config, given.table, released, k)


def _measure(config, table, released, k):
    found = joint_hellinger_distances(table, released, [1, *ORDERS])
    single = found[found["order"] == 1].set_index("variables")["hellinger"]
    distances = found[found["order"] > 1]
    by_order = distances.groupby("order")["hellinger"].mean()
    measures = {
        "c_avg": average_class_size(released, k),
        "loss_set": information_loss(released),
        "loss_range": information_loss(released, "range"),
        "arx_loss": arx_loss(released, config["domain_sizes"]),
        "hellinger": distances["hellinger"].mean(),
        "hellinger_1": single.mean(),
        **{f"hellinger_{order}": distance for order, distance in by_order.items()},
    }
    if config["sensitive"]:
        measures["cm"] = classification_metric(released, config["sensitive"][0])
    return {name: round(float(value), 6) for name, value in measures.items()} | {
        "classes": len(released.class_sizes),
        "smallest_class": int(min(released.kept_class_sizes, default=0)),
        "dm": discernability(released),
        "suppressed_rows": int(released.suppressed.sum()),
        "by_column": " ".join(f"{name}={h:.6f}" for (name,), h in single.items()),
    }


def _load_kernels(method):
    """Compile or load the kernels of a method."""
    table = pd.DataFrame({"a": ["x", "y"] * 50, "b": ["u", "u", "v", "v"] * 25})
    model = MODLCoclustering(n_iterations=3, random_state=0).fit(table)
    given = Given(table, (), model, {}, 0)
    METHODS[method](replace(given, hand_made=given.automatic), 20)


def figure(rows, config):
    """A panel for each measure of the config, a line a method; means over seeds."""
    rows = rows[rows["status"] == "ok"]
    panels = []
    for measure in config["panels"]:
        if measure in ("orders", "columns"):
            of_k = rows.groupby("k", sort=False)
            panels += [_PARTED[measure](some, k) for k, some in of_k]
            continue
        by = rows.groupby(["method", "k"], sort=False)[measure].mean().reset_index()
        points = by.rename(columns={"k": "x", measure: "y"}).dropna(subset="y")
        if len(points):
            panels.append(Panel(points, "k", _NAMES.get(measure, measure), {}))
    return figure_of_panels(panels)


def _by_order(rows, k):
    """Distances by how many columns are taken together."""
    names = [f"hellinger_{order}" for order in ORDERS]
    means = rows.groupby("method", sort=False)[names].mean()
    points = means.set_axis(list(ORDERS), axis=1).stack().dropna().reset_index()
    points.columns = ["method", "x", "y"]
    name = "mean joint Hellinger distance"
    return Panel(points, "columns together", name, {}, f"k = {k}")


def _by_column(rows, k):
    """Distances of each column."""
    columns = [text.partition("=")[0] for text in rows["by_column"].iloc[0].split()]
    points = pd.DataFrame(
        {"method": row["method"], "x": x, "y": float(text.partition("=")[2])}
        for _, row in rows.iterrows()
        for x, text in enumerate(row["by_column"].split())
    )
    points = points.groupby(["method", "x"], sort=False)["y"].mean().reset_index()
    return Panel(points, "", "Hellinger distance", {}, f"k = {k}", tuple(columns))


_PARTED = {"orders": _by_order, "columns": _by_column}

_NAMES = {
    "loss_set": "information lost, by sets of values",
    "loss_range": "information lost, by ranges",
    "arx_loss": "ARX's loss",
    "hellinger": "joint Hellinger distance, 2 to 6 columns",
    "hellinger_1": "Hellinger distance, mean over columns",
    "c_avg": "average class size / k",
    "cm": "classification metric",
    "covered_cells": "cells whose label stands for their value",
    **{f"hellinger_{n}": f"joint Hellinger distance, {n} columns" for n in ORDERS},
}
