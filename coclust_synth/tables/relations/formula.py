"""What every relation has, and those that tell a column; their names and numbers."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Relation(ABC):
    """One rule, in terms of names of columns."""

    #: Its name in files, what it can have there, and one written by hand.
    kind: ClassVar[str]
    form: ClassVar[tuple[str, ...]]
    example: ClassVar[str]
    #: Whether rows differ from it by more than rounding.
    about = False

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """Names of all columns that it is about."""

    def to_dict(self) -> dict:
        """This relation as JSON types; `relation_from_dict` gives it back.

        Its fields, but for those that are as they are by default.
        """
        content: dict[str, Any] = {"kind": self.kind}
        for field in fields(self):
            own = getattr(self, field.name)
            if field.compare and own != field.default:
                content[field.name] = list(own) if isinstance(own, tuple) else own
        return content

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
        wants = self.wants.items()
        return next(
            (name for name, kind in wants if kinds.get(name, kind) != kind), None
        )

    @property
    def wants(self) -> dict[str, str]:
        """Of which kind a column has to be, see `wrong_kind`."""
        return {}

    @property
    def is_loose(self) -> bool:
        """Whether no row breaks it, as it says about what a column is."""
        return self.about

    @property
    def told(self) -> str | None:
        """The column that it tells from others, if it does."""
        return getattr(self, "target", None)

    @property
    def listed(self) -> tuple[str, ...]:
        """Columns of categories that it reads as texts."""
        return ()

    @property
    def named(self) -> tuple[tuple[str, Any], ...]:
        """Columns with values of them that it names."""
        return ()


@dataclass(frozen=True)
class Formula(Relation):
    """A relation that says what a column is, from others of the row.

    A formula has the fields or properties `target`, the name of the column, and
    `parents`, those of the others.

    Attributes
    ----------
    logarithms : bool
        Whether `predict` gives logarithms.
    is_rounded : bool
        Whether rows differ from it by rounding; whole numbers that dates tell do not.
    draws_factor : bool
        Whether rows are what it says times a factor, which of several is drawn: then
        a method `factor` says which one each row has, by the arguments of `nearest`.
    slips : bool
        Whether most rows are what it says to the last digit, and nothing else.
    """

    logarithms = False
    is_rounded = True
    draws_factor = False
    slips = False

    @property
    def columns(self):
        """The target, then those that it is told from."""
        return self.target, *self.parents

    @property
    def wants(self):
        """All are numbers, where a formula says no more of it."""
        return dict.fromkeys(self.columns, "number")

    @abstractmethod
    def predict(self, numbers: Mapping[str, ArrayLike]) -> NDArray:
        """What it says of each row, (n,) float64; nan where it says nothing.

        Parameters
        ----------
        numbers : mapping of str to ndarray of float64, shape (n,)
            Of the columns that it is told from; nan where missing, dates in days.
        """

    def nearest(self, own, told):
        """Of what it lets a row be, the nearest to the value that it has.

        Parameters
        ----------
        own, told : ndarray of float64, shape (n,)
            Of the target, and what `predict` says; nan where missing.

        Returns
        -------
        ndarray of float64, shape (n,)
        """
        if self.draws_factor:
            return self.times(told, self.factor(own, told))
        return told

    def times(self, told, factor):
        """What rows are that have a factor, where one is drawn.

        Parameters
        ----------
        told, factor : ndarray of float64, shape (n,)
            What `predict` says, and what `factor` does.

        Returns
        -------
        ndarray of float64, shape (n,)
        """
        return told * factor


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


def as_written(number):
    """A coefficient in a file: whole ones without decimals."""
    return int(number) if number == int(number) else number


def sum_text(terms, constant):
    """A sum of names, each with its factor, as text."""
    terms = sorted(terms, key=lambda term: term[1] < 0)
    terms = [f"{'+' if c > 0 else '-'} {_times(abs(c), p)}" for p, c in terms]
    text = " ".join(terms).removeprefix("+ ")
    end = f" {'+' if constant > 0 else '-'} {abs(constant):g}"
    return f"{text}{end if constant else ''}"


def _times(factor, name):
    """A term of a sum as text: a sixth, or an hour of a day, is written as a share."""
    over = float(f"{1 / factor:g}")
    if factor == 1 / over and factor != float(f"{factor:g}"):
        return f"{name} / {over:g}"
    return name if factor == 1 else f"{factor:g} * {name}"
