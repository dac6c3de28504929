"""What few people have beside a value: what is told of the values next to it.

Twelve people are born after 36 weeks and 5 days. What is told of 36 weeks and 4 days,
and of 6, says what is beside it, and nothing of those twelve.
"""

import re
from dataclasses import replace

import numpy as np

_DIGITS = re.compile(r"(\d+)")


def with_neighbours(lookup, evidence):
    """The same, of one column, where neighbours tell what is told of none.

    Texts tell numbers that rise, or fall, in the order of the texts, whose digits are
    compared as numbers: each of those between two that are told is as far between what
    is told of these, and where all steps are alike so are those beyond, but for what is
    in no run and no value that people have. Numbers tell categories: all between two
    that tell one and the same tell it, too.

    Parameters
    ----------
    lookup : Lookup
        Of one column.
    evidence : Evidence

    Returns
    -------
    Lookup
    """
    (name,), numbers = lookup.columns, evidence.numbers
    if name in numbers and lookup.target not in numbers:
        codes, told = _between_numbers(lookup, evidence)
        values = np.full(len(told), np.nan)
    elif name not in numbers and lookup.target in numbers:
        codes, told, values = _between_texts(lookup, evidence)
    else:
        return lookup
    learnt = lookup.values if len(lookup.values) else np.full(len(lookup.keys), np.nan)
    values = np.append(learnt, values)
    return replace(
        lookup,
        keys=np.append(lookup.keys, codes[:, None], axis=0).astype(np.int32),
        codes=np.append(lookup.codes, told).astype(np.int32),
        n_guessed=len(codes),
        values=values if (~np.isnan(values)).any() else lookup.values,
    )


def _between_numbers(lookup, evidence):
    """Atoms of numbers that nothing is told of, and the categories around them."""
    names = evidence.coding.names
    parts = evidence.coding.parts[names.index(lookup.columns[0])]
    n = len(parts.lows)
    told = np.full(n, -1)
    is_value = lookup.keys[:, 0] < n
    told[lookup.keys[is_value, 0]] = lookup.codes[is_value]
    known = np.flatnonzero((told >= 0) & (parts.lows == parts.highs))
    known = known[np.argsort(parts.lows[known])]
    places, own = parts.lows[known], told[known]
    codes = np.flatnonzero(told < 0)
    before = np.searchsorted(places, parts.lows[codes]) - 1
    after = np.searchsorted(places, parts.highs[codes], side="right")
    is_inside = (before >= 0) & (after < len(known))
    codes, before, after = (of[is_inside] for of in (codes, before, after))
    # Those from one neighbour to the other, these included, tell the same.
    changes = np.append(0, np.cumsum(np.diff(own) != 0))
    are_alike = changes[before] == changes[after]
    return codes[are_alike], own[before[are_alike]]


def _between_texts(lookup, evidence):
    """Categories that nothing is told of, codes, and numbers that these do not say."""
    names = evidence.coding.names
    listed, parts = (
        evidence.coding.parts[names.index(name)]
        for name in (*lookup.columns, lookup.target)
    )
    pooled = evidence.pooled.get(names.index(lookup.columns[0]), ())
    codes = [code for code in range(len(listed.seen)) if code not in pooled]
    codes.sort(key=lambda code: _in_digits(listed.labels[code]))
    told = dict(zip(lookup.keys[:, 0].tolist(), lookup.codes.tolist(), strict=True))
    none = np.empty(0, dtype=np.int64)
    at = np.array([i for i, code in enumerate(codes) if code in told])
    of = np.array([told[codes[i]] for i in at], dtype=np.int64)
    if len(at) < 2 or (of >= len(parts.lows)).any():
        return none, none, none
    values, steps = parts.lows[of].astype(np.float64), np.diff(parts.lows[of])
    in_order = (steps >= 0).all() or (steps <= 0).all()
    if not in_order or (parts.lows[of] < parts.highs[of]).any():
        return none, none, none
    others = np.setdiff1d(np.arange(len(codes)), at)
    slope = steps / np.diff(at)
    if (slope == slope[0]).all():
        own = values[0] + slope[0] * (others - at[0])
    else:
        others = others[(others > at[0]) & (others < at[-1])]
        own = np.interp(others, at, values)
    own = parts.ruler.snap(own.round(9))
    code = parts.encode(own, np.zeros(len(own), dtype=bool))
    # Nobody has one between rates of 7 and 19; runs may end before the last ones.
    is_there = (parts.lows[code] <= own) & (own <= parts.highs[code])
    if (parts.lows < parts.highs).any():
        is_there |= (own < parts.lows.min()) | (own > parts.highs.max())
    others, own, code = (of[is_there] for of in (others, own, code))
    is_one = (parts.lows[code] == own) & (parts.highs[code] == own)
    numbers = evidence.scales[lookup.target].to_numbers(own, np.zeros(len(own), bool))
    return np.array(codes)[others], code, np.where(is_one, np.nan, numbers)


def _in_digits(text):
    """Parts of a text, its digits as numbers: 9+1 is before 10+0."""
    parts = _DIGITS.split(text)
    return [(int(p), "") if i % 2 else (-1, p) for i, p in enumerate(parts)]
