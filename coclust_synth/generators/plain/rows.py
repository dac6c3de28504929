"""Rows of a model, all that it draws or those that meet conditions.

Rows that meet conditions are drawn by rejection, from proposals that follow the model
under what of the conditions it can take in advance: where variables are independent,
clusters weighted by how often they meet the conditions on single columns, and the parts
that can meet them. So the rows kept have the model's distribution under the conditions.
Where variables have trees, a row is dropped with the first column that breaks one. So
are rows then that no rule allows, which without conditions are drawn again: where many
are, as may be in some clusters more than in others, rows are drawn as they are without
conditions, and dropped at the end.

Persons of several rows are drawn whole, as without conditions, and left out where one
of their rows does not meet these, see `persons.asked`; k persons are to meet them then.
"""

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import pandas as pd

from coclust_synth.exceptions import DataWarning, ParameterError
from coclust_synth.generators.draws import allot, draw_categories, even_points
from coclust_synth.generators.plain.each_value import EachValue
from coclust_synth.generators.plain.persons.asked import (
    Lots,
    first_of_each_person,
    varying,
)
from coclust_synth.generators.plain.persons.persons import PersonStructure
from coclust_synth.generators.plain.structured.drawing.rows import (
    draw_rows,
    share_broken,
)
from coclust_synth.tables.column import Column
from coclust_synth.tables.conditions.comparisons import Comparison, SumComparison
from coclust_synth.tables.conditions.parsing import (
    names_in,
    parse_given,
    parse_number_each,
    parse_where,
)
from coclust_synth.tables.parts.folded.open_ends import OpenEnds
from coclust_synth.tables.parts.folded.spelt import Spelt
from coclust_synth.tables.values.columns import examples
from coclust_synth.validation import check_integer, n_values

# Rows that are tried, at most: so many for each one asked for, and for few of them.
TRIES_A_ROW, MIN_TRIES = 1000, 2_000_000
# Rows that can be asked for: of more, no memory holds a column.
_MAX_ROWS = 10**12
# Rows tried at a time.
_CHUNK = 200_000
# How many people meet conditions is counted among rows of which as many as this would
# meet them if k did, and at least so many rows, of a seed of their own: the same
# conditions are refused each time.
_EXPECTED, _MIN_TRIED, _TRIED_SEED = 25, 10_000, 0
# Rows that no rule allows are few if of some rows they are this share.
_FEW_BROKEN, _N_BROKEN = 0.005, 10_000


def _names(own):
    """Columns that a condition is on, or the one that has rows for each value."""
    return (own.name,) if isinstance(own, Column) else getattr(own, "names", ())


def _parsed(parse, text, model, *told):
    """What a text asks of rows, but for what is made anew, as keys and persons are.

    Of some of these rows have other numbers when they are drawn, of others none.
    """
    made = {key.column.name for key in model.all_keys}
    try:
        found = parse(text, model.schema, *told)
        asked = {name for own in found for name in _names(own)} & made
    except ParameterError:
        of_values = parse is not parse_where
        asked = names_in(str(text), made, on_the_left=of_values)
        if not asked:
            raise
    if asked:
        raise ParameterError(
            "Expected conditions on columns of values. Received one on the key "
            f"{min(asked)!r}, which is made anew, so that no drawn row has one of the "
            "table. Leave it out."
        )
    return found


@dataclass(frozen=True)
class _OfOpenEnds:
    """A condition on dates of which another column that is drawn says what they are."""

    condition: Comparison | SumComparison
    ends: tuple[OpenEnds, ...]

    @property
    def names(self):
        """Columns that it reads."""
        return *self.condition.names, *(own.made.name for own in self.ends)

    def holds(self, cells):
        """Where rows meet it; see `Comparison.holds`."""
        dates = {own.column: own.dates_of(cells) for own in self.ends}
        return self.condition.holds({n: cells[n] for n in self.condition.names} | dates)


def _of_drawn(condition, spelt):
    """The condition as it is of rows that are drawn."""
    ends = (own for own in spelt if isinstance(own, OpenEnds))
    ends = tuple(own for own in ends if own.column in condition.names)
    return _OfOpenEnds(condition, ends) if ends else condition


class ModelRows:
    """Rows of a model that meet conditions.

    Parameters
    ----------
    model : PlainModel
    marginals : {"grid", "cluster"}
    conditions : sequence of Comparison, SumComparison or SameText, default=()
    column : EachValue, optional
        Of each value of which as many rows are drawn.
    """

    def __init__(self, model, marginals, conditions=(), column=None):
        self.model, self.marginals = model, marginals
        self.conditions, self.column = tuple(conditions), column

    @classmethod
    def asked(cls, model, marginals, n, given, where, n_per) -> tuple[Self, int]:
        """The rows that some texts ask for, and how many; see `CoclusterSynthesizer`.

        Raises
        ------
        ParameterError
            If they do not read, or ask for two numbers of rows.
        """
        if n is not None and n_per is not None:
            raise ParameterError(
                "Expected a number of rows, or one for each value of a column. "
                f"Received both, {n} and {n_per!r}. Leave one out."
            )
        conditions, column = [], None
        numbers = {
            own.column: model.drawn_schema[own.number]
            for own in model.spelt
            if isinstance(own, Spelt)
        }
        if given is not None:
            conditions += _parsed(parse_given, given, model, numbers)
        if where is not None:
            conditions += _parsed(parse_where, where, model, numbers)
        conditions = [_of_drawn(own, model.spelt) for own in conditions]
        if n_per is not None:
            column, n = _parsed(parse_number_each, n_per, model)
            _check_stays(column, model.structure)
            column = EachValue.of(column, _drawn_coding(model))
        n = model.n_rows if n is None else n
        check_integer("the number of rows", n, minimum=1, maximum=_MAX_ROWS)
        return cls(model, marginals, conditions, column), n

    @cached_property
    def _weights(self):
        """Rows of each cluster that meet what is taken in advance, and parts' shares.

        Only of independent variables.
        """
        model = self.model
        shares = model.part_probabilities(marginals=self.marginals)
        starts = np.cumsum(model.coding.n_parts_per_variable)[:-1]
        own = dict(
            zip(model.coding.names, np.split(shares, starts, axis=1), strict=True)
        )
        parts = dict(zip(model.coding.names, model.coding.parts, strict=True))
        weights = model.cluster_rows.astype(np.float64)
        for condition in self.conditions:
            if isinstance(condition, Comparison):
                name = condition.column.name
                own[name] = own[name] * condition.may_hold(parts[name])
        for name in dict.fromkeys(n for c in self.conditions for n in c.names):
            met = own[name].sum(axis=1)
            weights *= met
            own[name] = own[name] / np.where(met > 0, met, 1.0)[:, None]
        return weights, list(own.values())

    @property
    def share_of_proposals(self):
        """Share of the model's rows that proposals are: those that can be kept."""
        if self.model.structure is not None or not self.conditions:
            return 1.0
        return float(self._weights[0].sum() / self.model.n_rows)

    @cached_property
    def _early(self):
        """Conditions that rows are asked of before all of their columns are drawn."""
        rng = np.random.default_rng(_TRIED_SEED)
        some = self._clusters(_N_BROKEN, rng)
        is_few = share_broken(self.model.structure, some, rng) <= _FEW_BROKEN
        return self.conditions if is_few else ()

    def _clusters(self, n, rng):
        """Those of n rows, in random order."""
        sizes = allot(self.model.structure.cluster_rows, n, rng)
        return rng.permutation(np.repeat(np.arange(len(sizes)), sizes))

    @property
    def _persons(self):
        """What persons of several rows are drawn from, None of rows that are single."""
        own = self.model.structure
        return own if isinstance(own, PersonStructure) else None

    def _lots(self):
        """Persons that lots are drawn of, if rows are of persons."""
        return self._persons and Lots(self._persons, self.conditions)

    def propose(self, n, rng, lots=None):
        """Those of n proposals that meet the conditions, in random order, or by person.

        Returns
        -------
        DataFrame of n rows or fewer
            Of whole persons about as many.
        """
        structure = self.model.structure
        if lots is not None:
            return lots.draw(n, rng)
        if structure is not None:
            early = self.conditions and self._early
            frame = draw_rows(structure, self._clusters(n, rng), rng, early)
            return frame if early else self._met(frame)
        return self._met(
            self.model.coding.decode(_draw_codes(*self._weights, n, rng), rng)
        )

    def _met(self, frame):
        """The rows that meet the conditions."""
        for condition in self.conditions:
            frame = frame[condition.holds(frame)].reset_index(drop=True)
        return frame

    def _labels(self, frame):
        """What each row is counted as: its value, -1 for none; or 0."""
        if self.column is None:
            return np.zeros(len(frame), dtype=np.int64)
        return self.column.labels(frame)

    @cached_property
    def _shares_met(self):
        """Shares of proposals that meet the conditions, of each label, among some.

        Returns
        -------
        of_rows, of_individuals : ndarray of float64, shape (number of labels,)
            The same, where each row is an individual.
        """
        n_labels = 1 if self.column is None else len(self.column.values)
        kept, persons = np.zeros((2, n_labels), dtype=np.int64), self._persons
        if self.share_of_proposals == 0.0:
            return kept
        tried = _EXPECTED * self.share_of_proposals * self.model.n_rows
        tried = int(np.clip(tried / self.model.min_individuals, _MIN_TRIED, MIN_TRIES))
        rng, lots = np.random.default_rng(_TRIED_SEED), self._lots()
        for first in range(0, tried, _CHUNK):
            rows = self.propose(min(_CHUNK, tried - first), rng, lots)
            single = rows if lots is None else first_of_each_person(rows, persons)
            for own, counts in zip((rows, single), kept, strict=True):
                labels = self._labels(own)
                counts += np.bincount(labels[labels >= 0], minlength=n_labels)
        return kept[0] / tried, kept[1] / (tried if lots is None else lots.n_drawn)

    @property
    def support(self):
        """Individuals of the table who meet the conditions, by the model, by label.

        The share of the model's rows that meet them, or of its persons, times the
        individuals.
        """
        share = self.share_of_proposals * self._shares_met[1]
        return share * self.model.n_individuals

    def draw(self, n, rng):
        """Draw n rows, or n of each value, in random order, or by person.

        Raises
        ------
        ParameterError
            If too few individuals meet the conditions, or too few rows do.

        Warns
        -----
        DataWarning
            If values are left out that too few individuals have.
        """
        if not self.conditions and self.column is None:
            if self._persons is not None:
                return self._persons.draw(n, rng)
            return self.propose(n, rng)
        wanted = np.where(self._check_support(), n, 0)
        shares, lots = self._shares_met[0], self._lots()
        rarest = shares[wanted > 0].min()
        most = max(MIN_TRIES, TRIES_A_ROW * n)
        if n > most * rarest:
            _refuse_tries(n, most, f"about {most * rarest:.0f}")
        drawn, tried = [], 0
        while wanted.any():
            if tried >= most:
                _refuse_tries(n, most, n - wanted.max())
            size = wanted.max() / shares[wanted.argmax()]
            size = min(int(np.ceil(size)), _CHUNK, most - tried)
            found = self.propose(size, rng, lots)
            drawn.append(found[_first_of_each(self._labels(found), wanted)])
            tried += size
        rows = pd.concat(drawn, ignore_index=True)
        if self._persons is not None:
            return self._persons.named_anew(rows)
        return rows.iloc[rng.permutation(len(rows))].reset_index(drop=True)

    def _check_support(self):
        """Which labels as many individuals have as the model tells of."""
        k = min(self.model.min_individuals, self.model.n_individuals)
        support = self.support
        supported = support >= k
        if not supported.any():
            raise ParameterError(
                f"Expected conditions that {k} individuals or more meet, the fewest "
                "that the model describes. Received some that, by the model, about "
                f"{support.max():.0f} of {self.model.n_individuals} meet. Loosen the "
                "conditions." + self._of_all_rows()
            )
        if not supported.all():
            few = self.column.values[~supported]
            is_left = "which is" if len(few) == 1 else "which are"
            warnings.warn(
                f"Column {self.column.column.name!r}: expected values that {k} "
                "individuals or more have, by the model and among those who meet the "
                f"conditions. Received {examples(few)} ({n_values(len(few))}), "
                f"{is_left} left out.",
                DataWarning,
                stacklevel=4,  # who called `sample`
            )
        return supported

    def _of_all_rows(self):
        """What is to be known of conditions on columns that vary within persons."""
        names = dict.fromkeys(n for own in self.conditions for n in own.names)
        names = [] if self._persons is None else varying(self._persons, names)
        told = self.model.spelt
        made = {of.name: own.column for own in told for of in own.made_columns}
        names = [*dict.fromkeys(made.get(name, name) for name in names)]
        if not names:
            return ""
        return (
            " All rows of a person have to meet them, and columns in them differ "
            f"from row to row: {examples(names)}."
        )


def _drawn_coding(model):
    """Of the columns that rows are drawn of."""
    if model.structure is None:
        return model.coding
    return getattr(model.structure, "first", model.structure).coding


def _check_stays(column, structure):
    """Refuse rows of each value of a column, where those of a person can differ."""
    if isinstance(structure, PersonStructure) and varying(structure, [column.name]):
        raise ParameterError(
            "Expected a column that is the same in all rows of a person, to draw a "
            f"number of rows for each of its values. Received {column.name!r}, which "
            "differs between the rows of some. Choose another column, or draw "
            "without --n-per and pick rows of each value."
        )


def _refuse_tries(n, most, found):
    raise ParameterError(
        f"Expected {n} rows that meet the conditions among {most} that were tried. "
        f"Received {found}. Ask for fewer rows, or loosen the conditions."
    )


def _first_of_each(labels, wanted):
    """The first rows of each label that are still wanted, which are taken off."""
    taken = np.zeros(len(labels), dtype=bool)
    for label in np.flatnonzero(wanted):
        own = np.flatnonzero(labels == label)[: wanted[label]]
        taken[own] = True
        wanted[label] -= len(own)
    return taken


def _draw_codes(weights, shares, n, rng):
    """Draw the parts of n synthetic rows.

    Clusters share the n rows by their weights. Inside a cluster the variables are
    independent; the draws are systematic, so that the parts of one variable have their
    expected share but for rounding, and those of a few together nearly so.

    Returns
    -------
    ndarray of int32, shape (n, d)
        Codes numbered within each variable, rows in random order.
    """
    codes = []
    for cluster, size in enumerate(allot(weights, n, rng)):
        points = even_points(int(size), len(shares) + 1, rng)
        of_variables = [own[cluster] for own in shares]
        if size:
            drawn = map(draw_categories, of_variables, points.T)
            codes.append(np.column_stack(list(drawn)).astype(np.int32))
    return rng.permutation(np.concatenate(codes))
