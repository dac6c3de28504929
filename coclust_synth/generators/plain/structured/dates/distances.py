"""Distances of two columns that others go with: what a stay costs, with its length.

A tree that is given two dates asks whether each is early or late, and cannot ask how
far they are apart. So of each date and the one nearest to it the distance can be asked
for too, by columns that are drawn after both and that go with it more than chance has
it; likewise of numbers of which one tells about where the other is: two readings of a
meter. Runs of it hold 20 individuals, as those of other numbers.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from coclust_synth.generators.plain.structured.dates.date_features import (
    binned,
    go_together,
)
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.relations import Fit, Relation
from coclust_synth.tables.rules.compared.numbers import NumberScale
from coclust_synth.tables.rules.evidence import Evidence

# A distance that goes so much with one of its ends, as an age does with the date of
# birth, says what this one says.
_MAX_CORRELATION = 0.9


@dataclass(frozen=True, eq=False)
class Distance:
    """How far one date or number is above another.

    Attributes
    ----------
    column, since : int
        Positions of both; `column` is the one that is drawn later.
    parts : AtomParts
        In units of `column`.
    """

    column: int
    since: int
    parts: AtomParts

    @classmethod
    def learn(cls, evidence: Evidence, since: int, column: int) -> Self:
        """The distance of two columns of a table, in atoms of 20 individuals each."""
        names = evidence.coding.names
        ends = names[since], names[column]
        values, missing = _values(*ends, evidence.numbers, evidence.scales)
        ruler = evidence.scales[names[column]].ruler
        return cls(column, since, evidence.learn_atoms(values, missing, ruler))

    @property
    def n_codes(self) -> int:
        """Atoms, and one for what is missing if anything is."""
        return self.parts.n_parts

    @property
    def n_ordered(self) -> int:
        """Those that are in an order."""
        return len(self.parts.lows)

    def codes(
        self,
        names: Sequence[str],
        numbers: Mapping[str, NDArray[np.float64]],
        scales: Mapping[str, NumberScale],
    ) -> NDArray[np.int32]:
        """Code of the distance in each row, see `DateFeature.codes`."""
        ends = names[self.since], names[self.column]
        return self.parts.encode(*_values(*ends, numbers, scales))

    def to_dict(self) -> dict[str, Any]:
        """JSON compatible form."""
        parts = self.parts.to_dict()
        return {"column": self.column, "since": self.since, "parts": parts}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`."""
        parts = AtomParts.from_dict(data["parts"])
        return cls(int(data["column"]), int(data["since"]), parts)


def find_distances(
    evidence: Evidence,
    owns: Mapping[str, tuple[Any, ...]],
    fits: Mapping[str, Relation],
    order: Sequence[str],
    k: int,
) -> dict[Distance, set[str]]:
    """The distances that columns drawn after both of their ends go with.

    Parameters
    ----------
    evidence : Evidence
    owns : mapping of str to (ndarray of int32, shape (n,), (int, int), dict)
        Of each column that is drawn, as `find_date_features` takes them.
    fits : mapping of str to Relation
        What tells a column from others.
    order : sequence of str
        All columns, in the order in which they are known.
    k : int
        Individuals who have both ends, at least.

    Returns
    -------
    dict of Distance to set of str
        The columns that go with each.
    """
    names, found = evidence.coding.names, {}
    bins = {name: binned(own, *sizes[:2]) for name, (own, sizes, _) in owns.items()}
    for since, column in _nearest(evidence, fits, order, k):
        later = [name for name in order[order.index(column) + 1 :] if name in owns]
        if not later:
            continue
        distance = Distance.learn(evidence, names.index(since), names.index(column))
        codes = distance.codes(names, evidence.numbers, evidence.scales)
        own = binned(codes, distance.n_codes, distance.n_ordered)
        # Of dates; of numbers, rows that have the same one.
        hours = np.floor(evidence.numbers[column] * 24)
        hours = np.unique(hours, return_inverse=True)[1]
        along = {
            name for name in later if go_together(own, bins[name], hours, evidence.who)
        }
        if along:
            found[distance] = along
    return found


def _nearest(evidence, fits, order, k):
    """Of each column the one nearest to it, the earlier known first, each pair once."""
    apart = {}
    for pair in _comparable(evidence, fits, order):
        spread = _spread(evidence, *pair, k)
        if spread is not None:
            apart[pair] = spread
    nearest = {
        min((pair for pair in apart if name in pair), key=apart.__getitem__)
        for name in {name for pair in apart for name in pair}
    }
    return [pair for pair in apart if pair in nearest]


def _comparable(evidence, fits, order) -> Iterator[tuple[str, str]]:
    """Two dates, or a number and one that it is about, the earlier known first."""
    for place, column in enumerate(order):
        for since in order[:place]:
            if column in evidence.dates and since in evidence.dates:
                yield since, column
            elif _is_about(fits.get(column), since) or _is_about(
                fits.get(since), column
            ):
                yield since, column


def _is_about(fit, name):
    """Whether a column is nearly another one, and perhaps terms of others."""
    if not isinstance(fit, Fit) or not fit.about or fit.logarithms:
        return False
    return fit.terms.get(name) == 1


def _spread(evidence, since, column, k):
    """Variance of the distance of two columns; None where one of them says as much."""
    x, y = evidence.numbers[since], evidence.numbers[column]
    known = ~np.isnan(x) & ~np.isnan(y)
    if evidence.n_of(known) < max(k, MIN_ROWS):
        return None
    x, y = x[known], y[known]
    apart = y - x
    spread = apart.std()
    if not spread:
        return None
    for end in (x, y):
        together = ((apart - apart.mean()) * (end - end.mean())).mean()
        if abs(together) >= _MAX_CORRELATION * spread * end.std() > 0:
            return None
    return spread * spread


def _values(since, column, numbers, scales):
    """Distances in units of a column, and where they are missing."""
    apart = numbers[column] - numbers[since]
    missing = np.isnan(apart)
    return scales[column].nearest(np.where(missing, 0.0, apart)), missing
