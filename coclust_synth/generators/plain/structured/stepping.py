"""Whether a number is told by itself, or by its step from the row before.

A leaf holds k persons, and is wider than most of them move from one row to the next: a
value that is drawn from it is seldom near that of the row before. A step is, and says
as little of where it begins; but a value that comes back after a slip, or that has
nothing of the row before, is told better by itself. So for each a tree of half of the
persons is grown on what is known before, and that in whose leaves the others take fewer
bits to tell is drawn. Where few persons change, they are told in their own trees.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from coclust_synth.generators.plain.structured.staying import find_stays
from coclust_synth.generators.plain.structured.targets.codes import code_sizes
from coclust_synth.generators.plain.structured.targets.order import order_of_drawing
from coclust_synth.generators.plain.structured.targets.residuals import (
    LOG_DIGITS,
    residuals_of,
)
from coclust_synth.generators.plain.trees.trees import grow_tree
from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.fitting.regressions import has_squares
from coclust_synth.tables.rules.kept import Rules
from coclust_synth.tables.rules.spacings import nats_of_numbers


@dataclass(frozen=True, eq=False)
class Stepping:
    """Rows of persons after the first, as `learn_structure` is told of them.

    Attributes
    ----------
    evidence : Evidence
    rules : Rules
        What they tell is told by no step.
    clusters : ndarray of int64, shape (n,)
    k : int
    given : sequence of str
    earlier : mapping of str to str
    listed : collection of str
    only_for : mapping of str to str
    """

    evidence: Evidence
    rules: Rules
    clusters: NDArray[np.int64]
    k: int
    given: Sequence[str]
    earlier: Mapping[str, str]
    listed: Collection[str]
    only_for: Mapping[str, str]

    def find(self) -> list[Fit]:
        """The numbers that steps tell: ``population ~ population before``.

        Of sums, or of logarithms.
        """
        names, found = self.evidence.coding.names, []
        drawn = order_of_drawing(names, self.rules.told)
        order = [*self.given, *(name for name in drawn if name not in self.given)]
        for place, name in enumerate(order):
            if self._may_step(name):
                known = [n for n in order[:place] if self.only_for.get(n, name) == name]
                asked = [len(names), *map(names.index, known)]
                fit, halves = self._shortest_step(name), self._halves(name)
                by_itself = self._by_itself(name, asked, *halves)
                saved = by_itself - self._by_step(fit, asked, *halves)
                if saved > self._by_chance(name, halves[1]):
                    found.append(fit)
        return found

    def _may_step(self, name):
        """Whether a column is of numbers that change, and that others do not tell."""
        evidence, others = self.evidence, {*self.given, *self.listed, *self.rules.told}
        if name in others or not {name, self.earlier.get(name)} <= {*evidence.numbers}:
            return False
        parts = evidence.coding.parts[evidence.coding.names.index(name)]
        x, y = self._both(name)
        if not (has_squares(x) and has_squares(y)):
            return False
        changes = ~np.isnan(x - y) & (x != y)
        return len(parts.lows) > 0 and evidence.n_of(changes) >= max(self.k, 1)

    def _halves(self, name):
        """Rows of the persons of whom trees are grown, and of the others; or twice all.

        Half of those in whom a column changes are in each, whatever kinds of persons
        follow each other in the table: all are in both where k of them are not.
        """
        x, y = self._both(name)
        codes = self.evidence.persons.codes
        changes = np.bincount(codes, ~np.isnan(x - y) & (x != y)) > 0
        if changes.sum() < 2 * self.k:
            every = np.ones(len(x), dtype=bool)
            return every, every
        order = np.random.default_rng(0).permutation(len(changes))
        order = order[np.argsort(~changes[order], kind="stable")]
        half = np.zeros(len(changes), dtype=bool)
        half[order[::2]] = True
        return half[codes], ~half[codes]

    def _by_chance(self, name, told):
        """Nats by which one takes fewer by chance, of rows that are a nat apart."""
        x, y = self._both(name)
        return np.sqrt((~np.isnan(x - y) & told).sum())

    def _both(self, name):
        """Numbers, and those of the row before."""
        numbers = self.evidence.numbers
        return numbers[name], numbers[self.earlier[name]]

    def _shortest_step(self, name):
        """The sum, or that of logarithms, whose steps take fewer bits in all rows."""
        x, y = self._both(name)
        known = ~np.isnan(x - y)
        fits = [Fit(name, (self.earlier[name],), (1.0,), 0.0, about=True)]
        if min(x[known].min(), y[known].min()) > 0:
            told = fits[0].parents, fits[0].coefficients
            fits.append(Fit(name, *told, 1.0, True, about=True))
        one, each = np.zeros(known.sum(), np.int64), np.arange(known.sum())

        def nats(fit):
            step, unit, more = (of[known] for of in self._steps(fit))
            return nats_of_numbers(step, unit, one, 1, each)[0] + more.mean()

        return min(fits, key=nats)

    def _steps(self, fit):
        """Steps, what each is told to, and the nats that it then takes to tell more.

        Logarithms are told to so many digits, which may be less than the number.
        """
        x, y = self._both(fit.target)
        unit = np.full(len(x), self._unit(fit.target))
        if not fit.logarithms:
            return x - y, unit, np.zeros(len(x))
        known = ~np.isnan(x - y)
        x, y = (np.where(known, of, np.nan) for of in (x, y))
        told = np.maximum(unit / x, 10.0**-LOG_DIGITS)
        return np.log(x) - np.log(y), told, np.log(told * x / unit)

    def _unit(self, name):
        """The step of a column, or how far its values are apart in the middle."""
        scale = self.evidence.scales[name]
        step = getattr(scale.ruler, "step", None)
        if step is not None:
            return step / scale.per_day
        values = np.unique(self._both(name))
        return float(np.median(np.diff(values[~np.isnan(values)])))

    def _by_step(self, fit, asked, grown, told):
        """Nats to tell a column by its steps, of some rows in a tree of others."""
        coding = self.evidence.coding
        parts = coding.parts[coding.names.index(fit.target)]
        how = residuals_of(fit, self.evidence, parts)
        left = how["residuals"]
        leaf = self._leaves(how["codes"], (left.n_parts, len(left.lows)), asked, grown)
        step, unit, more = self._steps(fit)
        return self._nats(step, unit, leaf, told) + np.nansum(more[told])

    def _by_itself(self, name, asked, grown, told):
        """The same by values, or by staying where it often does."""
        coding, (x, y) = self.evidence.coding, self._both(name)
        j = coding.names.index(name)
        parts, own = coding.parts[j], self.evidence.codes[:, j]
        sizes = parts.n_parts, len(parts.lows), self.evidence.first_code(name)
        stays = find_stays(x, y, self.k)
        if stays is not None:
            own, sizes = np.where(stays, sizes[0], own), (sizes[0] + 1, *sizes[1:])
        leaf = self._leaves(own, sizes, asked, grown)
        x = np.where(np.isnan(y), np.nan, x)
        return self._nats(x, np.full(len(x), self._unit(name)), leaf, told, stays)

    def _nats(self, x, unit, leaf, told, stays=None):
        """Nats to tell numbers in some leaves, and whether they stay."""
        known, n_leaves = ~np.isnan(x) & told, int(leaf.max()) + 1
        stays = np.zeros_like(known) if stays is None else stays & known
        n_known, n_stay = (
            np.bincount(leaf[of], None, n_leaves) for of in (known, stays)
        )
        share = n_stay / np.maximum(n_known, 1)
        at = np.flatnonzero(known & ~stays)
        person = self.evidence.persons.codes[at]
        of_numbers = nats_of_numbers(x[at], unit[at], leaf[at], n_leaves, person)
        whether = entr(share) + entr(1 - share)
        return whether @ n_known + of_numbers @ (n_known - n_stay)

    def _leaves(self, own, sizes, asked, rows):
        """Leaf of each row of a tree for codes of a column, grown of some rows."""
        evidence, others = self.evidence, [(int(self.clusters.max()) + 1, 0)]
        n_codes, n_ordered = code_sizes(evidence.coding, others, self.listed)
        starts = [*map(evidence.first_code, evidence.coding.names), 0]
        persons = np.unique(evidence.persons.codes[rows], return_inverse=True)[1]
        tree = grow_tree(
            own[rows],
            sizes,
            asked,
            codes=self._codes[rows],
            n_codes=n_codes,
            n_ordered=n_ordered,
            k=self.k,
            persons=replace(evidence.persons, codes=persons),
            starts=np.array(starts, dtype=np.int64),
        )
        return tree.leaf_of(self._codes).astype(np.int64)

    @cached_property
    def _codes(self):
        """What trees can ask for: columns and clusters, (n, d + 1)."""
        both = [self.evidence.codes, self.clusters]
        return np.column_stack(both).astype(np.int32)
