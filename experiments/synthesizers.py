"""The methods that plain synthetic tables are drawn by, to be compared with each other.

Each takes a number: of individuals, of classes, or epsilon. The rows it learns from are
a training part; what it draws are codes of the parts of that part's coding.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.tables.domain.domain import Domain
from coclust_synth.tables.parts.coding import TableCoding
from experiments.datasets import Source
from experiments.peers.cart import CartSynthesis
from experiments.peers.installed import (
    adversarial_forest,
    data_synthesizer,
    sdv_gaussian_copula,
)
from experiments.peers.latent_classes import LatentClasses
from experiments.private import METHODS as PRIVATE_METHODS
from experiments.tasks import Fit

#: What the number of a method is.
K, CLASSES, EPSILON, NOTHING = "k", "classes", "epsilon", ""


@dataclass(frozen=True, eq=False)
class Given:
    """What a method can start from.

    Attributes
    ----------
    train : DataFrame
    holdout : DataFrame
    fit : Fit
        Of the training part.
    fits : Path
        Where its model is.
    domain : Domain or None
        Of private methods.
    """

    train: pd.DataFrame
    holdout: pd.DataFrame
    fit: Fit
    fits: Path
    domain: Domain | None

    @cached_property
    def coding(self):
        """Parts of the training part: those that the co-clustering is of."""
        options = {n: self.fit.options[n] for n in ("binning", "bins")}
        return TableCoding.learn(self.train, infer_schema(self.train), **options)

    @property
    def sizes(self):
        """Codes that each column can have; the last one is of no part."""
        return np.asarray(self.coding.n_parts_per_variable) + 1

    @cached_property
    def train_codes(self):
        return self.codes(self.train)

    @cached_property
    def holdout_codes(self):
        return self.codes(self.holdout)

    def codes(self, frame):
        """Parts of the cells of a frame; values that the training part lacks are one.

        Parameters
        ----------
        frame : DataFrame

        Returns
        -------
        ndarray of int64, shape (n, d)
        """
        codes = self.coding.encode(frame, strict=False).astype(np.int64)
        return np.where(codes < 0, self.sizes - 1, codes)


def given_of(fit, fits, domain_path):
    """What is given for a fit: read again in each worker process, once.

    Parameters
    ----------
    fit : Fit
    fits : Path
    domain_path : Path or None

    Returns
    -------
    Given
    """
    return _given_of(json.dumps(fit), fits, domain_path)


@lru_cache(maxsize=4)
def _given_of(text, fits, domain_path):
    source, without, options, seed = json.loads(text)
    fit = Fit(Source(*source), tuple(without), options, seed)
    train, holdout = fit.source.tables()
    domain = Domain.load(domain_path).select(train.columns) if domain_path else None
    return Given(train, holdout, fit, fits, domain)


class Method(NamedTuple):
    """How tables are drawn.

    Attributes
    ----------
    number : str
        What its number is: `K`, `CLASSES`, `EPSILON` or `NOTHING`.
    draw : callable
        Of `Given`, the number and seeds; gives codes of a table for each seed.
    is_clustered : bool
        Whether it starts from the co-clustering.
    """

    number: str
    draw: Callable
    is_clustered: bool = False


def _coclustered(given, k, seeds, **options):
    model, _ = given.fit.load(given.fits)
    synthesizer = CoclusterSynthesizer(
        k=k, model=model, random_state=given.fit.seed, **options
    ).fit(given.train)
    n = len(given.train)
    return [given.codes(synthesizer.sample(n, random_state=seed)) for seed in seeds]


def _of_codes(model):
    """A method that learns and draws codes."""

    def draw(given, number, seeds):
        fitted = model(number, given.fit.seed).fit(given.train_codes)
        n = len(given.train)
        return [fitted.sample(n, np.random.default_rng(seed)) for seed in seeds]

    return draw


def _of_values(release):
    """A method that learns and draws values: of (train, number, seeds), frames."""

    def draw(given, number, seeds):
        return [given.codes(frame) for frame in release(given.train, number, seeds)]

    return draw


def _private(name):
    """A private method, which learns anew for each draw; its noise has no seed."""

    def draw(given, epsilon, seeds):
        releases = (
            PRIVATE_METHODS[name](epsilon, given.domain).fit(given.train) for _ in seeds
        )
        return [given.codes(release.sample()) for release in releases]

    return draw


def _real_rows(given, _, _seeds):
    return [given.train_codes]


def _fresh_rows(given, _, seeds):
    return [given.holdout_codes for _ in seeds]


def _copy(given, _, seeds):
    return [_again(given.train_codes, np.random.default_rng(seed)) for seed in seeds]


def _independent(given, _, seeds):
    rngs = map(np.random.default_rng, seeds)
    return [
        np.column_stack([_again(column, rng) for column in given.train_codes.T])
        for rng in rngs
    ]


def _again(rows, rng):
    return rows[rng.integers(0, len(rows), len(rows))]


_INDEPENDENT = {"within": "independent", "cut": "even"}
_UNEVEN = _INDEPENDENT | {"cut": "uneven"}

#: The holdout itself, whose halves are told from each other.
FRESH = "fresh real rows"
#: Rows that models learn from to be compared with; near to themselves in all else.
REAL = "real rows"

METHODS = {
    REAL: Method(NOTHING, _real_rows),
    FRESH: Method(NOTHING, _fresh_rows),
    "bootstrap copy": Method(NOTHING, _copy),
    "independent columns": Method(NOTHING, _independent),
    "thesis": Method(K, partial(_coclustered, **_INDEPENDENT), True),
    "thesis uneven": Method(K, partial(_coclustered, **_UNEVEN), True),
    "cluster margins": Method(
        K, partial(_coclustered, marginals="cluster", **_INDEPENDENT), True
    ),
    "trees": Method(K, _coclustered, True),
    "cart": Method(K, _of_codes(CartSynthesis)),
    "latent classes": Method(CLASSES, _of_codes(LatentClasses)),
    "dpcocgen": Method(EPSILON, _private("dpcocgen")),
    "privbayes": Method(EPSILON, _private("privbayes")),
    "aim": Method(EPSILON, _private("aim")),
    "mst": Method(EPSILON, _private("mst")),
    "aim dpmm": Method(EPSILON, _private("aim dpmm")),
    "mst dpmm": Method(EPSILON, _private("mst dpmm")),
    "independent margins": Method(EPSILON, _private("independent")),
    "data synthesizer": Method(EPSILON, _of_values(data_synthesizer)),
    "adversarial forest": Method(NOTHING, _of_values(adversarial_forest)),
    "gaussian copula": Method(NOTHING, _of_values(sdv_gaussian_copula)),
}
