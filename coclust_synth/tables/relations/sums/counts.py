"""Columns that count how many of others have a value: of twelve symptoms how many."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from coclust_synth.tables.literals import VALUE_TYPES, decode, encode
from coclust_synth.tables.relations.common.fields import distinct_names
from coclust_synth.tables.relations.common.formula import Formula

# So many columns are named in words.
_MAX_SHOWN = 5


@dataclass(frozen=True)
class Count(Formula):
    """A column that says how many of others have a value.

    Attributes
    ----------
    target : str
    of : tuple of (str, value)
        Two columns of categories or more, and the value of each that counts. Nothing is
        said of rows that lack one of them.
    """

    target: str
    of: tuple[tuple[str, Any], ...]

    form = ("target", "of")
    example = 'target = "symptoms", of = { cough = "yes", fever = "yes" }'
    is_rounded = False

    @property
    def parents(self):
        """The columns that it counts."""
        return tuple(name for name, _ in self.of)

    @property
    def listed(self):
        """See `Relation`."""
        return self.parents

    @property
    def named(self):
        """See `Relation`."""
        return self.of

    def __str__(self):
        shown = ", ".join(f"{name} {value}" for name, value in self.of[:_MAX_SHOWN])
        more = len(self.of) - _MAX_SHOWN
        last = f" and {more} more" if more > 0 else ""
        return f"{self.target} = how many of {shown}{last}"

    def to_dict(self):
        """See `Relation`."""
        of = {name: encode(value) for name, value in self.of}
        return {"kind": "count", "target": self.target, "of": of}

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        of = tuple((n, decode(value, "A rule")) for n, value in content["of"].items())
        if not all(isinstance(value, VALUE_TYPES) for _, value in of):
            raise TypeError
        target, *_ = distinct_names([content["target"], *content["of"]], 1 + len(of))
        if len(of) < 2:
            raise ValueError
        return cls(target, of)

    def wrong_kind(self, kinds):
        """Categories are counted, and their number is one."""
        if kinds.get(self.target, "number") != "number":
            return self.target
        wrong = (n for n in self.parents if kinds.get(n, "category") != "category")
        return next(wrong, None)

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where it says nothing.

        Parameters
        ----------
        numbers : mapping of str to ndarray of object, shape (n,)
            Of the columns that it counts: categories as texts, None where missing.
        """
        told = np.zeros(len(numbers[self.parents[0]]))
        for name, value in self.of:
            own = numbers[name]
            told += np.where(np.equal(own, None), np.nan, own == str(value))
        return told
