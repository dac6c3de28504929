"""What is told of combinations of values, and from where on a number is of a class."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

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
