"""What differentially private tables of several methods keep of a table, along epsilon.

Each method releases the whole table `n_releases` times for each epsilon; a row is of a
method and an epsilon, with the means over its releases and, under ``_sd``, their
standard deviations. The noise of a private release has no seed: rows differ from run
to run by about the standard deviations over the root of `n_releases`. Seconds are those
of one release, fitted and drawn. The method ``bootstrap copy`` protects nothing: real
rows drawn again, which says what chance alone costs.

Everything is measured over the cells of the declared domain, against the real table, so
that rows and figures are a disclosure about it that no epsilon covers:

- ``hellinger``, of the joint distribution of all columns, where the domain has at most
  2^20 cells;
- ``total_variation_<order>``, mean over all margins of 1, 2 and 3 columns;
- ``query_error``, mean relative error of the count queries of a file. A release of m
  rows is scaled to the n real ones, and an error is divided by the real count or, if
  that is less, 0.1 % of n. Empty where the config names no file, or one that is absent;
- ``auc_<target>``, of boosting trained on a release made from the training part and
  tested on the other real rows, over `n_trained` releases; of all values of the target
  against the others, weighted by how frequent they are.

Config: ``epsilon``, a list; ``n_releases``; ``methods`` (of `METHODS`, and
`REFERENCE`); ``domain``, a file beside the config that declares the columns of the
dataset; ``queries``, a file or ``""``; ``targets`` (of `TARGETS`, or none) and
``n_trained``; ``[dataset]`` and ``[split]``, see `experiments.datasets`.
"""

from functools import partial

import numpy as np
import pandas as pd

from coclust_synth import DPCocGen
from coclust_synth.baselines.private.independent import IndependentMargins
from coclust_synth.baselines.private.laplace import LaplaceHistogram
from coclust_synth.baselines.private.privbayes import PrivBayes
from coclust_synth.evaluation.distances.margins import (
    margin_distances,
    mean_margin_distances,
)
from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.domain.domain import Domain
from coclust_synth.tables.schema import unknown_column
from coclust_synth.validation import check_choice
from experiments.clock import Clock
from experiments.datasets import find_file, load_dataset, split_rows
from experiments.dpmm_release import DpmmRelease
from experiments.figures import figure_of_private_releases
from experiments.queries import load_queries, relative_errors
from experiments.targets import target_auc

ORDERS = (1, 2, 3)
REFERENCE = "bootstrap copy"
TARGETS = ("sex", "relationship", "class")

_MAX_CELLS = 2**20

MEASURES = (
    "hellinger",
    *(f"total_variation_{order}" for order in ORDERS),
    "query_error",
    *(f"auc_{target}" for target in TARGETS),
    "released_rows",
    "seconds",
    "cpu_seconds",
)

COLUMNS = (
    "dataset",
    "method",
    "epsilon",
    "n_rows",
    "n_cells",
    "n_releases",
    *(column for name in MEASURES for column in (name, f"{name}_sd")),
    "status",
    "error",
)

KEYS = {
    "experiment",
    "epsilon",
    "n_releases",
    "methods",
    "domain",
    "queries",
    "targets",
    "n_trained",
    "dataset",
    "split",
}

figure = figure_of_private_releases

# (epsilon, domain) to a generator.
METHODS = {
    "dpcocgen": DPCocGen,
    "dpcocgen thesis": partial(DPCocGen, variant="thesis"),
    "laplace clip": partial(LaplaceHistogram, projection="clip"),
    "laplace simplex": partial(LaplaceHistogram, projection="simplex"),
    "privbayes": PrivBayes,
    "independent": IndependentMargins,
    "aim": partial(DpmmRelease, model="aim"),
    "mst": partial(DpmmRelease, model="mst"),
}


def smoke(config):
    """The same config at a tiny size: first rows, two epsilons, two releases."""
    return config | {
        "epsilon": config["epsilon"][-2:],
        "n_releases": 2,
        "n_trained": 1,
        "dataset": config["dataset"] | {"rows": 500},
    }


def rows(config, directory):
    """Run the experiment.

    Parameters
    ----------
    config : dict
    directory : Path
        Where the config is.

    Returns
    -------
    iterator of dict
        With the keys `COLUMNS`, or some of them where something failed.

    Raises
    ------
    CoclustSynthError
        If the config, its dataset, domain or queries cannot be used; at once, not by
        the iterator.
    """
    for method in config["methods"]:
        check_choice("method", method, [*METHODS, REFERENCE])
    table = load_dataset(config["dataset"], directory)
    domain = Domain.load(directory / config["domain"]).select(table.columns)
    for target in config["targets"]:
        check_choice("target", target, list(TARGETS))
        if target not in domain.names:
            raise ParameterError(unknown_column(target, domain.names))
    path = find_file(config["queries"], directory)
    queries = load_queries(path, domain) if path else None
    domain.encode(table)
    return _rows(config, table, domain, queries, split_rows(table, **config["split"]))


def _rows(config, table, domain, queries, parts):
    _load_kernels(config)
    for method in config["methods"]:
        for epsilon in [None] if method == REFERENCE else config["epsilon"]:
            given = {
                "dataset": config["dataset"]["name"],
                "method": method,
                "epsilon": epsilon,
                "n_rows": len(table),
                "n_cells": domain.n_cells,
                "n_releases": config["n_releases"],
            }
            release = partial(_release, method, epsilon, domain)
            try:
                found = [
                    _measured_release(release, table, domain, queries)
                    for _ in range(config["n_releases"])
                ]
                areas = _areas(config, release, domain, *parts)
                row = _mean_and_sd(found) | _mean_and_sd(areas) | {"status": "ok"}
            except Exception as error:
                message = f"{type(error).__name__}: {error}"
                row = {"status": "failed", "error": message}
            yield given | row


def _release(method, epsilon, domain, table):
    """Rows released for a table."""
    if method == REFERENCE:
        return table.sample(len(table), replace=True)
    return METHODS[method](epsilon, domain).fit(table).sample()


def _measured_release(release, table, domain, queries):
    """Measures of one release of the whole table."""
    clock = Clock()
    released = release(table)
    took = {"seconds": clock.seconds(), "cpu_seconds": clock.cpu_seconds()}
    real, drawn = domain.encode(table), domain.encode(released)
    orders = [order for order in ORDERS if order <= len(domain.names)]
    wanted = [*orders, len(domain.names)] if domain.n_cells <= _MAX_CELLS else orders
    means = mean_margin_distances(
        margin_distances(real, drawn, orders=sorted(set(wanted)))
    )
    found = {f"total_variation_{o}": means[o]["total_variation"] for o in orders}
    if domain.n_cells <= _MAX_CELLS:
        found["hellinger"] = means[len(domain.names)]["hellinger"]
    if queries is not None:
        found["query_error"] = relative_errors(queries, real, drawn).mean()
    return found | {"released_rows": len(released)} | took


def _areas(config, release, domain, train, holdout):
    """AUCs of the targets, of each release that is made to be trained on."""
    if not config["targets"]:
        return []
    holdout = domain.encode(holdout)
    releases = (domain.encode(release(train)) for _ in range(config["n_trained"]))
    return [
        {
            f"auc_{target}": target_auc(domain, released, holdout, target)
            for target in config["targets"]
        }
        for released in releases
    ]


def _mean_and_sd(found):
    """Means and standard deviations of measures over releases."""
    frame = pd.DataFrame(found)
    means, deviations = frame.mean(), frame.std(ddof=0)
    return {name: round(float(means[name]), 6) for name in frame} | {
        f"{name}_sd": round(float(deviations[name]), 6) for name in frame
    }


def _load_kernels(config):
    """Compile or load the kernels, so that the first release is timed as all others."""
    domain = Domain.from_dict({"a": ["x", "y"], "b": ["u", "v"]})
    table = pd.DataFrame({"a": ["x", "y"] * 50, "b": np.repeat(["u", "v"], 50)})
    for method in config["methods"]:
        _release(method, 1.0, domain, table)
