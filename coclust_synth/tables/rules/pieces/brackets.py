"""Columns that are a line of another one in each of some brackets: a tax by income."""

import numpy as np

from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Brackets, Fit
from coclust_synth.tables.rules.compared.numbers import is_rarer
from coclust_synth.tables.rules.fitting.regressions import least_absolute
from coclust_synth.tables.rules.fitting.rounding import (
    are_few,
    has_own_digits,
    misses,
    tolerance,
)
from coclust_synth.tables.rules.fitting.told import dependants, evenly

# Values of both columns, at least, and brackets, at most: a curve has many.
_MIN_VALUES, _MAX_BRACKETS = 100, 8
# What a column goes from and to, in what rounding leaves of it: less is any curve.
_MIN_SPREAD = 1000
# Rows of a first look, in the order of the other column, of which nearly all with
# another value than the row before are on a line with their neighbours.
_FIRST, _MOST, _MIN_STEPS = 400, 0.9, 50
# Where lines nearly meet a row seems to be on either: so many times what rounding is.
_REACH = 3
# Rows that a bracket begins with, and digits of its numbers, at most.
_BEGIN, _DIGITS = 20, 8


def find_brackets(columns, told=()):
    """The columns that are a line of another in two to eight brackets of this.

    At most `MAX_BROKEN` of the rows differ by more than rounding, of all and of those
    that have not the commonest value; and rounded they are what is told. One line for
    all is a sum, which `find_fits` finds. Enough individuals are in each bracket, and
    `told` is what is told exactly.

    Returns
    -------
    list of Brackets
    """
    numbers = {
        name: own
        for name, own in columns.numbers.items()
        if len(np.unique(own)) > _MIN_VALUES
    }
    rulers, of_enough = columns.rulers, (columns.evidence.n_of, columns.enough)
    found, brackets = {each.target: each for each in told}, []
    for target, of in _on_lines(numbers, rulers, found):
        if target not in found and of not in dependants(target, found):
            rule = _learnt(target, of, numbers, rulers[target], *of_enough)
            if rule is not None:
                found[target] = rule
                brackets.append(rule)
    return brackets


def _on_lines(numbers, rulers, found):
    """Columns that look so in a few rows, each with the one that may tell it."""
    targets = [name for name in numbers if name not in found]
    if not targets:
        return
    n = len(numbers[targets[0]])
    rows = evenly(np.arange(n), _FIRST)
    y = np.column_stack([numbers[name][rows] for name in targets])
    slack = np.column_stack([tolerance(numbers[t][rows], rulers[t]) for t in targets])
    for of in numbers:
        x = numbers[of][rows]
        order = np.argsort(x, kind="stable")
        order = order[: (~np.isnan(x)).sum()]
        order = order[np.diff(x[order], prepend=-np.inf) > 0]
        low, own, high = x[order][:-2], x[order][1:-1], x[order][2:]
        share = ((own - low) / (high - low))[:, None]
        z = y[order]
        straight = z[:-2] + share * (z[2:] - z[:-2])
        moves = np.abs(z[2:] - z[:-2]) > slack[order][1:-1]
        is_on = np.abs(z[1:-1] - straight) <= 2 * slack[order][1:-1]
        n_moves = moves.sum(axis=0)
        for j in np.flatnonzero(n_moves >= _MIN_STEPS):
            if targets[j] != of and is_on[moves[:, j], j].mean() >= _MOST:
                yield targets[j], of


def _learnt(target, of, numbers, ruler, n_of, enough):
    """The brackets, if in each of a few enough people have what is told; or None."""
    x, y = numbers[of], numbers[target]
    known = np.flatnonzero(~np.isnan(x) & ~np.isnan(y))
    order = known[np.argsort(x[known], kind="stable")]
    slack = tolerance(y, ruler)
    if np.ptp(y[order]) < _MIN_SPREAD * np.median(slack[order]):
        return None
    lines, starts = [], []
    start = 0
    while start < len(order):
        if len(lines) == _MAX_BRACKETS:
            return None
        stop = _end_of_line(x[order], y[order], slack[order], start)
        rows = np.zeros(len(x), dtype=bool)
        rows[order[start:stop]] = True
        if stop - start < _BEGIN or n_of(rows) < enough:
            return None
        line = _line(target, of, {n: numbers[n][rows] for n in (target, of)}, ruler)
        if line is None:
            return None
        lines.append(line)
        starts.append(start)
        start = stop
    if len(lines) < 2:
        return None
    between = [(x[order[start - 1]], x[order[start]]) for start in starts[1:]]
    neighbours = zip(lines[:-1], lines[1:], between, strict=True)
    rounding = np.median(slack[order])
    ends = tuple(_end(*lines, *ends, rounding) for *lines, ends in neighbours)
    if not all(end is not None and _is_round(*end, x, n_of) for end in ends):
        return None
    ends = tuple(end for end, _ in ends)
    factors, constants = map(tuple, zip(*lines, strict=True))
    rule = Brackets(target, of, ends, factors, constants)
    return rule if _holds(rule, numbers, ruler) else None


def _end_of_line(x, y, slack, start):
    """Where rows that begin on a line leave it, in the order of x."""

    def off_line(stop):
        own = slice(start, stop)
        if np.ptp(x[own]) == 0:
            return np.zeros(stop - start, dtype=bool)
        few = evenly(np.arange(start, stop), _FIRST)
        (factor,), constant, _ = least_absolute(x[few][:, None], y[few])
        return np.abs(y[own] - factor * x[own] - constant) > 1.5 * slack[own]

    def is_on(stop):
        off = off_line(stop)
        return off[-_BEGIN:].sum() <= 1 and off.sum() <= MAX_BROKEN * len(off) + 1

    n, size = len(x), _BEGIN
    while start + size < n and is_on(start + size):
        size *= 2
    low, high = start + size // 2, min(start + size, n)
    if high == n and is_on(n):
        low = n
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_on(middle) else (low, middle)
    on = np.flatnonzero(~off_line(low))
    return start + int(on[-1]) + 1 if len(on) else start


def _line(target, of, numbers, ruler):
    """Factor and constant of a line in its digits; None where it has none."""
    x, y = numbers[of], numbers[target]
    if (y == y[0]).mean() >= 1 - MAX_BROKEN:
        return 0.0, float(np.median(y))
    (factor,), _, _ = least_absolute(x[:, None], y)
    for digits in range(1, _DIGITS + 1):
        told = float(f"{factor:.{digits}g}")
        middle = float(np.median(y - told * x))
        for constant in (0.0, *(float(f"{middle:.{n}g}") for n in range(1, _DIGITS))):
            fit = Fit(target, (of,), (told,), constant)
            if has_own_digits(fit, numbers, ruler):
                return told, constant
    return None


def _end(one, two, last, first, slack):
    """The end of a bracket, and the unit of its last digit.

    It is where lines meet, which they tell: the unit is inf; or a round number before
    the next bracket. None where none of few digits is.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        meet = (one[1] - two[1]) / np.float64(two[0] - one[0])
    # What is told by both lines there is the same, but for rounding.
    reach = _REACH * slack / max(abs(two[0] - one[0]), 1e-300)
    do_meet = last - reach <= meet <= first + reach
    own = meet if do_meet else (last + first) / 2
    for digits in range(1, _DIGITS + 1):
        end = float(f"{own:.{digits}g}")
        if do_meet and abs(end - meet) <= reach / 10 / _REACH:
            return end, np.inf
        if not do_meet and last <= end < first:
            return end, 10.0 ** (np.floor(np.log10(abs(end) or 1)) + 1 - digits)
    return (float(f"{meet:.{_DIGITS}g}"), np.inf) if do_meet else None


def _is_round(end, unit, x, n_of):
    """Whether as many people as are told of are within the last digit of an end."""
    return np.isinf(unit) or n_of(np.abs(x - end) <= unit) >= MIN_ROWS


def _holds(rule, numbers, ruler):
    """Whether few rows that have the column differ from what is said, or are not."""
    missed, known = misses(rule, numbers, ruler)
    has_own = ~np.isnan(numbers[rule.target])
    rarer = has_own & is_rarer(numbers[rule.target])
    return are_few(~known | missed, has_own, rarer)
