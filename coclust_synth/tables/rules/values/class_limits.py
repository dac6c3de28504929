"""Which class each number is of: from where to where, beside what other columns say."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


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
