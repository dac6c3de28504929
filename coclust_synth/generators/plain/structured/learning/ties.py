"""Columns that often have the value of another: which, and in which rows."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coclust_synth.generators.plain.structured.drawn import numbers_of_tie
from coclust_synth.generators.plain.structured.staying import find_stays, of_most
from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.compared.numbers import equal_pairs
from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.kept import Rules

# Columns are equal in so many times the rows that chance would have.
_MIN_RATIO = 10


class Tie(NamedTuple):
    """What a column equals, if anything, and in which rows.

    Attributes
    ----------
    equals : str, Fit or None
        A column, or what a sum leaves.
    rows : ndarray of bool, shape (n,), or None
    """

    equals: str | Fit | None
    rows: NDArray[np.bool_] | None


class Ties(NamedTuple):
    """Finds what columns equal in many rows.

    Attributes
    ----------
    evidence : Evidence
    rules : Rules
        Only columns of which one is at most the other are compared, and what is left of
        an exact sum, for one that is told later, where the others of it are 0.
    earlier : mapping of str to str
        Of columns, that with their value of the row before.
    k : int
        Rows in which they are equal, at least, besides those of one value.
    """

    evidence: Evidence
    rules: Rules
    earlier: Mapping[str, str]
    k: int

    def of(
        self, name: str, drawn: set[str], staying: Sequence[NDArray[np.bool_]] = ()
    ) -> Tie:
        """What a column equals: its value of the row before, or a column drawn before.

        Parameters
        ----------
        name : str
        drawn : set of str
        staying : sequence of ndarray of bool, shape (n,), default=()
            Rows in which each column stays that this one goes with.

        Returns
        -------
        Tie
        """
        evidence, k = self.evidence, self.k
        if name in self.earlier:
            codes, names = evidence.codes, evidence.coding.names
            of = dict(zip(names, codes.T, strict=True)) | evidence.numbers
            x, y = of[name], of[self.earlier[name]]
            stays = find_stays(x, y, k, of_most(staying, x == y, evidence.n_of, k))
            if stays is not None:
                return Tie(self.earlier[name], stays)
        if name in evidence.numbers and name not in self.rules.fits:
            return self._among(name, drawn)
        return Tie(None, None)

    def _among(self, name, drawn):
        """What a column of numbers often equals of those drawn before it."""
        evidence, most, found = self.evidence, self.k - 1, Tie(None, None)
        x, numbers, scales = evidence.numbers[name], evidence.numbers, evidence.scales
        for equals in [*self._beside(name, drawn), *self._left(name, drawn)]:
            y = numbers_of_tie(equals, numbers, scales, scales[name])
            if isinstance(equals, Fit):
                y = np.where(y == 0, np.nan, y)  # Where nothing is left, none is drawn.
            ties = x == y
            known = ~np.isnan(x) & ~np.isnan(y)
            by_chance = equal_pairs(x[known], y[known]) / max(known.sum(), 1)
            # What is equal at one value only, such as 0, that value explains.
            of_values = np.unique(x[ties], return_counts=True)[1]
            n_ties = ties.sum() - of_values.max(initial=0)
            if n_ties > max(most, _MIN_RATIO * by_chance):
                most, found = n_ties, Tie(equals, ties)
        return found

    def _beside(self, name, drawn):
        """Columns that are drawn, and that one is at most, or at least."""
        for order in self.rules.orders:
            if name in order.columns:
                yield from {*order.columns} & drawn - {name}

    def _left(self, name, drawn):
        """What exact sums would have a column be for all others not drawn to be 0.

        Of sums whose columns are drawn but for this one, what they tell and others.
        """
        for fit in self.rules.fits.values():
            is_sum = isinstance(fit, Fit) and not (fit.logarithms or fit.about)
            terms = fit.terms if is_sum and fit.target not in drawn else {}
            own = terms.pop(name, None)
            terms = {n: c for n, c in terms.items() if n in drawn}
            if own is not None and terms:
                factors = tuple(-c / own for c in terms.values())
                yield Fit(name, (*terms,), factors, -fit.constant / own)

    def before(self, order: Sequence[str]) -> dict[str, Tie]:
        """Ties of numbers that nothing tells: with nothing, or with a column drawn.

        Parameters
        ----------
        order : sequence of str
            Columns in the order in which they are drawn; others are known before.

        Returns
        -------
        dict of str to Tie
            Without those of sums, and of rows before.
        """
        evidence = self.evidence
        drawn, found = {*evidence.coding.names} - {*order}, {}
        for name in order:
            if name in evidence.numbers and name not in self.rules.fits:
                tie = self.of(name, drawn)
                if tie.equals is None:
                    none = np.zeros(len(evidence.codes), dtype=bool)
                    found[name] = Tie(None, none)
                elif isinstance(tie.equals, str) and name not in self.earlier:
                    found[name] = tie
            drawn = drawn | {name}
        return found

    def ends(self, name: str, ties: Sequence[Tie]) -> tuple[float, float]:
        """The ends of a column, or beyond them what many have of those it ties with."""
        ends = [self._ends(name, tie) for tie in ties]
        return min(ends)[0], max(last for _, last in ends)

    def _ends(self, name, tie):
        """The same of one tie.

        Open ends are no one's: of twenty loans of the highest amount some may be paid
        back.
        """
        ends, evidence = [], self.evidence
        names, other = evidence.coding.names, tie.equals
        of_other = [] if isinstance(other, Fit) else [(other, tie.rows)]
        for column, rows in [(name, slice(None)), *of_other]:
            parts = evidence.coding.parts[names.index(column)]
            codes = np.unique(evidence.codes[rows, names.index(column)])
            codes = codes[codes < len(parts.lows)]
            if column == other:
                codes = codes[parts.lows[codes] == parts.highs[codes]]
            own = np.append(parts.lows[codes], parts.highs[codes])
            ends.append(own / evidence.scales[column].per_day)
        ends = np.concatenate(ends)
        return float(ends.min()), float(ends.max())
