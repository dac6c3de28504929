"""How near private tables are at several levels of DPCocGen's grid, release by release.

The thesis's algorithm, with the noisy histogram's grid coarsened along its hierarchy of
merges to at most so many cells before phase two counts them; as far as it goes
(``finest``) where no number is asked for. The levels of one release share phase one, as
in the thesis, and each pays for its own phase two: what a row measures is epsilon-DP,
the rows of a release together are not. Beside them the histogram of the domain with
noise, clipped at 0, which the thesis calls baseline, and `DPCocGen` as it is by
default.

A row of a release is the Hellinger distance between its joint distribution of all
columns and the real one: a disclosure that no epsilon covers.

Config: ``epsilon``; ``n_releases``; ``cells``, levels as numbers of cells; ``domain``,
a file beside the config; ``[dataset]``, see `experiments.datasets`.
"""

from math import prod
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from coclust_synth import DPCocGen, LaplaceHistogram, PrivacyLedger
from coclust_synth.evaluation.distances.margins import (
    margin_distances,
    mean_margin_distances,
)
from coclust_synth.generators.dp.dense.partition import partition_cells
from coclust_synth.generators.dp.thesis import count_coarse_cells
from coclust_synth.modl.data_grid.data_grid import Records
from coclust_synth.modl.data_grid.dendrogram import DataGridDendrogram
from coclust_synth.tables.domain.domain import Domain
from experiments.datasets import Source
from experiments.drawing import STYLES
from experiments.tasks import Task

COLUMNS = ("dataset", "epsilon", "release", "level", "n_cells", "hellinger")

KEYS = {"epsilon", "n_releases", "cells", "domain"}

BASELINE, DEFAULT, FINEST = "baseline", "default", "finest"


def smoke(config):
    """What is different at a tiny size: one epsilon and release."""
    return {"epsilon": config["epsilon"][-1:], "n_releases": 1}


def tasks(config, directory, _fits):
    """A task for each epsilon and release; see `experiments.run`."""
    source = Source(config["dataset"], str(directory))
    table, _ = source.tables()
    path = Path(directory, config["domain"])
    Domain.load(path).select(table.columns).encode(table)
    return [
        Task(
            {
                "dataset": config["dataset"]["name"],
                "epsilon": epsilon,
                "release": release,
            },
            _rows,
            (epsilon, config["cells"], source, path),
        )
        for epsilon in config["epsilon"]
        for release in range(config["n_releases"])
    ]


def _rows(epsilon, cells, source, path):
    table, _ = source.tables()
    domain = Domain.load(path).select(table.columns)
    real = domain.encode(table).astype(np.int64)
    for level, generator in (
        (BASELINE, LaplaceHistogram(epsilon, domain, projection="clip")),
        (DEFAULT, DPCocGen(epsilon, domain)),
    ):
        drawn = domain.encode(generator.fit(table).sample())
        yield {"level": level, "n_cells": domain.n_cells, **_distance(real, drawn)}
    fine = _noisy_grid(real, domain, epsilon / 2)
    dendrogram = DataGridDendrogram.from_records(fine)
    rng = np.random.default_rng()
    for level in (FINEST, *cells):
        at_most = domain.n_cells if level == FINEST else level
        parts = _parts(fine, dendrogram.merges, at_most)
        counted = count_coarse_cells(real, domain, parts, PrivacyLedger(epsilon / 2))
        drawn = counted.draw(counted.n_rows, rng)
        n_cells = prod(int(part.max()) + 1 for part in parts)
        yield {"level": level, "n_cells": n_cells, **_distance(real, drawn)}


def _noisy_grid(codes, domain, epsilon):
    """The grid of phase one: noisy counts of the domain's cells, and its partition."""
    sizes = domain.sizes
    cells = np.ravel_multi_index(codes.T, sizes)
    counts = PrivacyLedger(epsilon).noisy_counts(
        np.bincount(cells, minlength=prod(sizes)), cost=epsilon, what="all cells"
    )
    present = np.flatnonzero(counts > 0)
    numeric = [column.categories is None for column in domain.columns]
    parts = partition_cells(sizes, present, counts[present], numeric)
    return Records(
        codes=np.column_stack(np.unravel_index(present, sizes)),
        counts=counts[present],
        labels=tuple(parts),
        numeric=tuple(numeric),
    )


def _parts(records, merges, at_most):
    """The part of each value, after as few merges as leave at most so many cells."""
    labels = [label.copy() for label in records.labels]
    n_parts = [int(label.max()) + 1 for label in labels]
    for axis, kept, absorbed in merges:
        if prod(n_parts) <= at_most:
            break
        labels[axis][labels[axis] == absorbed] = kept
        n_parts[axis] -= 1
    return [np.unique(label, return_inverse=True)[1] for label in labels]


def _distance(real, drawn):
    order = real.shape[1]
    means = mean_margin_distances(margin_distances(real, drawn, orders=[order]))
    return {"hellinger": round(float(means[order]["hellinger"]), 6)}


def figure(rows, config):
    """A panel for each epsilon: a box a level, over releases."""
    rows = rows[rows["status"] == "ok"]
    shown = config["epsilon"]
    n_rows = -(-len(shown) // 3)
    figure = Figure(figsize=(12.5, 3.2 * n_rows), layout="constrained")
    places = figure.subplots(n_rows, 3, squeeze=False).ravel()
    for place, epsilon in zip(places, shown, strict=False):
        of_epsilon = rows[rows["epsilon"] == epsilon]
        levels = list(of_epsilon.groupby("level", sort=False))
        boxes = place.boxplot(
            [some["hellinger"] for _, some in levels],
            orientation="horizontal",
            patch_artist=True,
            medianprops={"color": "black"},
            flierprops={"markersize": 3},
        )
        for (level, _), box in zip(levels, boxes["boxes"], strict=True):
            box.set_facecolor(STYLES[_METHODS.get(level, "dpcocgen thesis")].colour)
        place.set_yticks(
            range(1, len(levels) + 1), [_level_name(*level) for level in levels]
        )
        place.invert_yaxis()
        place.set_xlim(0, 1)
        place.set_title(f"ε = {epsilon:g}", fontsize="medium")
        place.set_xlabel(f"joint Hellinger distance, {config['n_releases']} releases")
        place.grid(alpha=0.25, axis="x")
    for place in places[len(shown) :]:
        place.remove()
    return figure


_METHODS = {BASELINE: "laplace clip", DEFAULT: "dpcocgen"}


def _level_name(level, rows):
    """What a box is of, as its axis says."""
    names = {BASELINE: "histogram, clipped", DEFAULT: "DPCocGen, default"}
    cells = int(rows["n_cells"].median())
    return names.get(level, f"thesis's, {cells:,} cells")
