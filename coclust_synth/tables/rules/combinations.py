"""Parts of two columns that never meet: one fixes the other, or they exclude."""

from dataclasses import dataclass

import numpy as np

from coclust_synth.tables.parts.atoms import AtomParts

# Combinations that as many rows would have, were the columns independent, and none has.
_MIN_EXPECTED = 50
# Where combinations of numbers are looked for: a heap of as many of the rows is a bin
# of its own, the others are gathered into bins of as many.
_HEAP_BIN, _RUN_BIN = 0.02, 0.06
# Chance that a dependence of independent columns is taken for one.
_MAX_CHANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Combinations:
    """Which bins of one column may meet which of another.

    Attributes
    ----------
    first, second : int
        Columns.
    allowed : ndarray of bool, shape (bins of first, bins of second)
    fixes : bool
        Whether each bin of the first meets one of the second only, pooled ones apart.
    """

    first: int
    second: int
    allowed: np.ndarray
    fixes: bool

    def text(self, names):
        """The rule in a few words, for columns of these names."""
        first, second = names[self.first], names[self.second]
        if self.fixes:
            return f"{first} -> {second}"
        return f"{first}, {second}: {(~self.allowed).sum()} combinations never occur"

    def to_dict(self):
        """JSON compatible form."""
        return {
            "first": self.first,
            "second": self.second,
            "allowed": ["".join("01"[int(a)] for a in row) for row in self.allowed],
            "fixes": self.fixes,
        }

    @classmethod
    def from_dict(cls, data):
        """Inverse of `to_dict`."""
        allowed = np.array([[c == "1" for c in row] for row in data["allowed"]])
        return cls(data["first"], data["second"], allowed, data["fixes"])


def code_bins(codes, parts):
    """Bin of each code of a column: its own of a category, ranges of numbers.

    Parameters
    ----------
    codes : ndarray of int32, shape (n,)
    parts : Parts

    Returns
    -------
    ndarray of int32, shape (n_parts,)
    """
    if not isinstance(parts, AtomParts):
        return np.arange(parts.n_parts, dtype=np.int32)
    rows, n = np.bincount(codes, minlength=parts.n_parts), len(codes)
    bins, last, held = np.zeros(parts.n_parts, dtype=np.int32), 0, 0
    for code in range(len(parts.lows)):
        if rows[code] >= _HEAP_BIN * n:
            last += held > 0
            bins[code] = last
            last, held = last + 1, 0
            continue
        bins[code] = last
        held += rows[code]
        if held >= _RUN_BIN * n:
            last, held = last + 1, 0
    if parts.with_missing:
        bins[-1] = last + (held > 0)
    return bins


def find_combinations(bins, n_bins, pooled):
    """The combinations of two columns that do not occur.

    Parameters
    ----------
    bins : ndarray of int32, shape (n, d)
    n_bins : sequence of int
    pooled : mapping of int to set of int
        Bins of a column that stand for several values; they may meet any.

    Returns
    -------
    list of Combinations
        Each pair of columns once, `first` before `second` unless the second fixes it.
    """
    found = []
    for j in range(bins.shape[1]):
        for i in range(j):
            together = np.zeros((n_bins[i], n_bins[j]), dtype=np.int64)
            np.add.at(together, (bins[:, i], bins[:, j]), 1)
            rule = _rule(i, j, together, pooled) or _rule(j, i, together.T, pooled)
            if rule is None:
                rule = _exclusions(i, j, together)
            if rule is not None:
                found.append(rule)
    return found


def _exclusions(i, j, together):
    n = together.sum()
    expected = together.sum(axis=1)[:, None] * together.sum(axis=0) / max(n, 1)
    never = (together == 0) & (expected >= _MIN_EXPECTED)
    return Combinations(i, j, ~never, False) if never.any() else None


def _rule(i, j, together, pooled):
    """The first column fixes the second, more than chance would have it."""
    own = np.array([b not in pooled.get(i, ()) for b in range(len(together))])
    rows = together[own].sum(axis=1)
    seen = rows > 0
    if seen.sum() < 3 or (together.sum(axis=0) > 0).sum() < 2:
        return None
    meets = (together[own] > 0).sum(axis=1)[seen]
    others = np.array([c in pooled.get(j, ()) for c in range(together.shape[1])])
    if (meets - (together[own][:, others] > 0).sum(axis=1)[seen] > 1).any():
        return None
    # Rows of a bin that all have the one value: each beyond the first by chance.
    share = together.sum(axis=0) / together.sum()
    value = together[own].argmax(axis=1)[seen]
    log_chance = ((rows[seen] - 1) * np.log(np.maximum(share[value], 1e-300))).sum()
    if log_chance > np.log(_MAX_CHANCE):
        return None
    allowed = together > 0
    allowed[~own] = True
    allowed[:, others] = True
    return Combinations(i, j, allowed, True)
