"""Classes of a number: each is all numbers between two limits, as of a weight."""

from typing import Any, NamedTuple

import numpy as np

from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Dependence
from coclust_synth.tables.rules.fitting.told import dependants
from coclust_synth.tables.rules.values.pairs import Pair

#: Kinds of the numbers: dates have other round ones.
CLASS_KINDS = ("integer", "real")
#: Classes of a number, at most.
MAX_CLASSES = 12
# Rows of a first look, and how many times as often as in all rows a number may be in
# another class there.
_FIRST, _SLACK = 1000, 3
# Limits among which one is chosen, at most: of more the choice would tell who is next
# to it.
_MAX_LIMITS = 20


def find_classes(evidence, told, min_individuals):
    """The columns of categories that are classes of a number.

    Numbers of which each bin is of one class are left out: `find_combinations` finds
    what these tell. Dates are, too.

    Parameters
    ----------
    evidence : Evidence
    told : mapping of str to relation
        Columns that are told from others already; none comes to depend on itself.
    min_individuals : int
        Who are in a class, and who are in others.

    Returns
    -------
    list of Dependence
        Each class of the first number whose classes it is.
    """
    found, names = dict(told), evidence.coding.names
    some = slice(None, None, max(len(evidence.codes) // _FIRST, 1))
    numbers = {
        names.index(name): _order(x[some])
        for name, x in evidence.numbers.items()
        if evidence.coding.schema[name].kind in CLASS_KINDS
    }
    classes = []
    for j, name in enumerate(names):
        if name in evidence.numbers or name in found:
            continue
        codes = evidence.codes[some, j]
        if not 1 < len(np.unique(codes)) <= MAX_CLASSES:
            continue
        banned = dependants(name, found)
        for i, order in numbers.items():
            if names[i] not in banned and _may_be(codes[order]):
                if _are_found(i, j, evidence, min_individuals):
                    found[name] = Dependence((names[i],), name)
                    classes.append(found[name])
                    break
    return classes


def _order(x):
    """Rows that have a number, in its order."""
    return np.argsort(x, kind="stable")[: (~np.isnan(x)).sum()]


def _may_be(codes):
    """Whether few rows in the order of a number are in another class than the next."""
    slips = _SLACK * MAX_BROKEN * len(codes) + 2
    return (np.diff(codes) != 0).sum() <= len(np.unique(codes)) + 2 * slips


def _are_found(i, j, evidence, min_individuals):
    """See `find_classes`."""
    names, pair = evidence.coding.names, Pair.of(i, j, evidence)
    known = pair.together[pair.known(i)][:, pair.single(j)]
    if known.sum() == known.max(axis=1, initial=0).sum():
        return False
    if learn_limits(evidence, names[i], names[j])[0] is None:
        return False
    of_classes = np.sort(pair.individuals(j))
    others = of_classes[:-1].sum()
    return min(of_classes[-1], others) >= max(min_individuals, MIN_ROWS)


def learn_limits(evidence, number, target, rows=None):
    """Where each class of a number begins.

    A limit is the roundest number that puts the fewest rows into another class than
    they are in, of those between the values that 20 individuals on each side reach.
    Classes at an end that fewer have together are not told from the 20 next to them.

    Parameters
    ----------
    evidence : Evidence
    number, target : str
    rows : ndarray of bool, shape (n,), optional
        That are looked at; all by default.

    Returns
    -------
    limits : ndarray of float64, shape (m - 1,)
        Of each class but the lowest, that belong to it; they rise.
    classes : ndarray of int32, shape (m,)
        Codes of the target, by the numbers; -1 where none is told.
        Both None where it has no such classes.
    """
    ends = _Ends.of(evidence, number, target, rows)
    if ends is None:
        return None, None
    limits, classes = [], ends.classes.copy()
    for c in range(1, len(classes)):
        low, high = ends.below(c, MIN_ROWS), ends.above(c, MIN_ROWS)
        if low is None:
            low, high, classes[c - 1] = high, ends.above(c, 2 * MIN_ROWS), -1
        elif high is None:
            low, high, classes[c] = ends.below(c, 2 * MIN_ROWS), low, -1
        if low is None or high is None or not low < high:
            return None, None
        limits.append(ends.limit(c, low, high))
    limits = np.array(limits, dtype=np.float64)
    told = classes[np.searchsorted(limits, ends.x, side="right")]
    n_broken = ((told >= 0) & (told != ends.classes[ends.place])).sum()
    are_told = (classes >= 0).sum() > 1 and (np.diff(limits) > 0).all()
    if not are_told or n_broken > MAX_BROKEN * len(told):
        return None, None
    return limits, classes


class _Ends(NamedTuple):
    """Rows whose number and class are known, and their classes, the lowest first.

    x : (n,) float64. place : (n,) int64, of the class. rows : (n,), of the evidence.
    classes : (m,) int32, codes. evidence : Evidence. ruler : Ruler.
    """

    x: np.ndarray
    place: np.ndarray
    rows: np.ndarray
    classes: np.ndarray
    evidence: Any
    ruler: Any

    @classmethod
    def of(cls, evidence, number, target, rows=None):
        """None where the columns are of other kinds, or there are too many classes."""
        is_number = evidence.coding.schema[number].kind in CLASS_KINDS
        if not is_number or target in evidence.numbers:
            return None
        x, j = evidence.numbers[number], evidence.coding.names.index(target)
        codes, pooled = evidence.codes[:, j], evidence.pooled.get(j, ())
        known = ~np.isnan(x) & ~evidence.is_moved(j) & ~np.isin(codes, [-1, *pooled])
        known = known if rows is None else known & rows
        x, codes = x[known], codes[known]
        classes, place = np.unique(codes, return_inverse=True)
        if not 1 < len(classes) <= MAX_CLASSES:
            return None
        middle = [np.median(x[place == c]) for c in range(len(classes))]
        order = np.argsort(middle, kind="stable")
        classes, place = classes[order].astype(np.int32), np.argsort(order)[place]
        ruler = evidence.scales[number].ruler
        return cls(x, place, np.flatnonzero(known), classes, evidence, ruler)

    def below(self, c, n):
        """The highest number that n individuals below a class reach, if as many are."""
        reached = self._reached(-self.x, self.place < c, n)
        return None if reached is None else -reached

    def above(self, c, n):
        """The lowest number that n individuals of a class or above it are down to."""
        return self._reached(self.x, self.place >= c, n)

    def _reached(self, x, is_own, n):
        own = np.flatnonzero(is_own)
        own = own[np.argsort(x[own], kind="stable")]
        if self.evidence.persons is not None:
            persons = self.evidence.persons.codes[self.rows[own]]
            own = own[np.sort(np.unique(persons, return_index=True)[1])]
        return x[own[n - 1]] if len(own) >= n else None

    def limit(self, c, low, high):
        """The best limit of a class above one number, and up to another.

        nan where there is none. Numbers that many have, and those next to them, are
        taken if no rounder one is as good.
        """
        lower, upper = np.sort(self.x[self.place < c]), np.sort(self.x[self.place >= c])
        held = [self.ruler.above(low)] * self._is_of_many(low)
        held += [high] * self._is_of_many(high)
        best, fewest = np.nan, np.inf
        step = getattr(self.ruler, "step", 0)
        for limits in (*_round_limits(low, high, step), np.array(held, np.float64)):
            limits = limits[(low < limits) & (limits <= high)]
            broken = len(lower) - np.searchsorted(lower, limits)
            broken = broken + np.searchsorted(upper, limits)
            if len(limits) and broken.min() < fewest:
                best, fewest = limits[broken.argmin()], broken.min()
        return best

    def _is_of_many(self, value):
        rows = np.zeros(len(self.evidence.codes), dtype=bool)
        rows[self.rows] = self.x == value
        return self.evidence.n_of(rows) >= MIN_ROWS


def _round_limits(low, high, step):
    """Multiples of 5, 2 and 1 times powers of ten around two numbers, coarsest first.

    As a text of them is read: a quotient is rounded once.
    """
    exponent = int(np.ceil(np.log10(max(abs(low), abs(high))))) + 1
    while True:
        power = 10.0 ** abs(exponent)
        for factor in (5, 2, 1):
            size = factor * 10.0**exponent
            if size < step * (1 - 1e-9) or (high - low) / size > _MAX_LIMITS:
                return
            of = factor * np.arange(np.floor(low / size), np.floor(high / size) + 1)
            yield of / power if exponent < 0 else of * power
        exponent -= 1
