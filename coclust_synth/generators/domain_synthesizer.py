"""What differentially private generators share: a domain, a ledger, a fit."""

import math
import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import copy
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from coclust_synth.exceptions import DataWarning, ParameterError
from coclust_synth.generators.release_plan import ReleasePlan, noise_released
from coclust_synth.privacy.noise.asked import LEAST_EPSILON, check_delta
from coclust_synth.privacy.noise.concentrated import rho_of
from coclust_synth.privacy.noise.ledger import PrivacyLedger
from coclust_synth.scale.engines import is_engine_table, open_source
from coclust_synth.tables.domain.conditions import DomainConditions
from coclust_synth.tables.domain.domain import FROM_DATA, Domain, as_domain
from coclust_synth.tables.domain.rows import DomainRows
from coclust_synth.tables.reading.native import in_library, library_of
from coclust_synth.tables.reading.table import read_texts
from coclust_synth.validation import (
    Seed,
    check_fitted,
    check_integer,
    check_number,
    check_seed,
    set_feature_names,
)

# Rows that are tried, at most: so many for each one asked for, and for few of them.
_TRIES_A_ROW, _MIN_TRIES = 1000, 1_000_000
_CHUNK = 100_000  # rows tried at a time
_LEAST_ROWS = 1.0  # that meet conditions, of those of the table, by the model
_LARGE_DELTA = 1e-6


@dataclass(eq=False, repr=False)
class DomainSynthesizer(BaseEstimator, ABC):
    """A generator that sees a declared domain, and the table through a ledger only.

    Attributes
    ----------
    n_features_in_, feature_names_in_
        Of the columns of the domain, as in every estimator of scikit-learn.
    """

    epsilon: float
    domain: Domain | str | os.PathLike[str] | Mapping[str, Any]
    _: KW_ONLY
    neighbours: str = "add-remove"
    rows_per_person: int = 1
    delta: float | None = field(default=None, init=False)

    def fit(self, table: pd.DataFrame | str | os.PathLike[str]) -> Self:
        """Measure a table, spending all of epsilon.

        Parameters
        ----------
        table : DataFrame, path, or what `open_source` takes
            With the columns of the domain; others are left out. A folder of Parquet
            files, a table of ibis or of a base, and a `CountSource` are counted where
            they are, exactly: the same integers get the same noise. What the engine
            keeps of its queries is outside of the budget. A frame of polars,
            pyarrow or another library is read as cells of the same values. Of any
            number of rows: to refuse few would tell them from one more. A file is read
            by `read_texts`; a DataFrame that a reader typed by whole columns, as
            `read_table` does, is protected only from there on.

        Returns
        -------
        self

        Raises
        ------
        ParameterError, TableError
            Before any noise is drawn.

        Warns
        -----
        DataWarning
            If the domain was taken from data, or where the release is mostly noise, by
            the noisy number of rows (see `rows_of_noise`): nothing is spent on it.
        """
        self.domain_ = as_domain(self.domain)
        self._check()
        is_counted = is_engine_table(table)
        if is_counted and not self._takes_counts():
            raise ParameterError(
                "Expected DPCocGen with a variant that needs counts alone, such as "
                "the default one, for a table that an engine counts. Received "
                f"{type(self).__name__} with one that needs the rows one by one, or "
                "another method. Choose another, or give a table that is read into "
                "memory."
            )
        library = None if is_counted else library_of(table)
        if not is_counted and isinstance(table, str | os.PathLike):
            laid_out = self.domain_.laid_out_numbers
            table = read_texts(table, self.domain_.names, laid_out=laid_out)
        ledger = self._ledger()
        codes: np.ndarray | DomainRows
        if is_counted:
            codes = open_source(table).domain_rows(self.domain_)
        else:
            codes = self.domain_.encode(table)
        if self.domain_.from_data:
            warnings.warn(
                "Expected a domain declared without the data. Received one that was "
                f"read from the data. The release is {FROM_DATA}. Declare it from "
                "documentation.",
                DataWarning,
                stacklevel=2,
            )
        # What an earlier fit learnt is gone from here on; the ledger of a fit that is
        # interrupted stays, and says what it spent.
        self.__dict__.pop("n_rows_", None)
        self.ledger_ = ledger
        self.library_ = library
        set_feature_names(self, self.domain_.names)
        self.n_rows_ = self._measure(codes, ledger)
        below = self.rows_of_noise()
        if below is not None and self.n_rows_ < below:
            told = noise_released(below, len(self.domain_.names))
            warnings.warn(told, DataWarning, stacklevel=2)
        return self

    def plan(self, expected_rows: int) -> ReleasePlan:
        """What `fit` would measure of a table of about so many rows; nothing is spent.

        The number of rows must be public, or a guess: what depends on the table's own
        is outside of epsilon. A fit that goes by the number of rows asks it with noise,
        and may then decide otherwise.

        Parameters
        ----------
        expected_rows : int
            From 1.

        Returns
        -------
        ReleasePlan
            Queries with share and scale, and expected errors.

        Raises
        ------
        ParameterError
            As `fit` does of parameters; for variants of which no plan is made.

        Examples
        --------
        >>> from coclust_synth import DPCocGen
        >>> domain = {"sex": ["F", "M"], "smokes": ["no", "yes"]}
        >>> plan = DPCocGen(1.0, domain).plan(1000)
        >>> plan.path, plan.least_rows, [query.what for query in plan.queries[:2]]
        ('histogram', 26, ['rows', 'values of sex'])
        """
        planned = copy(self)
        planned.domain_ = as_domain(self.domain)
        planned._check()
        check_integer("expected_rows", expected_rows, minimum=1)
        return planned._plan(expected_rows, planned._ledger())

    def _ledger(self):
        """The whole budget, nothing spent; `domain_` is there."""
        return PrivacyLedger(
            self.epsilon,
            delta=self.delta,
            neighbours=self.neighbours,
            rows_per_person=self.rows_per_person,
        )

    def __sklearn_is_fitted__(self):
        return hasattr(self, "n_rows_")

    def sample(
        self,
        n: int | None = None,
        *,
        given: str | None = None,
        where: str | None = None,
        random_state: Seed = None,
    ) -> pd.DataFrame:
        """Draw synthetic rows; this costs nothing, and can be repeated.

        Parameters
        ----------
        n : int, optional
            By default the noisy number of rows of the table, `n_rows_`.
        given : str, optional
            Conditions on single columns that all rows are to meet, such as
            ``"sex=F, age>=60"``; see
            `coclust_synth.tables.conditions`. They are
            declared, and what is drawn is the model's distribution under them: nothing
            is spent. Categories are written as the domain has them.
        where : str, optional
            Conditions between columns too, such as ``"left <= came + 30"``.
        random_state : int, SeedSequence, Generator or None, default=None
            Of the draws from the noisy model. The noise itself has no seed.

        Returns
        -------
        DataFrame
            The columns of the domain, rows in random order; of the library whose frame
            was fitted, by default pandas.

        Raises
        ------
        NotFittedError
            Before `fit`.
        ParameterError
            If `n` or `random_state` is outside its range, if conditions do not read,
            or if hardly any row of the model meets them.
        """
        check_fitted(self, "n_rows_")
        if n is not None:
            check_integer("n", n, minimum=0)
        check_seed("random_state", random_state)
        n = self.n_rows_ if n is None else n
        rng = np.random.default_rng(random_state)
        if given is not None or where is not None:
            conditions = DomainConditions(self.domain_, given, where)
            frame = draw_given(self, conditions, n, rng)
        else:
            frame = self.domain_.decode(self._draw(n, rng), rng)
        return in_library(frame, self.library_)

    def rows_of_noise(self) -> int | None:
        """Rows below which a release is mostly noise, by the domain and the budget.

        Returns
        -------
        int or None
            As `ReleasePlan.rows_of_noise`; None where no rule tells.

        Raises
        ------
        NotFittedError
            Before `fit`.
        """
        check_fitted(self, "n_rows_")
        return self._rows_of_noise(self.ledger_)

    def _rows_of_noise(self, ledger):
        """The same of a ledger; `domain_` is there."""
        return None

    def _takes_counts(self):
        """Whether counts are all that it asks of the rows."""
        return False

    @abstractmethod
    def _check(self):
        """Refuse parameters, and domains, that cannot be used."""

    @abstractmethod
    def _plan(self, n_rows, ledger):
        """The plan of a fit; `domain_` is there, and parameters are checked."""

    @abstractmethod
    def _measure(self, codes, ledger):
        """Learn what `_draw` needs from noisy numbers only; returns `n_rows_`.

        `codes` is an ndarray of shape (n, d), or, where `_takes_counts`, DomainRows.
        """

    @abstractmethod
    def _draw(self, n, rng):
        """Codes of n rows, (n, d), in random order."""

    def _given(self, allowed):
        """What draws rows of allowed cells, and which share of the rows these are.

        Where a model does not know better, those that it draws of all: the others are
        dropped.

        Parameters
        ----------
        allowed : list of ndarray of bool, shape (size,)
            For each column.

        Returns
        -------
        draw : callable or None
            Of a number of rows to try and a generator to their codes, perhaps of fewer;
            None where there is no such row.
        share : float
            Of all rows, that those tried are of.
        """

        def draw(n, rng):
            codes = self._draw(n, rng)
            each = zip(allowed, codes.T, strict=True)
            return codes[np.all([of[column] for of, column in each], axis=0)]

        return draw, 1.0


def check_small_delta(delta, large_delta):
    """Refuse a delta that is no probability, or a large one that was not meant.

    Parameters
    ----------
    delta : float
    large_delta : bool
        Whether a delta above 1e-6 is meant.

    Raises
    ------
    ParameterError
    """
    check_delta(delta)
    if delta > _LARGE_DELTA and not large_delta:
        raise ParameterError(
            f"Expected a delta of at most {_LARGE_DELTA:g}, or a confirmation of a "
            f"larger one. Received {delta:g}, which is about the chance that a person "
            "is given away. Choose a smaller one, or confirm it by --large-delta "
            "(large_delta=True in Python)."
        )


def check_budget(epsilon, delta, least_share):
    """Refuse a budget of which some query would get less than a ledger takes.

    Parameters
    ----------
    epsilon : float
    delta : float or None
    least_share : float
        Of the budget, that any query gets.

    Raises
    ------
    ParameterError
    """
    check_number("epsilon", epsilon, minimum=LEAST_EPSILON / least_share)
    if delta is not None:
        rho = rho_of(epsilon, delta)
        if rho * least_share < LEAST_EPSILON:
            raise ParameterError(
                "Expected an epsilon and a delta that give a rho of at least "
                f"{LEAST_EPSILON / least_share:.3g}. Received a rho of {rho:.3g}. "
                "Choose a larger epsilon, or leave delta out."
            )


def draw_given(generator, conditions, n, rng):
    """Draw rows that meet conditions.

    What single columns must be is taken in advance where the model can; what that
    leaves open (a condition that parts a bin, or one between columns) by rejection. So
    rows have the model's distribution under the conditions.

    Parameters
    ----------
    generator : DomainSynthesizer
        Fitted.
    conditions : DomainConditions
    n : int
    rng : numpy.random.Generator

    Returns
    -------
    DataFrame of n rows

    Raises
    ------
    ParameterError
        If fewer than one of the table's rows meets them by the model, or too few of the
        rows that are tried.
    """
    draw, share = generator._given(conditions.allowed())
    if share * generator.n_rows_ < _LEAST_ROWS:
        _refuse(share * generator.n_rows_, generator)
    most = max(_MIN_TRIES, _TRIES_A_ROW * n)
    found, n_found, n_tried = [], 0, 0
    while n_found < n:
        if n_tried >= most:
            _refuse(generator.n_rows_ * share * n_found / n_tried, generator)
        rate = (n_found + 1) / (n_tried + 1)
        size = min(math.ceil(1.1 * (n - n_found) / rate), _CHUNK, most - n_tried)
        codes = draw(size, rng)
        frame = generator.domain_.decode(codes, rng)
        frame = frame[conditions.met(codes, frame)]
        found.append(frame[: n - n_found])
        n_found += len(found[-1])
        n_tried += size
    return pd.concat(found or [_no_rows(generator, rng)], ignore_index=True)


def _no_rows(generator, rng):
    codes = np.zeros((0, len(generator.domain_.names)), dtype=np.int32)
    return generator.domain_.decode(codes, rng)


def _refuse(expected, generator):
    ledger = generator.ledger_
    delta = f" and delta {ledger.delta:g}" if ledger.delta else ""
    raise ParameterError(
        "Expected conditions that rows of the model meet, as far as noisy counts can "
        f"tell. Received some that about {expected:.2g} of {generator.n_rows_:,} rows "
        "meet. Loosen the conditions: drawing other rows from the same fit costs "
        f"nothing. The epsilon {ledger.epsilon:g}{delta} of this fit is spent, "
        "whether its rows are released or not."
    )
