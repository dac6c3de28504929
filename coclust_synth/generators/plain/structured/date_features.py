"""Parts of dates that columns go with: surgery on Mondays, few calls at night.

A tree that is given a date asks whether it is early or late. A part of a date, its
month, weekday or hour, that goes with a column more than chance has it can be asked for
too. It is drawn before the date, from what goes with it, and the date then from those
that have it; of a date that others tell it is what they say.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from coclust_synth.tables.parts.date_parts import PART_SIZES, date_part, units_a_day
from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.numbers import NumberScale

# Chance takes a part for one that goes with a column once in ten thousand pairs.
_MAX_CHANCE = 1e-4
# What a column is compared in: tenths of its numbers, or its commonest categories.
_TENTHS, _MAX_CLASSES = 10, 25


@dataclass(frozen=True)
class DateFeature:
    """A part of a column of dates.

    Attributes
    ----------
    column : int
        Position of the dates.
    part : {"month", "weekday", "hour"}
    """

    column: int
    part: str

    @property
    def n_codes(self) -> int:
        """Values of the part, and one for a missing date."""
        return PART_SIZES[self.part] + 1

    def codes(
        self, numbers: NDArray[np.float64], scale: NumberScale
    ) -> NDArray[np.int32]:
        """Code of each date, from 0; the last one of those that are missing.

        Parameters
        ----------
        numbers : ndarray of float64, shape (n,)
            Days, nan where missing.
        scale : NumberScale
            Of the dates.

        Returns
        -------
        ndarray of int32, shape (n,)
        """
        missing = np.isnan(numbers)
        values = scale.nearest(np.where(missing, 0.0, numbers))
        own = date_part(self.part, values, scale.ruler)
        return np.where(missing, self.n_codes - 1, own).astype(np.int32)

    def to_dict(self) -> dict[str, Any]:
        """JSON compatible form."""
        return {"column": self.column, "part": self.part}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`; a ValueError of a part that is none."""
        if data["part"] not in PART_SIZES:
            raise ValueError("part of a date")
        return cls(int(data["column"]), data["part"])


def find_date_features(
    evidence: Evidence, owns: Mapping[str, tuple[Any, ...]]
) -> dict[DateFeature, set[str | DateFeature]]:
    """The parts of dates that go with columns, or with other parts of the same date.

    Two go together if a chi-squared test says so that takes rows of one hour of a day
    for as alike as they are.

    Parameters
    ----------
    evidence : Evidence
    owns : mapping of str to (ndarray of int32, shape (n,), (int, int), dict)
        Of each column that is drawn: the codes that its tree is grown for; how many
        there are, and how many of these, the first, are in an order; how they are told
        from others, if they are.

    Returns
    -------
    dict of DateFeature to set of str and DateFeature
        What goes with each; dates only beside something else.
    """
    bins = {name: _bins(own, *sizes) for name, (own, sizes, _) in owns.items()}
    found: dict[DateFeature, set[str | DateFeature]] = {}
    # Of two dates of the same years each has months that go with the other.
    places = {n for n in evidence.dates if n in owns and not owns[n][2]}
    for j, name in enumerate(evidence.coding.names):
        if name not in evidence.dates:
            continue
        numbers, scale = evidence.numbers[name], evidence.scales[name]
        hours = np.unique(np.floor(numbers * 24), return_inverse=True)[1]
        has_hours = scale.ruler.step < units_a_day(scale.ruler)
        parts = [part for part in PART_SIZES if has_hours or part != "hour"]
        codes = {
            DateFeature(j, part): DateFeature(j, part).codes(numbers, scale)
            for part in parts
        }
        for feature, own in codes.items():
            others = {key: of for key, of in codes.items() if key != feature} | bins
            along = {
                other
                for other, of in others.items()
                if _go_together(own, of, hours, evidence.persons)
            }
            if along - places - {name}:
                found[feature] = along
    return found


def _go_together(part, bins, hours, persons):
    """Whether a column differs from one value of a part to the next."""
    distance, freedom = _chi_squared(part, bins)
    if not freedom or chdtrc(freedom, distance) >= _MAX_CHANCE:
        return False
    within, degrees = _chi_squared(hours, bins)
    excess = max(within / degrees, 1.0)
    if persons is not None:  # who has several rows may be alike in all of them
        n_rows = np.bincount(persons.codes)
        excess = max(excess, (n_rows @ n_rows) / n_rows.sum())
    return bool(chdtrc(freedom, distance / excess) < _MAX_CHANCE)


def _chi_squared(first, second):
    """Of two codes of rows that are independent but for chance; degrees of freedom."""
    n_first, n_second = np.bincount(first), np.bincount(second)
    pairs, rows = np.unique(
        first.astype(np.int64) * len(n_second) + second, return_counts=True
    )
    by_chance = n_first[pairs // len(n_second)] * n_second[pairs % len(n_second)]
    distance = len(first) * (rows * rows / by_chance).sum() - len(first)
    return distance, ((n_first > 0).sum() - 1) * ((n_second > 0).sum() - 1)


def _bins(own, n_codes, n_ordered):
    """Tenths of codes that are in an order, and the others; few of many."""
    counts = np.bincount(own, minlength=n_codes)
    if not n_ordered:
        place = np.argsort(np.argsort(-counts, kind="stable"))
        return np.minimum(place, _MAX_CLASSES)[own]
    before = np.cumsum(counts) - counts / 2
    tenths = before * _TENTHS // max(counts[:n_ordered].sum(), 1)
    tenths[n_ordered:] = _TENTHS + np.arange(n_codes - n_ordered)
    return tenths.astype(np.int64)[own]
