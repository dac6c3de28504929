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
``n_trained``; ``panels``, measures that the figure has; ``[dataset]`` and ``[split]``,
see `experiments.datasets`.
"""

from functools import partial

import numpy as np
import pandas as pd

from coclust_synth import AIMSynthesizer, DPCocGen, MSTSynthesizer
from coclust_synth.baselines.private.histograms.diffgen import DiffGen
from coclust_synth.baselines.private.histograms.dp_mhmd import DPMHMD
from coclust_synth.baselines.private.histograms.dpcube import DPCube
from coclust_synth.baselines.private.histograms.laplace import LaplaceHistogram
from coclust_synth.baselines.private.histograms.noise_first import NoiseFirst
from coclust_synth.baselines.private.histograms.p_hpartition import PHPartition
from coclust_synth.baselines.private.histograms.privelet import Privelet
from coclust_synth.baselines.private.histograms.structure_first import StructureFirst
from coclust_synth.baselines.private.independent import IndependentMargins
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
from experiments.datasets import Source, find_file
from experiments.dpmm_release import DELTA, DpmmRelease
from experiments.drawing import Panel, figure_of_panels
from experiments.queries import load_queries, relative_errors
from experiments.targets import target_auc
from experiments.tasks import Task

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
)

KEYS = {
    "epsilon",
    "n_releases",
    "methods",
    "domain",
    "queries",
    "targets",
    "n_trained",
    "panels",
    "split",
}


def _privelet(epsilon, domain):
    """All numbers transformed, however few values they have."""
    numbers = [column.name for column in domain.columns if column.is_numeric]
    return Privelet(epsilon, domain, transformed=numbers)


def _mhmd_of_class(epsilon, domain):
    """Each other column is a group with the class."""
    groups = [{"columns": [name, "class"]} for name in domain.names if name != "class"]
    return DPMHMD(epsilon, domain, workload=groups)


# (epsilon, domain) to a generator.
METHODS = {
    "dpcocgen": DPCocGen,
    "dpcocgen delta": partial(DPCocGen, delta=DELTA),
    "dpcocgen thesis": partial(DPCocGen, variant="thesis"),
    "laplace clip": partial(LaplaceHistogram, projection="clip"),
    "laplace simplex": partial(LaplaceHistogram, projection="simplex"),
    "privbayes": PrivBayes,
    "independent": IndependentMargins,
    "privelet": _privelet,
    "dpcube": DPCube,
    "noise-first": NoiseFirst,
    "structure-first": StructureFirst,
    "p-hpartition": PHPartition,
    "dp-mhmd class": _mhmd_of_class,
    "diffgen class": partial(DiffGen, targets=["class"]),
    "aim": partial(AIMSynthesizer, delta=DELTA),
    "mst": partial(MSTSynthesizer, delta=DELTA),
    "aim dpmm": partial(DpmmRelease, model="aim"),
    "mst dpmm": partial(DpmmRelease, model="mst"),
}


def smoke(config):
    """What is different at a tiny size: one release, of ten times the last epsilon.

    At 1 one in thirty releases of 400 rows in 29,304 cells had no row, at 10 none.
    """
    return {"epsilon": [10 * config["epsilon"][-1]], "n_releases": 1, "n_trained": 1}


def tasks(config, directory, _fits):
    """What is to do: a task a method and epsilon; see `experiments.run`.

    Raises
    ------
    CoclustSynthError
        If the config, its dataset, domain or queries cannot be used.
    """
    for method in config["methods"]:
        check_choice("method", method, [*METHODS, REFERENCE])
    source = Source(config["dataset"], str(directory), config["split"])
    train, holdout = source.tables()
    table = pd.concat([train, holdout], ignore_index=True)
    domain = Domain.load(directory / config["domain"]).select(table.columns)
    for target in config["targets"]:
        check_choice("target", target, list(TARGETS))
        if target not in domain.names:
            raise ParameterError(unknown_column(target, domain.names))
    path = find_file(config["queries"], directory)
    if path:
        load_queries(path, domain)
    domain.encode(table)
    asked = {name: config[name] for name in ("n_releases", "targets", "n_trained")}
    asked |= {"domain": str(directory / config["domain"]), "queries": path}
    found = []
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
            found.append(Task(given, _rows, (asked, method, epsilon, source)))
    return found


def _rows(asked, method, epsilon, source):
    if method not in _warm:
        _load_kernels(method)  # so that the first release is timed as all others
        _warm.add(method)
    train, holdout = source.tables()
    table = pd.concat([train, holdout], ignore_index=True)
    domain = Domain.load(asked["domain"]).select(table.columns)
    queries = load_queries(asked["queries"], domain) if asked["queries"] else None
    release = partial(_release, method, epsilon, domain)
    found = [
        _measured_release(release, table, domain, queries)
        for _ in range(asked["n_releases"])
    ]
    areas = _areas(asked, release, domain, train, holdout)
    return [_mean_and_sd(found) | _mean_and_sd(areas)]


_warm: set[str] = set()


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


def _load_kernels(method):
    """Compile or load the kernels of a method."""
    domain = Domain.from_dict({"sex": ["x", "y"], "class": ["u", "v"]})
    table = pd.DataFrame({"sex": ["x", "y"] * 50, "class": np.repeat(["u", "v"], 50)})
    _release(method, 1.0, domain, table)


def figure(rows, config):
    """A panel for each measure of the config, a line a method.

    Bars are standard deviations over releases; what protects nothing is a level line.
    """
    rows = rows[rows["status"] == "ok"]
    panels = []
    for measure in config["panels"]:
        some = rows.dropna(subset=measure)
        lines = some[some["epsilon"].notna()].rename(
            columns={"epsilon": "x", measure: "y", f"{measure}_sd": "sd"}
        )
        levels = some[some["epsilon"].isna()].groupby("method")[measure].mean()
        if len(lines):
            points = lines[["method", "x", "y", "sd"]]
            panels.append(Panel(points, "epsilon", _NAMES[measure], dict(levels)))
    return figure_of_panels(panels)


_NAMES = {
    "hellinger": "Hellinger distance, joint",
    "total_variation_1": "mean total variation, one column",
    "total_variation_2": "mean total variation, two columns",
    "total_variation_3": "mean total variation, three columns",
    "query_error": "count queries, mean relative error",
    "auc_sex": "AUC of sex, trained on the release",
    "auc_relationship": "AUC of relationship, trained on the release",
    "auc_class": "AUC of class, trained on the release",
    "cpu_seconds": "CPU seconds of one release",
}
