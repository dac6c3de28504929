"""How good, and how telling, plain synthetic tables are along the dendrogram.

One fit for each seed and form of the marginals serves all k from the smallest cluster
of the best grid on: the grid is cut where its clusters of individuals hold at least k.
A smaller k takes a fit of its own, from the same seed. Each draw has as many rows as
the training part. Everything is measured over the parts of the fitted model:

- distances between margins and those of the training part; a row holds their mean over
  all sets of variables of one order and all draws;
- how well boosting tells the draws from the holdout, and the nearest drawn row tells
  individuals of the training part from the holdout: areas under the ROC curve, means
  over all draws. The rows of all orders repeat them.

The same for rows that nothing was fitted for, see `experiments.measures`: fresh real
rows, a bootstrap copy of the training part, and its columns drawn on their own.

Config: ``seeds``, ``n_draws``, ``marginals``, ``k`` (numbers, ``"best"`` for the grid
as it was found and ``"n"`` for all individuals), ``orders``; ``[dataset]``, see
`experiments.datasets`; ``[split]`` with ``train`` and ``seed``; ``[fit]``, arguments of
`CoclusterSynthesizer`. Search, draws, boosting and references have seeds of their own,
spawned from each of ``seeds``; they are the same for all marginals and k, whose
differences have less noise for it.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.schema import LISTED_KINDS
from experiments.clock import Clock
from experiments.datasets import load_dataset, split_rows
from experiments.figures import figure_along_k
from experiments.measures import areas, distances_by_order, references

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
    "real_vs_synthetic_auc",
    "real_vs_synthetic_auc_sd",
    "membership_auc",
    "membership_auc_sd",
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
        CoclusterSynthesizer(k=1, within="independent", **config["fit"])
        table = load_dataset(config["dataset"], directory)
        train, holdout = split_rows(table, **config["split"])
    except TypeError as error:
        raise ParameterError(
            "Expected arguments of CoclusterSynthesizer in [fit], train and seed in "
            f"[split]. Received something else: {error}. Correct the config."
        ) from None
    binning = config["fit"].keys() & {"binning", "bins", "cuts"}
    coding = TableCoding.learn(
        train, infer_schema(train), **{name: config["fit"][name] for name in binning}
    )
    holdout = _without_new_categories(holdout, train, coding.schema)
    split = _Split(train, coding, coding.encode(train), coding.encode(holdout))
    return _rows(config, split)


def _without_new_categories(holdout, train, schema):
    """The holdout, with categories that the training part lacks as missing values."""
    listed = [column.name for column in schema.columns if column.kind in LISTED_KINDS]
    known = {
        name: holdout[name].where(holdout[name].isin(train[name])) for name in listed
    }
    return holdout.assign(**known)


@dataclass(frozen=True)
class _Split:
    """The training part, and both parts in the coding that every fit learns."""

    train: pd.DataFrame
    coding: TableCoding
    train_codes: np.ndarray
    holdout_codes: np.ndarray


class _Seeds:
    """What one seed of the config spawns."""

    def __init__(self, seed, n_draws):
        spawned = np.random.SeedSequence(seed).spawn(4)
        self.search, draws, boosting, self.references = spawned
        self.draws, self.boosting = draws.spawn(n_draws), boosting.spawn(n_draws)


def _rows(config, split):
    _load_kernels()
    for seed in config["seeds"]:
        seeds = _Seeds(seed, config["n_draws"])
        given = {
            "dataset": config["dataset"]["name"],
            "seed": seed,
            "n_draws": config["n_draws"],
        }
        for row in _rows_of_references(config, split, seeds):
            yield given | row
        for marginals in config["marginals"]:
            given |= {
                "method": "plain",
                "marginals": marginals,
                "n_rows": len(split.train),
            }
            for row in _rows_of_fit(config, split, marginals, seeds):
                yield given | row


def _rows_of_references(config, split, seeds):
    rng = np.random.default_rng(seeds.references)
    parts = split.train_codes, split.holdout_codes
    for reference in references(*parts, config["n_draws"], rng):
        given = {"method": reference.method, "n_rows": len(reference.draws[0])}
        try:
            found = _measure(config, split, reference.draws, reference.pairs, seeds)
        except Exception as error:
            found = _failures(config["orders"], error)
        for row in found:
            yield given | row


def _rows_of_fit(config, split, marginals, seeds):
    # The best grid as it is, which all larger k are cut from.
    fit = {"within": "independent", "marginals": marginals, **config["fit"]}
    synthesizer = CoclusterSynthesizer(k=1, random_state=seeds.search, **fit)
    try:
        fitted = _fit(synthesizer, split.train)
    except Exception as error:
        for k in config["k"]:
            for row in _failures(config["orders"], error):
                yield {"k": k} | row
        return
    best, smallest = (synthesizer, fitted), synthesizer.model_.smallest_cluster
    for k in config["k"]:
        try:
            synthesizer, fitted = best
            if isinstance(k, int) and 2 <= k < smallest:
                # Finer than the best grid: a fit of its own, from the same seed.
                synthesizer = CoclusterSynthesizer(
                    k=k, random_state=seeds.search, **fit
                )
                fitted = _fit(synthesizer, split.train)
            draws, facts = _draw(synthesizer, split, k, seeds.draws)
            pairs = [(split.holdout_codes, drawn) for drawn in draws]
            found = _measure(config, split, draws, pairs, seeds)
            fitted = fitted | facts
        except Exception as error:
            found = _failures(config["orders"], error)
        for row in found:
            yield {"k": k} | fitted | row


def _failures(orders, error):
    message = f"{type(error).__name__}: {error}"
    return [{"order": order, "status": "failed", "error": message} for order in orders]


def _measure(config, split, draws, pairs, seeds):
    """A row for each order."""
    told = areas(split.train_codes, pairs, seeds.boosting)
    by_order = distances_by_order(split.train_codes, draws, config["orders"])
    return [
        {"order": order, "status": "ok"} | distances | told
        for order, distances in by_order.items()
    ]


def _fit(synthesizer, train):
    clock = Clock()
    synthesizer.fit(train)
    model = synthesizer.coclustering_
    if model.stopped_by_ == "user":
        raise KeyboardInterrupt
    return {
        "iterations": model.n_iter_,
        "stopped_by": model.stopped_by_,
        "fit_seconds": clock.seconds(),
        "fit_cpu_seconds": clock.cpu_seconds(),
    }


def _draw(synthesizer, split, k, draw_seeds):
    """Tables drawn from the grid cut at k, as codes, and what that grid is."""
    model = synthesizer.model_
    at_least = {"best": 1, "n": model.n_individuals}.get(k, k)
    if k != "best":
        model = model.coarsened(at_least)
    clock, draws = Clock(), []
    for seed in draw_seeds:
        size = None if k == "best" else at_least
        draws.append(synthesizer.sample(len(split.train), k=size, random_state=seed))
    n_draws = len(draws)
    facts = {
        "row_clusters": model.dendrogram.cells.shape[0],
        "column_clusters": model.dendrogram.cells.shape[1],
        "smallest_cluster": model.smallest_cluster,
        "cost": round(float(model.dendrogram.costs[0]), 3),
        "information": round(float(model.dendrogram.information[0]), 6),
        "draw_seconds": round(clock.seconds() / n_draws, 3),
        "draw_cpu_seconds": round(clock.cpu_seconds() / n_draws, 3),
    }
    return list(map(split.coding.encode, draws)), facts


def _load_kernels():
    """Compile or load the kernels, so that the first fit is timed as all others."""
    table = pd.DataFrame({"a": ["x", "y"] * 50, "b": ["u", "u", "v", "v"] * 25})
    fast = {"within": "independent", "n_iterations": 3, "random_state": 0}
    CoclusterSynthesizer(**fast).fit(table).sample()
