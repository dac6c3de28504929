"""How far plain synthetic tables are from the training part, along the hierarchy.

One fit for each seed and form of the marginals serves all k: the grid is cut where its
clusters of individuals hold at least k. Each draw has as many rows as the training
part. Distances are total variations between margins, over the parts of the fitted
model; a row holds their mean over all sets of variables of one order and all draws.

Config: ``seeds``, ``n_draws``, ``marginals``, ``k`` (numbers, ``"best"`` for the grid
as it was found and ``"n"`` for all individuals), ``orders``; ``[dataset]``, see
`experiments.datasets`; ``[split]`` with ``train`` and ``seed``; ``[fit]``, arguments of
`CoclusterSynthesizer`. Search and draws have seeds of their own, spawned from each of
``seeds``; they are the same for all marginals and k, whose differences have less noise
for it.
"""

import time

import numpy as np
import pandas as pd

from coclust_synth import CoclusterSynthesizer
from coclust_synth.evaluation.margins import (
    mean_margin_distances,
    table_margin_distances,
)
from coclust_synth.exceptions import ParameterError
from experiments.datasets import load_dataset, split_rows
from experiments.figures import figure_along_k

COLUMNS = (
    # What was tried
    "dataset",
    "method",
    "marginals",
    "k",
    "seed",
    "n_rows",
    "n_draws",
    "order",
    # What came out; costs in nats
    "total_variation",
    "total_variation_sd",
    "hellinger",
    "row_clusters",
    "column_clusters",
    "smallest_cluster",
    "cost",
    "information",
    # What it took; of the fit, and of one draw on average
    "iterations",
    "stopped_by",
    "fit_seconds",
    "fit_cpu_seconds",
    "draw_seconds",
    "draw_cpu_seconds",
    "status",
    "error",
)

KEYS = {
    "experiment",
    "seeds",
    "n_draws",
    "marginals",
    "k",
    "orders",
    "dataset",
    "split",
    "fit",
}

figure = figure_along_k


def smoke(config):
    """The same config at a tiny size: first rows, one seed and draw, two k."""
    return config | {
        "seeds": config["seeds"][:1],
        "n_draws": 1,
        "k": ["best", "n"],
        "dataset": config["dataset"] | {"rows": 500},
        "fit": config["fit"] | {"n_iterations": 3},
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
        If the config or its dataset cannot be used; at once, not by the iterator.
    """
    try:
        CoclusterSynthesizer(**config["fit"])
        table = load_dataset(config["dataset"], directory)
        train = split_rows(table, **config["split"])
    except TypeError as error:
        raise ParameterError(
            "Expected arguments of CoclusterSynthesizer in [fit], train and seed in "
            f"[split]. Received something else: {error}. Correct the config."
        ) from None
    return _rows(config, train)


def _rows(config, train):
    _load_kernels()
    for seed in config["seeds"]:
        for marginals in config["marginals"]:
            given = {
                "dataset": config["dataset"]["name"],
                "method": "plain",
                "marginals": marginals,
                "seed": seed,
                "n_rows": len(train),
                "n_draws": config["n_draws"],
            }
            for row in _rows_of_fit(config, train, marginals, seed):
                yield given | row


def _rows_of_fit(config, train, marginals, seed):
    search_seed, draws_seed = np.random.SeedSequence(seed).spawn(2)
    draw_seeds = draws_seed.spawn(config["n_draws"])
    synthesizer = CoclusterSynthesizer(
        marginals=marginals, random_state=search_seed, **config["fit"]
    )
    try:
        fitted = _fit(synthesizer, train)
    except Exception as error:
        for k in config["k"]:
            yield from _failures(k, config["orders"], error)
        return
    best, smallest = (synthesizer, fitted), synthesizer.model_.smallest_cluster
    for k in config["k"]:
        try:
            synthesizer, fitted = best
            if isinstance(k, int) and 2 <= k < smallest:
                # Finer than the best grid: a fit of its own, from the same seed.
                synthesizer = CoclusterSynthesizer(
                    k=k, marginals=marginals, random_state=search_seed, **config["fit"]
                )
                fitted = _fit(synthesizer, train)
            model, found = _draw(synthesizer, train, k, draw_seeds, config["orders"])
        except Exception as error:
            for row in _failures(k, config["orders"], error):
                yield row | fitted
            continue
        for order, distances in found.items():
            row = {"k": k, "order": order, "status": "ok"}
            yield row | distances | fitted | model


def _failures(k, orders, error):
    message = f"{type(error).__name__}: {error}"
    for order in orders:
        yield {"k": k, "order": order, "status": "failed", "error": message}


def _fit(synthesizer, train):
    clock = _Clock()
    synthesizer.fit(train)
    search = synthesizer.search_
    if search.stopped_by == "user":
        raise KeyboardInterrupt
    return {
        "iterations": search.n_iterations,
        "stopped_by": search.stopped_by,
        "fit_seconds": clock.seconds(),
        "fit_cpu_seconds": clock.cpu_seconds(),
    }


def _draw(synthesizer, train, k, draw_seeds, orders):
    """What the grid cut at k is, and by order how far its draws are."""
    model = synthesizer.model_
    at_least = {"best": 1, "n": model.n_individuals}.get(k, k)
    if k != "best":
        model = model.coarsened(at_least)
    clock, draws = _Clock(), []
    for seed in draw_seeds:
        size = None if k == "best" else at_least
        draws.append(synthesizer.sample(len(train), k=size, random_state=seed))
    n_draws = len(draws)
    facts = {
        "row_clusters": model.hierarchy.cells.shape[0],
        "column_clusters": model.hierarchy.cells.shape[1],
        "smallest_cluster": model.smallest_cluster,
        "cost": round(float(model.hierarchy.costs[0]), 3),
        "information": round(float(model.hierarchy.information[0]), 6),
        "draw_seconds": round(clock.seconds() / n_draws, 3),
        "draw_cpu_seconds": round(clock.cpu_seconds() / n_draws, 3),
    }
    means = [
        mean_margin_distances(
            table_margin_distances(train, drawn, model.coding, orders=orders)
        )
        for drawn in draws
    ]
    found = {}
    for order in orders:
        variations = [mean[order]["total_variation"] for mean in means]
        hellingers = [mean[order]["hellinger"] for mean in means]
        found[order] = {
            "total_variation": round(float(np.mean(variations)), 7),
            "total_variation_sd": round(float(np.std(variations)), 7),
            "hellinger": round(float(np.mean(hellingers)), 7),
        }
    return facts, found


def _load_kernels():
    """Compile or load the kernels, so that the first fit is timed as all others."""
    table = pd.DataFrame({"a": ["x", "y"] * 50, "b": ["u", "u", "v", "v"] * 25})
    CoclusterSynthesizer(n_iterations=3, random_state=0).fit(table).sample()


class _Clock:
    """Seconds since it was made."""

    def __init__(self):
        self._start = time.perf_counter()
        self._cpu_start = time.process_time()

    def seconds(self):
        return round(time.perf_counter() - self._start, 3)

    def cpu_seconds(self):
        return round(time.process_time() - self._cpu_start, 3)
