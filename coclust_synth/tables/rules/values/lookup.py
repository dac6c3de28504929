"""What is told of combinations of values, and from where on a number is of a class."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

_DIGITS = re.compile(r"(\d+)")
# Combinations that one whole number tells apart.
_MAX_KEY = 2**62


@dataclass(frozen=True, eq=False)
class ClassLimits:
    """Where the classes of a number begin, for each combination of some categories.

    Attributes
    ----------
    place : int
        Position of the number among the columns that tell its class.
    keys : ndarray of int32, shape (g, number of the other columns)
        Codes of the combinations; one of none where the number tells its class alone.
    limits : tuple of ndarray of float64
        Of each combination, where each class but the lowest begins; they rise.
    classes : tuple of ndarray of int32
        Of each combination, codes of the classes by the numbers, -1 where none is told.
    """

    place: int
    keys: NDArray[np.int32]
    limits: tuple[NDArray[np.float64], ...]
    classes: tuple[NDArray[np.int32], ...]

    @classmethod
    def alone(cls, limits: NDArray[np.float64], classes: NDArray[np.int32]) -> Self:
        """Those of a number that tells its class alone."""
        return cls(0, np.empty((1, 0), dtype=np.int32), (limits,), (classes,))

    def told(
        self, codes: NDArray[np.integer], numbers: NDArray[np.float64]
    ) -> NDArray[np.int32]:
        """Class of each row, -1 where none is told.

        Parameters
        ----------
        codes : ndarray of int, shape (n, number of columns that tell)
        numbers : ndarray of float64, shape (n,)
            Of the column at `place`; nan where missing.
        """
        others = np.delete(codes, self.place, axis=1)
        told = np.full(len(codes), -1, dtype=np.int32)
        for key, limits, classes in zip(
            self.keys, self.limits, self.classes, strict=True
        ):
            rows = (others == key).all(axis=1) & ~np.isnan(numbers)
            told[rows] = classes[np.searchsorted(limits, numbers[rows], side="right")]
        return told

    def to_dict(self) -> dict[str, Any]:
        """JSON compatible form."""
        return {
            "place": self.place,
            "keys": self.keys.tolist(),
            "limits": [own.tolist() for own in self.limits],
            "classes": [own.tolist() for own in self.classes],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], n_columns: int) -> Self:
        """Inverse of `to_dict`; a ValueError of what does not fit together."""
        shape = len(data["keys"]), n_columns - 1
        keys = np.array(data["keys"], dtype=np.int32).reshape(shape)
        limits = tuple(np.array(own, dtype=np.float64) for own in data["limits"])
        classes = tuple(np.array(own, dtype=np.int32) for own in data["classes"])
        place = int(data["place"])
        fits = len(keys) == len(limits) == len(classes) and 0 <= place < n_columns
        for own, of_own in zip(limits, classes, strict=False):
            fits &= len(of_own) == len(own) + 1 and bool((of_own >= -1).all())
            fits &= bool((np.diff(own) > 0).all())
        if not fits:
            raise ValueError("lookups")
        return cls(place, keys, limits, classes)


@dataclass(frozen=True, eq=False)
class Lookup:
    """Which value each combination of values goes with, where enough people have it.

    Attributes
    ----------
    columns : tuple of str
        That tell the target.
    target : str
    keys : ndarray of int32, shape (m, len(columns))
        Codes of each combination.
    codes : ndarray of int32, shape (m,)
        Of the target.
    rises : {1, -1, 0}, default=0
        Whether a number never falls, or never rises, where the one that tells it rises,
        as a tax by bracket; 0 of all others.
    n_guessed : int, default=0
        The last so many combinations have what those next to them tell, see
        `with_neighbours`.
    values : ndarray of float64, shape (m,)
        Of the target, nan where its code stands for one number; empty where all do.
    limits : ClassLimits or None
        Where each class of a number begins, of columns that are one; else None.
    """

    columns: tuple[str, ...]
    target: str
    keys: np.ndarray
    codes: np.ndarray
    rises: int = 0
    n_guessed: int = 0
    values: np.ndarray = field(default_factory=lambda: np.empty(0))
    limits: ClassLimits | None = None

    def told(self, codes):
        """Code of the target of each row of codes of `columns`, -1 where none is told.

        Parameters
        ----------
        codes : ndarray of int, shape (n, len(columns))

        Returns
        -------
        ndarray of int32, shape (n,)
        """
        at = self._at(codes)
        return np.append(self.codes, -1)[at].astype(np.int32)

    def numbers(self, codes):
        """Number of the target of each row, nan where its code says all.

        Parameters
        ----------
        codes : ndarray of int, shape (n, len(columns))

        Returns
        -------
        ndarray of float64, shape (n,)
        """
        if not len(self.values):
            return np.full(len(codes), np.nan)
        return np.append(self.values, np.nan)[self._at(codes)]

    def _at(self, codes):
        """Position of the combination of each row, -1 where nothing is told."""
        found = np.full(len(codes), -1)
        if not len(self.keys):
            return found
        sizes = self.keys.max(axis=0) + 1
        if math.prod(sizes.tolist()) > _MAX_KEY:
            known, asked = (
                pd.MultiIndex.from_arrays([*of.T]) for of in (self.keys, codes)
            )
            return known.get_indexer(asked)
        inside = ((codes >= 0) & (codes < sizes)).all(axis=1)
        keys = np.ravel_multi_index(self.keys.T, sizes)
        own = np.ravel_multi_index(codes[inside].T, sizes)
        order = np.argsort(keys)
        at = np.minimum(np.searchsorted(keys[order], own), len(keys) - 1)
        at = order[at]
        found[inside] = np.where(keys[at] == own, at, -1)
        return found

    @property
    def learnt(self):
        """The same without what is guessed."""
        n = len(self.keys) - self.n_guessed
        own = (of[:n] for of in (self.keys, self.codes, self.values))
        keys, codes, values = own
        return replace(self, keys=keys, codes=codes, values=values, n_guessed=0)

    def told_of_rows(self, codes, numbers):
        """The same of rows whose numbers are known, which tell their class.

        Parameters
        ----------
        codes : ndarray of int, shape (n, len(columns))
        numbers : mapping of str to ndarray of float64, shape (n,)

        Returns
        -------
        ndarray of int32, shape (n,)
        """
        told = self.told(codes)
        if self.limits is None:
            return told
        x = numbers[self.number]
        return np.where(np.isnan(x), told, self.limits.told(codes, x))

    @property
    def number(self):
        """The column of which the target is a class; None without limits."""
        return None if self.limits is None else self.columns[self.limits.place]

    def to_dict(self):
        """JSON compatible form."""
        of_some = {"rises": self.rises} if self.rises else {}
        if self.n_guessed:
            of_some["guessed"] = self.n_guessed
        if len(self.values):
            of_some["values"] = [None if np.isnan(v) else v for v in self.values]
        if self.limits is not None:
            of_some["class_limits"] = self.limits.to_dict()
        return {
            "columns": list(self.columns),
            "target": self.target,
            "keys": self.keys.tolist(),
            "codes": self.codes.tolist(),
        } | of_some

    @classmethod
    def from_dict(cls, data):
        """Inverse of `to_dict`."""
        columns = tuple(data["columns"])
        keys = np.array(data["keys"], dtype=np.int32).reshape(-1, len(columns))
        codes = np.array(data["codes"], dtype=np.int32)
        if len(codes) != len(keys) or (keys < 0).any() or (codes < 0).any():
            raise ValueError("lookups")
        rises = int(data.get("rises", 0))
        if abs(rises) > 1 or (rises and len(columns) > 1):
            raise ValueError("lookups")
        n_guessed = int(data.get("guessed", 0))
        if not 0 <= n_guessed <= len(keys):
            raise ValueError("lookups")
        values = np.array(data.get("values", ()), dtype=np.float64)
        if len(values) not in (0, len(keys)):
            raise ValueError("lookups")
        limits = _limits_from(data, len(columns))
        own = keys, codes, rises, n_guessed, values, limits
        return cls(columns, data["target"], *own)


def _limits_from(data, n_columns):
    """Of a saved model; the first ones had those of a number alone."""
    if "classes" in data:
        limits = {"place": 0, "keys": [[]]}
        limits |= {name: [data[name]] for name in ("limits", "classes")}
    elif "class_limits" in data:
        limits = data["class_limits"]
    else:
        return None
    return ClassLimits.from_dict(limits, n_columns)


def with_neighbours(lookup, evidence):
    """The same, of one column, where neighbours tell what is told of none.

    Twelve people are born after 36 weeks and 5 days. What is told of 36 weeks and 4
    days, and of 6, says what is beside it, and nothing of those twelve.

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
