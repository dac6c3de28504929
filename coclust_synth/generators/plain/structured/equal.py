"""Numbers that equal another column in many rows: a bill paid in full.

A tree that is given one of two numbers tells about how large the other is, seldom that
it is the same. Where it is in many more rows than such a tree would have it, whether
they are equal is drawn before the second one, from a tree of its own: the small bills
are paid in full. The others are drawn from the rows that differ.

So too where it is the other and a number that is always the same, or that number less
the other: who is followed to the end is so from the day of entry to the last one of a
study. And of the rows in which a date is not what it is in most, whether it is a second
column: the day of custody is that of the first arrest, or else of the next.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from coclust_synth.generators.plain.structured.dates.date_features import (
    binned,
    go_together,
)
from coclust_synth.generators.plain.structured.leaves.balance import share_of
from coclust_synth.generators.plain.trees._tree_kernels import Leaves
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.compared.numbers import (
    NumberScale,
    equal_pairs,
    is_rarer,
    up_to,
)
from coclust_synth.tables.rules.evidence import Evidence

# Equal in such a share of the rows at least, beyond what trees tell: few more are lost.
_MIN_EQUAL = 0.1
# Chance that any two of independent columns are taken for such.
_MAX_CHANCE = 1e-2
# How often the odds of runs are set right.
_N_ROUNDS = 20
# Rows, about, in which constants are looked for.
_ROWS_OF_LOOK = 2000


@dataclass(frozen=True)
class Equal:
    """Whether a number is that of a column before it, or so far from a fixed one.

    Attributes
    ----------
    column, other : int
        Positions of the number, and of the one that it equals.
    starts : tuple of float
        Where runs of numbers begin, but for the first.
    rows : tuple of int
        Of each run, those in which both numbers are the same, of k individuals at
        least: of the largest bills hardly one is paid in full.
    factor : int, default=1
        Of the other number: 1 or -1.
    constant : float, default=0.0
        Added to it: the last day of a study, less the day of entry.
    beside : int or None
        The position of a column that it equals in other rows, which are none of these;
        None of the first that it equals.
    """

    column: int
    other: int
    starts: tuple[float, ...]
    rows: tuple[int, ...]
    factor: int = 1
    constant: float = 0.0
    beside: int | None = None

    part: ClassVar[str] = "equal"
    since: ClassVar[None] = None
    n_codes: ClassVar[int] = 2

    def codes(
        self,
        names: Sequence[str],
        numbers: Mapping[str, NDArray[np.float64]],
        scales: Mapping[str, NumberScale],
    ) -> NDArray[np.int32]:
        """1 of each row in which it is, see `DateFeature.codes`."""
        own = numbers[names[self.column]]
        is_it = own == self.numbers(names, numbers)
        if self.beside is not None:
            column, beside = names[self.column], names[self.beside]
            is_it &= own != up_to(numbers[beside], scales[beside], scales[column])
        return is_it.astype(np.int32)

    def numbers(
        self, names: Sequence[str], numbers: Mapping[str, NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """What the number of each row is if it is equal, given all columns."""
        return self.factor * numbers[names[self.other]] + self.constant

    def of(self, names: Sequence[str]) -> str | Fit:
        """The column that the number equals, or what it is of it."""
        own, other = names[self.column], names[self.other]
        if (self.factor, self.constant) == (1, 0):
            return other
        return Fit(own, (other,), (float(self.factor),), self.constant)

    def drawn(
        self,
        others: NDArray[np.float64],
        leaf: NDArray[np.int64],
        leaves: Leaves,
        rng: np.random.Generator,
        is_balanced: bool,
    ) -> NDArray[np.int32]:
        """Draw which rows are equal, as often in each run as in the table.

        Parameters
        ----------
        others : ndarray of float64, shape (n,)
            What a row has if it is.
        leaf : ndarray of int64, shape (n,)
        leaves : Leaves
            Of the codes of this.
        rng : numpy.random.Generator
        is_balanced : bool
            Whether all rows are there that were to be drawn. Else each is equal as
            often as those of its leaf.

        Returns
        -------
        ndarray of int32, shape (n,)
        """
        share = share_of(leaves, leaves.code == 1)[leaf]
        share = np.where(np.isnan(others), 0.0, share)
        run = np.searchsorted(self.starts, others, side="right")
        if is_balanced:
            n_table = leaves.rows[leaves.indptr[-2] :].sum()
            wanted = np.array(self.rows) * len(leaf) / n_table
            odds, own = np.ones(len(wanted)), share
            for _ in range(_N_ROUNDS):
                expected = np.bincount(run, share, len(wanted))
                odds *= wanted / np.maximum(expected, 1e-3 * wanted)
                share = own * odds[run] / (1 - own + own * odds[run])
        # Rows of a run side by side: as many are equal as are expected to be.
        order = np.lexsort([rng.random(len(run)), run])
        reached = np.cumsum(share[order]) + rng.random()
        codes = np.zeros(len(run), dtype=np.int32)
        codes[order] = np.diff(np.floor(reached), prepend=0.0) > 0
        return codes

    def to_dict(self) -> dict[str, Any]:
        """JSON compatible form."""
        own = asdict(self)
        return own | {name: [*own[name]] for name in ("starts", "rows")}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`; a ValueError of runs that are none."""
        starts, rows = tuple(map(float, data["starts"])), tuple(map(int, data["rows"]))
        if [*starts] != sorted({*starts}) or len(rows) != len(starts) + 1:
            raise ValueError("starts")
        if min(rows) < 1:
            raise ValueError("rows")
        factor, constant = int(data.get("factor", 1)), float(data.get("constant", 0))
        if factor not in {1, -1} or not np.isfinite(constant):
            raise ValueError("factor")
        places = int(data["column"]), int(data["other"])
        beside = None if data.get("beside") is None else int(data["beside"])
        return cls(*places, starts, rows, factor, constant, beside)


def find_equal(
    evidence: Evidence,
    owns: Mapping[str, tuple[Any, ...]],
    order: Sequence[str],
    free: Mapping[str, tuple[str | None, NDArray[np.bool_]]],
    told_by: Callable[[str, str], NDArray[np.int64]],
    k: int,
) -> dict[Equal, set[Any]]:
    """The numbers that equal one before them in many rows, and what goes with that.

    Parameters
    ----------
    evidence : Evidence
    owns : mapping of str to (ndarray of int32, shape (n,), (int, int), dict)
        Of each column that is drawn, as `find_date_features` takes them.
    order : sequence of str
        Columns that are drawn, one after the other.
    free : mapping of str to (str or None, ndarray of bool, shape (n,))
        Those of them that may equal others, as no rule tells them, and what an order
        ties each to, in which rows: it is to equal another in more, or in others.
    told_by : callable
        From a column and another to the leaf of each row, of a tree that tells the
        first by the second.
    k : int
        Individuals that have both the same, and that have not, at least.

    Returns
    -------
    dict of Equal to set of (str or Equal)
        The column itself, those after it, and whether others are equal.
    """
    numbers = [n for n in order if n in evidence.numbers]
    pairs = [
        (name, other)
        for place, name in enumerate(numbers)
        for other in numbers[:place]
        if name in free and _are_comparable(evidence, name, other)
    ]
    names = evidence.coding.names
    found: dict[Equal, set[Any]] = {}
    best = _best_lines(evidence, pairs, free, told_by, k)
    lines = [(name, *line, None) for name, line in best.items()]
    # By an order, or as found: of a fixed amount beside it there is no second one.
    firsts = {name: other for name, (other, _) in free.items()}
    firsts |= {n: of if line == [1, 0] else None for n, (of, *line) in best.items()}
    seconds = _second_columns(evidence, pairs, firsts, told_by, k)
    lines += [(n, of, 1, 0.0, names.index(firsts[n])) for n, of in seconds.items()]
    for name, other, *line in lines:
        own = Equal(names.index(name), names.index(other), (), (), *line)
        is_it = own.codes(names, evidence.numbers, evidence.scales) == 1
        found[replace(own, **_runs(evidence, name, is_it, k))] = {name}
    codes = {own: own.codes(names, evidence.numbers, evidence.scales) for own in found}
    bins = {name: binned(own, *sizes[:2]) for name, (own, sizes, _) in owns.items()}
    for equal, along in found.items():
        place = order.index(names[equal.column])
        later: dict[Any, Any] = {name: bins[name] for name in order[place + 1 :]}
        later |= {own: of for own, of in codes.items() if names[own.column] in later}
        alike = np.unique(evidence.codes[:, equal.column], return_inverse=True)[1]
        along |= {
            own
            for own, of in later.items()
            if go_together(codes[equal], of, alike, evidence.who)
        }
        along |= {own for own in found if own.column == equal.column} - {equal}
    return found


def _are_comparable(evidence, name, other):
    """Whether a number may be another, or the days from a date to a fixed one."""
    schema = evidence.coding.schema
    is_since = other in evidence.dates and schema[name].compared_as == "number"
    return is_since or evidence.are_alike(name, other)


def _best_lines(evidence, pairs, free, told_by, k):
    """Of each number that often is another the one that it is in most rows.

    Returns
    -------
    dict of str to (str, int, float)
        The other, its factor, and the constant.
    """
    numbers = {name: evidence.numbers[name] for name in {*chain(*pairs)}}
    rarer = {name: is_rarer(own) for name, own in numbers.items()}
    whole = {n for n, own in numbers.items() if (own % 1 == 0).all(where=own == own)}
    level = np.log(_MAX_CHANCE / max(len(pairs), 1))
    best: dict[str, tuple[float, tuple[str, int, float]]] = {}
    for name, other in pairs:
        x, y = numbers[name], numbers[other]
        rows = rarer[name] & rarer[other] & ~np.isnan(x - y)
        lines = [(1, 0.0)] if evidence.are_alike(name, other) else []
        if {name, other} <= whole and name not in evidence.dates:  # Nothing is rounded.
            lines += _with_constants(x[rows], y[rows])
        for factor, constant in lines:
            line = factor * y + constant
            if (x == line).sum() <= free[name][1].sum():
                continue
            # Of as many constants as there are rows one was chosen.
            chosen = np.log(len(x)) if (factor, constant) != (1, 0) else 0.0
            if evidence.n_of(rows & (x != line)) < MIN_ROWS:
                continue
            leaf = partial(told_by, name, other)
            n_more = _more_equal(evidence, (x, line), rows, leaf, level - chosen, k)
            if name not in best or n_more > best[name][0]:
                best[name] = n_more, (other, factor, constant)
    return {name: line for name, (n_more, line) in best.items() if n_more > 0}


def _second_columns(evidence, pairs, firsts, told_by, k):
    """What dates often equal in rows in which they are not their first column.

    Other numbers do where that is missing, as who leaves a study is last seen at one
    visit or another. Not where it is there: of shares that many columns have, as of
    words in short texts, a second one would take rows from what trees tell of all.
    """
    level, best = np.log(_MAX_CHANCE / max(len(pairs), 1)), {}
    for name, other in pairs:
        first = firsts[name]
        if first in {None, other} or not evidence.are_alike(name, other):
            continue
        x, y = evidence.numbers[name], evidence.numbers[other]
        rows = is_rarer(x) & is_rarer(y) & ~np.isnan(x - y)
        of_first = evidence.numbers[first]
        if name in evidence.dates:
            rows &= x != up_to(of_first, evidence.scales[first], evidence.scales[name])
        else:
            rows &= np.isnan(of_first)
        leaf = partial(told_by, name, other)
        n_more = _more_equal(evidence, (x, y), rows, leaf, level, k)
        if n_more > best.get(name, (0,))[0]:
            best[name] = n_more, other
    return {name: other for name, (_, other) in best.items()}


def _with_constants(x, y):
    """Factors and constants by which one number is that of another in most rows."""
    few = slice(None, None, max(len(x) // _ROWS_OF_LOOK, 1))
    x, y = x[few], y[few]
    for factor in (1, -1) if len(x) else ():
        apart, rows = np.unique(x - factor * y, return_counts=True)
        constant = float(apart[rows.argmax()])
        if rows.max() >= _MIN_EQUAL * len(x) and (factor, constant) != (1, 0):
            yield factor, constant


def _more_equal(evidence, both, rows, told_by, level, k):
    """Rows in which two numbers are equal beyond what a tree tells; 0 of few.

    Rows in which one of them has its commonest value, such as 0, are left out. Of the
    others more are to be equal than chance has it where the leaf of the one is known,
    and than have the next higher or lower value: counts that are near each other are
    often equal, too.
    """
    x, y = both
    equal, n = rows & (x == y), rows.sum()
    if equal.sum() < max(k, _MIN_EQUAL * n):
        return 0
    least = max(k, MIN_ROWS)
    if evidence.n_of(equal) < least:
        return 0
    labels = np.unique([x[rows], y[rows]], return_inverse=True)[1].reshape(2, -1)
    is_next = np.abs(labels[0] - labels[1]) == 1
    n_equal, beside = equal.sum(), is_next.sum() / 2
    if n_equal < beside + _MIN_EQUAL * n:
        return 0
    # Of a value that so many have a leaf can tell how many have it twice.
    value = np.unique(y, return_inverse=True)[1]
    held = evidence.count(value, int(value.max()) + 1)[value]
    if evidence.n_of(equal & (held < least)) < least:
        return 0
    by_chance = _by_chance(labels, told_by()[rows])
    # As rare as so many of a Poisson law with this mean; rows of a person as one.
    weight = evidence.n_of(equal) / n_equal
    chance = n_equal - by_chance - n_equal * np.log(n_equal / by_chance)
    if n_equal < by_chance + _MIN_EQUAL * n or chance * weight > level:
        return 0
    return n_equal - max(beside, by_chance)


def _runs(evidence, name, equal, k):
    """Where runs begin of k individuals, and 20, who have both equal; their rows.

    At ends of atoms, which are told anyway.
    """
    own = evidence.numbers[name]
    if evidence.persons is not None:  # Of rows after the first leaves tell.
        return {"starts": (), "rows": (evidence.n_of(equal),)}
    atoms = evidence.coding.parts[evidence.coding.names.index(name)]
    lows = np.unique(atoms.lows / evidence.scales[name].per_day)[1:]
    atom = np.where(equal, np.searchsorted(lows, own, side="right"), -1)
    who = evidence.count(atom, len(lows) + 1)
    starts, n, left, least = [], who[0], who[1:].sum(), max(k, MIN_ROWS)
    for low, of_atom in zip(lows.tolist(), who[1:].tolist(), strict=True):
        if n >= least <= left:
            starts.append(low)
            n = 0
        n, left = n + of_atom, left - of_atom
    run = np.searchsorted(starts, own[equal], side="right")
    rows = np.bincount(run, minlength=len(starts) + 1)
    return {"starts": tuple(starts), "rows": tuple(rows.tolist())}


def _by_chance(labels, leaf):
    """Rows that would be equal were both columns independent in each leaf."""
    order = np.argsort(leaf, kind="stable")
    first = np.flatnonzero(np.diff(leaf[order], prepend=-1))
    return sum(
        equal_pairs(*own) / own.shape[1]
        for own in np.split(labels[:, order], first[1:], axis=1)
    )
