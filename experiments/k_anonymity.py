"""What k-anonymous tables of several methods keep of a table, along k.

Each method releases the whole table; the columns that are not sensitive are the
quasi-identifiers. One co-clustering of these for each seed serves all methods and k:
``fit_seconds`` is what it took, ``seconds`` what the method took besides. Clusters that
are split for a small k are kept, so that they are in the time of the first method of a
kind alone: of coc, not of coc_hg.

``smallest_class`` leaves suppressed rows out; in ``classes`` and ``c_avg`` they are one
class together. ``hellinger`` is the mean joint distance over all sets of 2 to 6
quasi-identifiers, ``hellinger_<order>`` that over the sets of one order; ``cm`` is the
classification metric of the first sensitive column. Measures are those of
`coclust_synth.evaluation.generalisation.losses` and `hellinger`.

Config: ``seeds``, ``k``, ``methods`` (of `experiments.anonymizers`), ``sensitive``
(columns, or none); ``[dataset]``, see `experiments.datasets`; ``[domain_sizes]``,
values of a column for ``arx_loss`` where they are not those of the table;
``[hierarchies]``, see `experiments.hand_made`; ``[fit]``, arguments of
`MODLCoclustering`.
"""

from dataclasses import replace

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
from experiments.datasets import load_dataset
from experiments.figures import figure_of_releases
from experiments.hand_made import hand_made_hierarchies

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
    *(f"hellinger_{order}" for order in ORDERS),
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
    "status",
    "error",
)

KEYS = {
    "experiment",
    "seeds",
    "k",
    "methods",
    "sensitive",
    "dataset",
    "domain_sizes",
    "hierarchies",
    "fit",
}

figure = figure_of_releases


def smoke(config):
    """The same config at a tiny size: first rows, one seed, two k."""
    return config | {
        "seeds": config["seeds"][:1],
        "k": [5, 100],
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
    for method in config["methods"]:
        check_choice("method", method, list(METHODS))
    try:
        MODLCoclustering(**config["fit"])
    except TypeError as error:
        raise ParameterError(
            "Expected arguments of MODLCoclustering in [fit]. Received something else: "
            f"{error}. Correct the config."
        ) from None
    table = load_dataset(config["dataset"], directory)
    for name in (*config["sensitive"], *config["domain_sizes"]):
        if name not in table.columns:
            raise ParameterError(unknown_column(name, tuple(table.columns)))
    known = table.drop(columns=config["sensitive"])
    hand_made = hand_made_hierarchies(config["hierarchies"], known, directory)
    return _rows(config, table, hand_made)


def _rows(config, table, hand_made):
    _load_kernels(config)
    known = table.drop(columns=config["sensitive"])
    for seed in config["seeds"]:
        start = {
            "dataset": config["dataset"]["name"],
            "seed": seed,
            "n_rows": len(table),
        }
        clock = Clock()
        model = MODLCoclustering(random_state=seed, **config["fit"]).fit(known)
        if model.stopped_by_ == "user":
            raise KeyboardInterrupt
        start |= {
            "fit_seconds": clock.seconds(),
            "fit_cpu_seconds": clock.cpu_seconds(),
        }
        given = Given(table, tuple(config["sensitive"]), model, hand_made, seed)
        for method in config["methods"]:
            for k in config["k"]:
                try:
                    row = _row(config, given, method, k)
                except Exception as error:
                    message = f"{type(error).__name__}: {error}"
                    row = {"status": "failed", "error": message}
                yield start | {"method": method, "k": k} | row


def _row(config, given, method, k):
    clock = Clock()
    released, known = METHODS[method](given, k)
    took = {"seconds": clock.seconds(), "cpu_seconds": clock.cpu_seconds()}
    return known | took | _measure(config, given.table, released, k) | {"status": "ok"}


def _measure(config, table, released, k):
    distances = joint_hellinger_distances(table, released, ORDERS)
    by_order = distances.groupby("order")["hellinger"].mean()
    measures = {
        "c_avg": average_class_size(released, k),
        "loss_set": information_loss(released),
        "loss_range": information_loss(released, "range"),
        "arx_loss": arx_loss(released, config["domain_sizes"]),
        "hellinger": distances["hellinger"].mean(),
        **{f"hellinger_{order}": distance for order, distance in by_order.items()},
    }
    if config["sensitive"]:
        measures["cm"] = classification_metric(released, config["sensitive"][0])
    return {name: round(float(value), 6) for name, value in measures.items()} | {
        "classes": len(released.class_sizes),
        "smallest_class": int(min(released.kept_class_sizes, default=0)),
        "dm": discernability(released),
        "suppressed_rows": int(released.suppressed.sum()),
    }


def _load_kernels(config):
    """Compile or load the kernels, so that the first fit is timed as all others."""
    table = pd.DataFrame({"a": ["x", "y"] * 50, "b": ["u", "u", "v", "v"] * 25})
    model = MODLCoclustering(n_iterations=3, random_state=0).fit(table)
    given = Given(table, (), model, {}, 0)
    given = replace(given, hand_made=given.automatic)
    for method in config["methods"]:
        METHODS[method](given, 20)
