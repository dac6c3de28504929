"""Rows drawn cell by cell, each from its leaf, within what the rules allow."""

import numpy as np
import pandas as pd

from coclust_synth.generators.plain.structured.drawing.column import ColumnDrawing
from coclust_synth.generators.plain.structured.equal import Equal
from coclust_synth.generators.plain.structured.leaves.along import places
from coclust_synth.generators.plain.structured.telling import differs_from_alike
from coclust_synth.tables.rules.compared.numbers import up_to
from coclust_synth.tables.rules.evidence import numbers_for
from coclust_synth.tables.values.series import from_values

# A row that breaks a rule is drawn again so many times.
_TIMES_AGAIN = 10


def draw_rows(structure, clusters, rng, conditions=()):
    """Draw a row for each individual of some clusters.

    Parameters
    ----------
    structure : Structure
    clusters : ndarray of int64, shape (n,)
    rng : numpy.random.Generator
    conditions : sequence of Comparison, SumComparison or SameText
        Rows that do not meet them are dropped, as soon as their columns are drawn.

    Returns
    -------
    DataFrame of n rows, or fewer under conditions
        In the order of `clusters`.
    """
    drawing = Drawing(structure, clusters, rng)
    drawing.fill(conditions)
    return pd.DataFrame({name: drawing.cell(name) for name in structure.coding.names})


def share_broken(structure, clusters, rng):
    """Share of the rows of some clusters that are drawn again, as no rule allows them.

    Parameters
    ----------
    structure, clusters, rng
        As of `draw_rows`.
    """
    drawing = Drawing(structure, clusters, rng)
    drawing.draw_once()
    return float(drawing.is_broken().mean())


class Drawing:
    """Rows of which some columns are drawn.

    Parameters
    ----------
    structure : Structure
    clusters : ndarray of int64, shape (n,)
    rng : numpy.random.Generator
    codes : ndarray of int32, shape (n, d), optional
        Of the columns that the structure is given; others are not read.
    numbers : dict of str to ndarray of float64, shape (n,), default={}
        Of the same, those of numbers and dates.
    between : dict of str to callable, default={}
        From the numbers drawn before a column to the lowest and the highest that each
        row may have of it, beside what rules leave.
    taken : dict of str to callable, default={}
        Of columns of categories, whether a row may not have a code that it was drawn,
        see `Seen`: it is exchanged with another of the leaf, as far as one can have it.
    agreed : Agreed, optional
        What combinations that nothing is told of have in earlier rows.

    Attributes
    ----------
    codes : ndarray of int32, shape (n, d + 1 + number of what trees ask for)
        The column after the d ones is the cluster; then come parts of dates and
        how round numbers are, distances of dates, and whether columns stayed.
    numbers : dict of str to ndarray of float64, shape (n,)
    held : dict of str to (ndarray of shape (n,), ndarray of bool, shape (n,))
        What was drawn: values, and which of them are missing. Rows of persons are many
        such arrays, of few rows each, and made into Series together.
    is_balanced : bool
        Whether columns get the distribution of the table, see `balance`: all rows are
        there that were to be drawn.
    is_blank : ndarray of bool, shape (n,)
        Rows that miss a value of some column as no rule left them one.
    beside : (Drawing, ndarray of int64) or None
        Rows of others, and which of them stay beside these.
    """

    def __init__(
        self,
        structure,
        clusters,
        rng,
        codes=None,
        numbers=None,
        between=None,
        taken=None,
        agreed=None,
    ):
        self.structure, self.rng, self.n = structure, rng, len(clusters)
        self.coding, self.scales = structure.coding, structure.scales
        d = len(self.coding.parts)
        asked = *structure.features, *structure.distances, *structure.stayed
        self.codes = np.zeros((self.n, d + 1 + len(asked)), dtype=np.int32)
        if codes is not None:
            self.codes[:, :d] = codes
        self.codes[:, d] = clusters
        self.numbers, self.between = dict(numbers or {}), dict(between or {})
        self.taken, self.agreed = dict(taken or {}), agreed
        for j in structure.given:
            self._note_parts(j)
        self.seen, self.held = list(structure.given), {}
        self.is_balanced = not structure.given
        self.is_blank = np.zeros(self.n, dtype=bool)
        self.beside: tuple[Drawing, np.ndarray] | None = None

    def cell(self, name):
        """What was drawn of a column, a Series."""
        return from_values(*self.held[name], self.coding.schema[name])

    @property
    def clusters(self):
        """Of the rows."""
        return self.codes[:, len(self.coding.parts)]

    def part(self, place):
        """Codes of what trees ask for beside columns and clusters: a view."""
        return self.codes[:, len(self.coding.parts) + 1 + place]

    def places(self, name):
        """Where the numbers of a column are among its atoms, see `places`."""
        parts = self.coding.parts[self.coding.names.index(name)]
        return places(self.numbers[name], parts, self.scales[name].per_day)

    def numbers_at(self, j):
        """Numbers of a column that is drawn, by its position."""
        return self.numbers[self.coding.names[j]]

    def known_to(self, fit):
        """Numbers that are drawn, and what else tells a column by a fit."""
        return numbers_for(fit, self.numbers, self.codes, self.coding)

    def is_told(self, fit):
        """Rows of which a fit says something."""
        return ~np.isnan(fit.predict(self.known_to(fit)))

    def fill(self, conditions=()):
        """Draw all columns; of rows that break a condition no further ones.

        Rows that values before them left nothing that no rule forbids are drawn again,
        or left out under conditions.
        """
        self.draw_once(conditions)
        if conditions:
            self._keep(~self.is_broken())
            return
        broken = np.flatnonzero(self.is_broken() | differs_from_alike(self))
        for _ in range(_TIMES_AGAIN):
            if len(broken):
                is_good = self.draw_again(broken)
                broken = broken[~is_good | differs_from_alike(self)[broken]]

    def draw_once(self, conditions=()):
        """Draw all columns, and no row again."""
        for drawn in self.structure.columns:
            self._fill(drawn)
            name = self.coding.names[drawn.column]
            for condition in conditions:
                names = {*condition.names}
                if name in names and names <= self.held.keys():
                    self._keep(condition.holds({own: self.cell(own) for own in names}))

    def is_broken(self):
        """Whether two values of a row never meet, or are in another order.

        Or a value is missing as no rule left one, or what others tell is beyond a value
        that 20 have and nobody goes beyond. What was given cannot be mended.
        """
        rules, bins = self.structure.rules, self.structure.bins
        broken, given = self.is_blank.copy(), {*self.structure.given}
        for (one, two), allowed in rules.tables.items():
            if one < two and not {one, two} <= given:
                own = (bins[j][self.codes[:, j]] for j in (one, two))
                broken |= ~allowed[tuple(own)]
        given = {self.coding.names[j] for j in given}
        for order in rules.orders:
            if not {*order.columns} <= given:
                low, high = (self.numbers[name] for name in order.columns)
                scales = (self.scales[name] for name in order.columns)
                broken |= up_to(low, *scales) > high
        for name, (first, last) in self.structure.last_values.items():
            own = self.numbers[name]
            broken |= (own < first) | (own > last)
        return broken

    def draw_again(self, rows):
        """Draw others of the same clusters for some rows; whether they break no rule.

        Those that do not take the place of the rows.

        Parameters
        ----------
        rows : ndarray of int64, shape (m,)

        Returns
        -------
        ndarray of bool, shape (m,)
        """
        names = self.coding.names
        given = {names[j] for j in self.structure.given} & {*self.numbers}
        numbers = {name: self.numbers[name][rows] for name in given}
        codes = self.codes[rows, : len(names)]
        others = Drawing(
            self.structure,
            self.clusters[rows],
            self.rng,
            codes,
            numbers,
            self.between,
            agreed=self.agreed,
        )
        others.is_balanced = False
        others.beside = self, np.delete(np.arange(self.n), rows)
        others.draw_once()
        is_good = ~others.is_broken()
        taken = np.arange(self.n)
        taken[rows[is_good]] = self.n + np.flatnonzero(is_good)
        self.is_blank[rows[is_good]] = False
        self.codes = np.concatenate([self.codes, others.codes])[taken]
        for name, own in others.numbers.items():
            self.numbers[name] = np.concatenate([self.numbers[name], own])[taken]
        for name, own in others.held.items():
            both = map(np.concatenate, zip(self.held[name], own, strict=True))
            self.held[name] = tuple(each[taken] for each in both)
        return is_good

    def _fill(self, drawn):
        """Draw one column."""
        j, column = drawn.column, ColumnDrawing(self, drawn)
        name, parts, scale = column.name, column.atoms, column.scale
        codes, values, missing = column.draw()
        self.is_blank |= column.is_blank
        if scale is not None:
            self.numbers[name] = scale.to_numbers(values, missing)
        self.codes[:, j] = codes
        self._note_parts(j)
        if scale is not None:
            values = self._as_held(drawn, parts, values)
        self.held[name] = values, missing
        self.seen.append(j)

    def _as_held(self, drawn, parts, values):
        """Values with the last digits of the table, equal to those that they equal.

        What an order compares, or what equals another in many rows, has the digits of
        the column that was drawn first.
        """
        held, name = parts.as_held(values), self.coding.names[drawn.column]
        features, bounds = self.structure.features, self.structure.rules.bounds
        equals = [features[place] for place, _ in drawn.parts]
        equals = [own.of(self.coding.names) for own in equals if isinstance(own, Equal)]
        equals = dict.fromkeys([drawn.equals, *equals])
        for pair in [*bounds, *((name, own) for own in equals)]:
            for other in {*pair} - {name}:
                if name in pair and other in self.held and held.dtype == np.float64:
                    equal = self.numbers[other] == self.numbers[name]
                    own = self.cell(other).to_numpy(np.float64, na_value=np.nan)
                    held = np.where(equal, own, held)
        return held

    def _note_parts(self, j):
        """Take down the parts and the distances of a column that trees ask for."""
        names, structure = self.coding.names, self.structure
        asked = *structure.features, *structure.distances
        for place, feature in enumerate(asked):
            if feature.column == j:
                self.part(place)[:] = feature.codes(names, self.numbers, self.scales)
        for place, stayed in enumerate(structure.stayed, len(asked)):
            if stayed.column == j:
                self.part(place)[:] = stayed.codes(names, self.numbers, self.codes)

    def _keep(self, met):
        """Go on with some of the rows."""
        self.n, self.codes, self.is_balanced = int(met.sum()), self.codes[met], False
        self.is_blank = self.is_blank[met]
        self.numbers = {name: own[met] for name, own in self.numbers.items()}
        self.held = {
            name: tuple(each[met] for each in own) for name, own in self.held.items()
        }
