"""What every relation has, and how its names and numbers are read."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self


@dataclass(frozen=True)
class Relation(ABC):
    """One rule, in terms of names of columns."""

    form: ClassVar[tuple[str, ...]]
    example: ClassVar[str]

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """Names of all columns that it is about."""

    @abstractmethod
    def to_dict(self) -> dict:
        """This relation as JSON types; `relation_from_dict` gives it back."""

    @classmethod
    @abstractmethod
    def read(cls, content: dict) -> Self:
        """Inverse of `to_dict`; a ValueError, TypeError or KeyError if it is none."""

    def wrong_kind(self, kinds: Mapping[str, str]) -> str | None:
        """The first column whose kind does not suit it, if any.

        Parameters
        ----------
        kinds : mapping of str to str
            Kind of each column; "number" stands for integer and real, "category" for
            the listed ones. Those that are not known are left out.
        """
        return None

    @property
    def named(self) -> tuple[tuple[str, Any], ...]:
        """Columns with values of them that it names."""
        return ()


def distinct_names(names, n):
    """Texts of a list, as a tuple; a ValueError or TypeError if not n distinct ones."""
    if not isinstance(names, list | tuple):
        raise TypeError
    if len(names) != n or len(set(names)) < n:
        raise ValueError
    if not all(isinstance(name, str) for name in names):
        raise TypeError
    return tuple(names)


def finite_number(value):
    """A number as a float; a ValueError or TypeError if it is no finite one."""
    if isinstance(value, bool) or not math.isfinite(value):
        raise ValueError
    return float(value)
