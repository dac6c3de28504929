"""Figures of other tools on made-up tables, and the tables that they are of.

SDMetrics is asked where it is installed (``pip install 'coclust-synth[crosscheck]'``).
Anonymeter takes numpy below 2 and cannot be beside this package: in an environment of
its own ::

    pip install sdmetrics anonymeter
    python tests/support/crosscheck.py > tests/golden/crosscheck.json

writes the figures of both. This file imports nothing of this package.
"""

import json
import sys
import warnings
from importlib.metadata import version

import numpy as np
import pandas as pd

NAMES = ["town", "job", "ill", "smokes", "sex"]
SIZES = (6, 5, 4, 3, 2)
SECRET = "sex"
# Columns of so many values that half a row is hardly anybody else's.
WIDE = [f"v{k}" for k in range(6)]
HALVES = (WIDE[:3], WIDE[3:])
N_ATTACKS = 600


def categories(n, seed):
    """Rows of five columns of categories that depend on each other."""
    rng = np.random.default_rng(seed)
    town = rng.integers(0, SIZES[0], n)
    columns = [town]
    for k, size in enumerate(SIZES[1:], start=1):
        same = (columns[-1] * (k + 1) + town) % size
        columns.append(np.where(rng.random(n) < 0.6, same, rng.integers(0, size, n)))
    texts = [
        [f"{name}{code}" for code in own]
        for name, own in zip(NAMES, columns, strict=True)
    ]
    return pd.DataFrame(dict(zip(NAMES, texts, strict=True)))


def wide(n, seed):
    """Rows of columns of many values."""
    codes = np.random.default_rng(seed).integers(0, 40, (n, len(WIDE)))
    return pd.DataFrame(codes, columns=WIDE).astype(str).radd("c")


def numbers(n, seed, slope=1.0):
    """Two numbers that depend on each other, some missing."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n).round(3)
    y = (slope * x + rng.normal(size=n)).round(3)
    return pd.DataFrame({"x": np.where(rng.random(n) < 0.1 * slope, np.nan, x), "y": y})


def tables(make=categories):
    """Real rows, rows kept aside, and releases: other rows, a copy, half a copy."""
    real, holdout, fresh = (make(700, seed) for seed in (0, 1, 2))
    half = pd.concat([real[:350], fresh[350:]], ignore_index=True)
    copy = real.sample(frac=1, random_state=0).reset_index(drop=True)
    return real, holdout, {"fresh": fresh, "copy": copy, "half": half}


def of_sdmetrics():
    """Figures of SDMetrics: without drawing, but for the distances to closest rows."""
    from sdmetrics.column_pairs import ContingencySimilarity, CorrelationSimilarity
    from sdmetrics.single_column import MissingValueSimilarity, TVComplement
    from sdmetrics.single_table import DCROverfittingProtection, NewRowSynthesis

    real, holdout, releases = tables()
    metadata = {"columns": {name: {"sdtype": "categorical"} for name in NAMES}}
    found = {}
    for name, release in releases.items():
        pair = [real[["town", "job"]], release[["town", "job"]]]
        found[name] = {
            "tv": TVComplement.compute(real["town"], release["town"]),
            "tv_of_pair": ContingencySimilarity.compute(*pair),
            "new_rows": NewRowSynthesis.compute(real, release, metadata),
            "closest": DCROverfittingProtection.compute(
                real, release, holdout, {"tables": {"people": metadata}}, "people"
            ),
        }
    one, other = numbers(400, 0), numbers(500, 1, slope=0.5)
    found["numbers"] = {
        "correlation": CorrelationSimilarity.compute(
            one.dropna(), other.dropna(), coefficient="Pearson"
        ),
        "missing": MissingValueSimilarity.compute(one["x"], other["x"]),
    }
    return {"versions": {"sdmetrics": version("sdmetrics")}} | found


def of_anonymeter():
    """Shares of guesses that are right, of rows learnt from and of others."""
    from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator

    def asked(evaluator, make, **options):
        real, holdout, releases = tables(make)
        for name, release in releases.items():
            np.random.seed(0)  # noqa: NPY002 - the tool draws from it
            own = {"ori": real, "syn": release, "control": holdout}
            attack = evaluator(**own, **options, n_attacks=N_ATTACKS)
            results = attack.evaluate(n_jobs=1).results()
            yield (
                name,
                {
                    "attack": results.attack_rate.value,
                    "control": results.control_rate.value,
                    "risk": results.risk().value,
                },
            )

    known = [name for name in NAMES if name != SECRET]
    found = {
        "inference": dict(
            asked(InferenceEvaluator, categories, aux_cols=known, secret=SECRET)
        ),
        "linkability": dict(
            asked(LinkabilityEvaluator, wide, aux_cols=HALVES, n_neighbors=1)
        ),
    }
    return {"versions": {"anonymeter": version("anonymeter")}} | found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    figures = {"sdmetrics": of_sdmetrics(), "anonymeter": of_anonymeter()}
    json.dump(figures, sys.stdout, indent=1)
    print()
