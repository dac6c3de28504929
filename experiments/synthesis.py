"""What plain and private synthetic tables keep of a table, and what they tell of it.

Each method learns from a training part, 80 % of the rows in random order, and draws
`n_draws` tables of as many rows; a row of the results is a measure of one method at one
number, its mean over the draws and, under ``sd``, their standard deviation. Everything
is measured over the parts of the co-clustering's coding, see `experiments.measures`:
figures of private methods too, so that all methods stand on the same axes. References
come with each seed: real rows to learn from; fresh ones, a bootstrap copy of the
training part and its columns drawn on their own for what else is measured.

One co-clustering for each seed serves all methods that start from one: its seconds are
``fit_seconds`` of their rows, and not in ``seconds``, which is what learning and
drawing took besides, for one table on average.

Config: ``seeds``, ``n_draws``; ``[methods]``, names of
`experiments.synthesizers.METHODS` and the numbers to try (k, classes or epsilon;
``[0]`` where it takes none); ``measures``, of `experiments.measures.MEASURES`;
``classifiers`` (``bayes``, ``boosting``, ``khiops``, which is skipped where it is not
installed) and ``targets``, columns or none for all; ``domain``, a file beside the
config that declares the columns, or ``""`` without private methods; ``panels``, pairs
of what is drawn: a measure along ``k`` or ``epsilon``, or along another measure;
``[dataset]`` and ``[split]``, see `experiments.datasets`; ``[fit]``, of
`MODLCoclustering`.
"""

from pathlib import Path

import numpy as np

from coclust_synth import MODLCoclustering
from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.schema import unknown_column
from coclust_synth.validation import check_choice
from experiments.clock import Clock
from experiments.datasets import Source
from experiments.drawing import Panel, figure_of_panels
from experiments.measures import CLASSIFIERS, MEASURES, Asked, Drawn
from experiments.synthesizers import (
    CLASSES,
    EPSILON,
    FRESH,
    METHODS,
    NOTHING,
    REAL,
    K,
    given_of,
)
from experiments.tasks import SKIPPED, Fit, Skipped, Task

COLUMNS = (
    # What was tried
    "dataset",
    "method",
    "number",
    "value",
    "seed",
    "n_draws",
    # What came out
    "measure",
    "of",
    "mean",
    "sd",
    # What it took
    "fit_seconds",
    "fit_cpu_seconds",
    "seconds",
    "cpu_seconds",
)

KEYS = {
    "seeds",
    "n_draws",
    "methods",
    "measures",
    "classifiers",
    "targets",
    "domain",
    "panels",
    "split",
    "fit",
}

# Real rows where something is learnt; the others where anything else is measured.
_REFERENCES = (FRESH, "bootstrap copy", "independent columns")


def smoke(config):
    """What is different at a tiny size: one seed and draw, one number a method."""
    small = {K: [20], CLASSES: [4]}
    return {
        "seeds": config["seeds"][:1],
        "n_draws": 1,
        "methods": {
            name: small.get(METHODS[name].number, numbers[-1:])
            for name, numbers in config["methods"].items()
        },
        "targets": config["targets"][:2],
        "fit": config["fit"] | {"n_iterations": 3},
    }


def tasks(config, directory, fits):
    """What is to do: a task a method, number and seed.

    Parameters
    ----------
    config : dict
    directory : Path
        Where the config is.
    fits : Path
        Where shared co-clusterings are.

    Returns
    -------
    list of Task

    Raises
    ------
    CoclustSynthError
        If the config or its dataset cannot be used.
    """
    _check(config)
    source = Source(config["dataset"], str(directory), config["split"])
    train, _ = source.tables()
    for name in config["targets"]:
        if name not in train.columns:
            raise ParameterError(unknown_column(name, tuple(train.columns)))
    domain = Path(directory, config["domain"]) if config["domain"] else None
    references = [REAL] if "learning" in config["measures"] else []
    if config["measures"] != ["learning"]:
        references += _REFERENCES
    methods = {name: [0] for name in references} | config["methods"]
    found = []
    for seed in config["seeds"]:
        fit = Fit(source, (), config["fit"], seed)
        for name, numbers in methods.items():
            method = METHODS[name]
            for number in numbers:
                given = {
                    "dataset": config["dataset"]["name"],
                    "method": name,
                    "number": method.number,
                    "value": "" if method.number == NOTHING else number,
                    "seed": seed,
                    "n_draws": config["n_draws"],
                }
                arguments = (_asked(config), name, number, fit, fits, domain)
                needed = (fit,) if method.is_clustered else ()
                found.append(Task(given, _rows, arguments, needed))
    return found


def figure(rows, config):
    """A panel for each pair of the config."""
    rows = rows.assign(label=rows["measure"].astype(object) + rows["of"].map(_of))
    panels = [_panel(rows, along, measure) for along, measure in config["panels"]]
    return figure_of_panels([panel for panel in panels if panel is not None])


def _of(name):
    return f": {name}" if isinstance(name, str) and name else ""


def _panel(rows, along, measure):
    """What is drawn of a pair: points of each method, in order of its numbers."""
    there = rows[(rows["status"] == "ok") & (rows["label"] == measure)]
    keys = ["method", "value"]
    if along in ("k", EPSILON):
        is_level = there["number"].isna()
        lines = there[there["number"] == along].assign(value=lambda r: r["value"])
        points = lines.groupby(keys, sort=False)["mean"].mean().reset_index()
        points["x"] = points["value"].astype(float)
        levels = there[is_level].groupby("method", sort=False)["mean"].mean()
        levels = levels.drop([REAL] if "AUC" not in measure else [], errors="ignore")
    else:
        other = rows[(rows["status"] == "ok") & (rows["label"] == along)]
        means = [
            t.groupby(keys, sort=False, dropna=False)["mean"].mean()
            for t in (there, other)
        ]
        points = means[0].to_frame("mean").join(means[1].rename("x"), how="inner")
        points, levels = points.reset_index(), {}
    if points.empty:
        return None
    return Panel(points.rename(columns={"mean": "y"}), along, measure, dict(levels))


def _asked(config):
    return {name: config[name] for name in ("n_draws", *_ASKED)}


_ASKED = ("measures", "classifiers", "targets")


def _check(config):
    for name, known in (("measures", MEASURES), ("classifiers", CLASSIFIERS)):
        for value in config[name]:
            check_choice(name, value, list(known))
    for name in config["methods"]:
        check_choice("methods", name, list(METHODS))
        if METHODS[name].number == EPSILON and not config["domain"]:
            raise ParameterError(
                f"Expected a domain for the method {name!r}. Received none. Declare "
                "the columns in a file beside the config, or leave the method out."
            )
    try:
        MODLCoclustering(**config["fit"])
    except TypeError as error:
        raise ParameterError(
            "Expected arguments of MODLCoclustering in [fit]. Received something else: "
            f"{error}. Correct the config."
        ) from None


def _rows(asked, name, number, fit, fits, domain):
    """The rows of a method at one number."""
    method, given = METHODS[name], given_of(fit, fits, domain)
    took = fit.load(fits)[1] if method.is_clustered else {}
    draws_seed, judges = np.random.SeedSequence(fit.seed).spawn(2)
    seeds = draws_seed.spawn(asked["n_draws"])
    clock = Clock()
    tables = method.draw(given, number, seeds)
    n = len(tables)
    took |= {
        "seconds": round(clock.seconds() / n, 3),
        "cpu_seconds": round(clock.cpu_seconds() / n, 3),
    }
    for measure in asked["measures"]:
        is_learning = measure == "learning"
        # Real rows are there to learn from; fresh ones are those that learning is
        # tested on.
        if (name == REAL and not is_learning) or (name == FRESH and is_learning):
            continue
        for row in _measured(asked, measure, given, name, tables, judges):
            yield took | row


def _measured(asked, measure, given, name, tables, judges):
    """A row for each value of a measure; one that says so where it is skipped."""
    names = tuple(given.train.columns)
    for classifier in asked["classifiers"] if measure in _CLASSIFIED else [""]:
        of = Asked(
            names,
            given.sizes,
            given.train_codes,
            (classifier,),
            tuple(asked["targets"]) or names,
        )
        try:
            found = [
                MEASURES[measure](of, _drawn(given, name, codes, seed), seed)
                for codes, seed in zip(tables, judges.spawn(len(tables)), strict=True)
            ]
        except Skipped as reason:
            text = f"{measure}, {classifier}"
            yield {"measure": text, "status": SKIPPED, "error": str(reason)}
            continue
        for key in found[0]:
            values = [one[key] for one in found]
            yield {
                "measure": key[0],
                "of": key[1],
                "mean": round(float(np.mean(values)), 6),
                "sd": round(float(np.std(values)), 6),
            }


_CLASSIFIED = ("told apart", "learning")


def _drawn(given, name, codes, seed):
    """Fresh real rows are one half of the holdout, judged with the other one."""
    holdout = given.holdout_codes
    if name != FRESH:
        return Drawn(codes, codes, holdout)
    rng = np.random.default_rng(seed.spawn(1)[0])
    return Drawn(codes, *np.array_split(rng.permutation(holdout), 2))
