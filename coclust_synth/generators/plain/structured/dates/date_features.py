"""Parts of dates that columns go with: surgery on Mondays, few calls at night.

A tree that is given a date asks whether it is early or late. A part of a date, its
month, weekday or hour, that goes with a column more than chance has it can be asked for
too. It is drawn before the date, from what goes with it, and the date then from those
that have it; of a date that others tell it is what they say, but in rows of persons,
whose dates are told by how long after another they are (see `following`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from coclust_synth.tables.laws.calendars import (
    PART_SIZES,
    Calendar,
    date_part,
    units_a_day,
)
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Fit, Relation
from coclust_synth.tables.rules.compared.numbers import NumberScale
from coclust_synth.tables.rules.evidence import Evidence

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
    since : int, optional
        Position of the dates of the row before, or of others of the same row, of
        weekdays: how many days, 0 to 6, the weekday comes after theirs.
    """

    column: int
    part: str
    since: int | None = None

    @property
    def n_codes(self) -> int:
        """Values of the part, and one for a missing date."""
        return PART_SIZES[self.part] + 1

    def codes(
        self,
        names: Sequence[str],
        numbers: Mapping[str, NDArray[np.float64]],
        scales: Mapping[str, NumberScale],
    ) -> NDArray[np.int32]:
        """Code of each date, from 0; the last one of those that are missing.

        Parameters
        ----------
        names : sequence of str
            Of all columns.
        numbers : mapping of str to ndarray of float64, shape (n,)
            Of dates, days; nan where missing.
        scales : mapping of str to NumberScale
            Of dates.

        Returns
        -------
        ndarray of int32, shape (n,)
        """
        last, name = self.n_codes - 1, names[self.column]
        missing, scale = np.isnan(numbers[name]), scales[name]
        values = scale.nearest(np.where(missing, 0.0, numbers[name]))
        own = date_part(self.part, values, scale.ruler)
        own = np.where(missing, last, own)
        if self.since is None:
            return own.astype(np.int32)
        before = DateFeature(self.since, self.part).codes(names, numbers, scales)
        is_missing = (own == last) | (before == last)
        return np.where(is_missing, last, (own - before) % last).astype(np.int32)

    def to_dict(self) -> dict[str, Any]:
        """JSON compatible form."""
        since = {} if self.since is None else {"since": self.since}
        return {"column": self.column, "part": self.part} | since

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`; a ValueError of a part that is none."""
        if data["part"] not in PART_SIZES:
            raise ValueError("part of a date")
        since = data.get("since")
        return cls(
            int(data["column"]), data["part"], None if since is None else int(since)
        )


def find_date_features(
    evidence: Evidence,
    owns: Mapping[str, tuple[Any, ...]],
    earlier: Mapping[str, str],
    since: Mapping[str, str],
) -> dict[DateFeature, set[str | DateFeature]]:
    """The parts of dates that go with columns, or with other parts of the same date.

    Two go together if a chi-squared test says so that takes rows of one hour of a day
    for as alike as they are.

    Parameters
    ----------
    evidence : Evidence
    owns : mapping of str to (ndarray of int32, shape (n,), (int, int), dict)
        Of each column that is drawn, or that lasts: the codes that its tree is grown
        for; how many there are, and how many of these, the first, are in an order; how
        they are told from others, if they are.
    earlier : mapping of str to str
        Of columns, that with their value of the row before of the same person.
    since : mapping of str to str
        Of dates, those that they are told by their distance from, see `since_dates`.

    Returns
    -------
    dict of DateFeature to set of str and DateFeature
        What goes with each; dates only beside something else. A part goes with that of
        the row before, and with others of the same date that many would have if they
        were independent, though no date has both: registers of a few weeks have no
        Mondays in December.
    """
    next_ones = [name for name, own in since.items() if own in earlier.values()]
    bins = _bins_of(evidence, owns, next_ones)
    found: dict[DateFeature, set[str | DateFeature]] = {}
    # Of two dates of the same years each has months that go with the other.
    places = {n for n in evidence.dates if n in owns and not owns[n][2]}
    after = {(name, "hour") for name in since if _has_hours(evidence, name)}
    for j, name in enumerate(evidence.coding.names):
        if name not in evidence.dates:
            continue
        numbers, scale = evidence.numbers[name], evidence.scales[name]
        hours = np.unique(np.floor(numbers * 24), return_inverse=True)[1]
        has_hours = scale.ruler.step < units_a_day(scale.ruler)
        parts = [part for part in PART_SIZES if has_hours or part != "hour"]
        codes = {
            DateFeature(j, part): DateFeature(j, part).codes(
                evidence.coding.names, evidence.numbers, evidence.scales
            )
            for part in parts
        }
        # Who has no date says nothing of its parts; a part that is drawn is missing
        # where the others are, and with what goes with a date that is missing.
        known, who = ~np.isnan(numbers), evidence.who
        of_known = None if who is None else who[known]
        for feature, own in codes.items():
            others = {key: of for key, of in codes.items() if key != feature} | bins
            along = {
                other
                for other, of in others.items()
                if go_together(
                    own[known], of[known], hours[known], of_known, other in codes
                )
            }
            if along - places - {name} or (name, feature.part) in after:
                found[feature] = along | {
                    other
                    for other, of in others.items()
                    if go_together(own, of, hours, who)
                    or (other in codes and _lack_pairs(own[known], of[known]))
                }
    for name, before in {**earlier, **since}.items():
        at, at_before = map(evidence.coding.names.index, (name, before))
        _tie_to_row_before(found, name, at, at_before, name in since)
    return found


def _bins_of(evidence, owns, next_ones):
    """Bins of columns; of dates of next rows those of the dates, not of distances.

    Their trees are grown for the distance; what goes with the date is asked here.
    """
    bins = {name: binned(own, *sizes[:2]) for name, (own, sizes, _) in owns.items()}
    for name in next_ones:
        j = evidence.coding.names.index(name)
        n_parts = evidence.coding.parts[j].n_parts
        bins[name] = binned(evidence.codes[:, j], n_parts, n_parts)
    return bins


def since_dates(
    evidence: Evidence, owns: Mapping[str, tuple[Any, ...]], earlier: Mapping[str, str]
) -> dict[str, str]:
    """The dates that dates are told by their distance from.

    Those of the row before, or others of the same row: how long a stay was.

    Parameters
    ----------
    evidence, owns, earlier
        As of `find_date_features`.

    Returns
    -------
    dict of str to str
    """
    fits = {name: how.get("fit") for name, (_, _, how) in owns.items()}
    since = {
        name: told_since(fit, earlier) or _near_date(fit, evidence)
        for name, fit in fits.items()
    }
    return {name: own for name, own in since.items() if own is not None}


def _near_date(fit, evidence):
    """The one date that a fit says a date is near, and perhaps nearer by more."""
    if not isinstance(fit, Fit) or not fit.about or fit.logarithms:
        return None
    dates = [name for name in fit.parents if name in evidence.dates]
    is_date = fit.target in evidence.dates and len(dates) == 1
    return dates[0] if is_date and fit.terms[dates[0]] == 1 else None


def _has_hours(evidence, name):
    """Whether dates fall at some hours more than at others."""
    parts = evidence.coding.parts[evidence.coding.names.index(name)]
    calendar = getattr(parts, "grains", None)
    return isinstance(calendar, Calendar) and bool(np.ptp(calendar.hours))


def told_since(fit: Relation | None, earlier: Mapping[str, str]) -> str | None:
    """The column of the row before that a column is told by its distance from.

    Parameters
    ----------
    fit : Relation, optional
        That tells the column.
    earlier : mapping of str to str
        Of columns, that with their value of the row before.

    Returns
    -------
    str or None
        Its own value of the row before, or another: how long after a stay ended the
        next one begins.
    """
    if not isinstance(fit, Fit) or not fit.about or len(fit.parents) > 1:
        return None
    return fit.parents[0] if fit.parents[0] in earlier.values() else None


def _tie_to_row_before(found, name, own, before, is_after):
    """Let the parts of a date go with those of the row before, and with each other.

    The weekday of one that is told by its distance from that of the row before is drawn
    as that of so many days later; of any other date as it is.
    """
    features = [feature for feature in found if feature.column == own]
    earlier = [DateFeature(before, feature.part) for feature in features]
    weekdays = [feature for feature in features if feature.part == "weekday"]
    since = [replace(f, since=before) for f in weekdays if is_after]
    for feature in since:
        found[feature] = {name, *found[DateFeature(own, "weekday")]}
    for feature in [*features, *since]:
        found[feature].update({*features, *earlier, *since} - {feature})
    for feature in earlier:
        found.setdefault(feature, set()).update({*features, *since, name})


def go_together(
    part: NDArray[np.integer],
    bins: NDArray[np.integer],
    hours: NDArray[np.int64],
    persons: NDArray[np.int64] | None,
    is_part: bool = False,
) -> bool:
    """Whether a column differs from one value of a feature to the next.

    Parameters
    ----------
    part : ndarray of int, shape (n,)
        Codes of the feature, few.
    bins : ndarray of int, shape (n,)
        Of the column, see `binned`.
    hours : ndarray of int64, shape (n,)
        Codes of the hour of each date: rows of one hour may be alike.
    persons : ndarray of int64, shape (n,), or None
        Code of each row's, who may have several rows that are alike.
    is_part : bool, default=False
        Whether the column is a part of the same date: all rows of an hour are alike.

    Returns
    -------
    bool
    """
    distance, freedom = _chi_squared(part, bins)
    if not freedom or chdtrc(freedom, distance) >= _MAX_CHANCE:
        return False
    within, degrees = _chi_squared(hours, bins)
    excess = max(within / degrees, 1.0)
    if is_part:
        n_rows = np.bincount(hours)
        excess = max(excess, (n_rows @ n_rows) / n_rows.sum())
    if persons is not None:
        excess = max(excess, excess_of_persons(part, bins, persons))
    return bool(chdtrc(freedom, distance / excess) < _MAX_CHANCE)


def _lack_pairs(first, second):
    """Whether more rows than slips would have pairs of parts that no date has."""
    rows = np.zeros((first.max(initial=0) + 1, second.max(initial=0) + 1))
    np.add.at(rows, (first, second), 1)
    by_chance = np.outer(rows.sum(axis=1), rows.sum(axis=0)) / max(len(first), 1)
    never = (rows == 0) & (by_chance >= MIN_ROWS)
    return bool(by_chance[never].sum() > MAX_BROKEN * len(first))


def excess_of_persons(
    part: NDArray[np.integer], bins: NDArray[np.integer], persons: NDArray[np.int64]
) -> float:
    """By how much rows of persons that are alike raise a chi-squared statistic.

    To 1 + (m - 1) a b, where rows are of persons with m rows on average who are alike
    in these to a and to b, from 0 to 1: not at all where one of the columns differs in
    the rows of a person as it does in all.

    Parameters
    ----------
    part, bins, persons : ndarray of int, shape (n,)
        Codes of the two columns, and of the person of each row.
    """
    n_rows = np.bincount(persons)
    n_rows = n_rows[n_rows > 0]
    most = n_rows.mean() - 1
    alike = (n_rows @ n_rows) / n_rows.sum() - 1
    for own in (part, bins):
        distance, freedom = _chi_squared(persons, own)
        if most > 0 and freedom:
            alike *= np.clip((distance / freedom - 1) / most, 0, 1)
    return 1 + float(alike)


def _chi_squared(first, second):
    """Of two codes of rows that are independent but for chance; degrees of freedom."""
    n_first, n_second = np.bincount(first), np.bincount(second)
    pairs, rows = np.unique(
        first.astype(np.int64) * len(n_second) + second, return_counts=True
    )
    by_chance = n_first[pairs // len(n_second)] * n_second[pairs % len(n_second)]
    distance = len(first) * (rows * rows / by_chance).sum() - len(first)
    return distance, ((n_first > 0).sum() - 1) * ((n_second > 0).sum() - 1)


def binned(
    own: NDArray[np.integer], n_codes: int, n_ordered: int
) -> NDArray[np.integer]:
    """Tenths of codes that are in an order, and the others; few of many.

    Parameters
    ----------
    own : ndarray of int, shape (n,)
    n_codes, n_ordered : int
        How many codes there are, and how many of these, the first, are in an order.

    Returns
    -------
    ndarray of int, shape (n,)
    """
    counts = np.bincount(own, minlength=n_codes)
    if not n_ordered:
        place = np.argsort(np.argsort(-counts, kind="stable"))
        return np.minimum(place, _MAX_CLASSES)[own]
    before = np.cumsum(counts) - counts / 2
    tenths = before * _TENTHS // max(counts[:n_ordered].sum(), 1)
    tenths[n_ordered:] = _TENTHS + np.arange(n_codes - n_ordered)
    return tenths.astype(np.int64)[own]
