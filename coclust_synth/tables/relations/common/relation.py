"""What every relation has."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self


@dataclass(frozen=True)
class Relation(ABC):
    """One rule, in terms of names of columns."""

    form: ClassVar[tuple[str, ...]]
    example: ClassVar[str]
    #: Whether rows differ from it by more than rounding.
    about = False

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
