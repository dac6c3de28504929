"""What may stand together in a row: orders, and values of several columns."""

from dataclasses import dataclass, field, replace
from typing import Any

from coclust_synth.tables.literals import decode, encode
from coclust_synth.tables.relations.formula import Relation, distinct_names

# Pairs of values that never meet, and characters of a value, in the text of a rule.
_MAX_SHOWN, _MAX_LENGTH = 3, 60


@dataclass(frozen=True)
class Order(Relation):
    """One column of numbers, or of dates, is at most another.

    Attributes
    ----------
    low, high : str
    """

    low: str
    high: str

    kind = "order"
    form = ("columns",)
    example = 'columns = ["birth", "admission"]'

    @property
    def columns(self):
        """Both, the lower first."""
        return self.low, self.high

    def __str__(self):
        return f"{self.low} <= {self.high}"

    def to_dict(self):
        return {"kind": self.kind, "columns": list(self.columns)}

    @classmethod
    def read(cls, content):
        return cls(*distinct_names(content["columns"], 2))

    def wrong_kind(self, kinds):
        """Both are numbers, or both are dates."""
        first = kinds.get(self.low)
        for name in self.columns:
            kind = kinds.get(name, "number")
            if kind == "category" or (first is not None and kind != first):
                return name if name in kinds else None
        return None


@dataclass(frozen=True)
class Nested(Relation):
    """Each value of one column goes with one value of another.

    Attributes
    ----------
    code, label : str
    said : str, optional
        Of a label of which the table tells ranges only, that in words. It is of the
        table, not of the rule: it is told, and never read.
    """

    code: str
    label: str
    said: str | None = field(default=None, compare=False)

    kind = "nested"
    form = ("code", "label")
    example = 'code = "sub_grade", label = "grade"'

    @property
    def columns(self):
        """The code, then the label."""
        return self.code, self.label

    def __str__(self):
        return self.said or f"{self.code} -> {self.label}"

    @property
    def of_ranges(self):
        """The same, of ranges of the label."""
        return replace(self, said=f"{self.code} -> a range of {self.label}")

    @classmethod
    def read(cls, content):
        return cls(*distinct_names([content["code"], content["label"]], 2))


@dataclass(frozen=True)
class Dependence(Relation):
    """Rows that have the same values of some columns have the same of another.

    Attributes
    ----------
    parents : tuple of str
        The columns that tell, one or more.
    target : str
        The one that is told.
    """

    parents: tuple[str, ...]
    target: str

    kind = "dependence"
    form = ("columns", "target")
    example = 'columns = ["origin", "destination"], target = "distance"'

    @property
    def columns(self):
        """The target, then those that it is told from."""
        return self.target, *self.parents

    def __str__(self):
        return f"{', '.join(self.parents)} -> {self.target}"

    def to_dict(self):
        columns = list(self.parents)
        return {"kind": self.kind, "columns": columns, "target": self.target}

    @classmethod
    def read(cls, content):
        names = [content["target"], *content["columns"]]
        if isinstance(content["columns"], str) or len(names) < 2:
            raise ValueError
        target, *parents = distinct_names(names, len(names))
        return cls(tuple(parents), target)


@dataclass(frozen=True)
class Never(Relation):
    """Values of two columns that no row has together.

    Attributes
    ----------
    first, second : str
    values : tuple of (value, value), optional
        Categories of the two, None for missing. By default those that the table never
        has although it would, were the columns independent.
    said : str, optional
        Which values they are, in words: where none are given, or in place of many. It
        is of the table, not of the rule: it is told, and never read.
    """

    first: str
    second: str
    values: tuple[tuple[Any, Any], ...] | None = None
    said: str | None = field(default=None, compare=False)

    kind = "never"
    form = ("columns", "values")
    example = 'columns = ["phone", "lines"], values = [["No", "Two"]]'

    @property
    def columns(self):
        """Both."""
        return self.first, self.second

    def __str__(self):
        if self.values is not None and self.said is None:
            return never_text(self.columns, self.values)
        both = f"{self.first}, {self.second}"
        return self.said or f"{both}: combinations that never occur"

    def to_dict(self):
        content = {"kind": self.kind, "columns": list(self.columns)}
        if self.values is not None:
            content["values"] = [[_encode(v) for v in pair] for pair in self.values]
        return content

    @classmethod
    def read(cls, content):
        columns, values = distinct_names(content["columns"], 2), content.get("values")
        if values is not None:
            if not values or not all(isinstance(p, list | tuple) for p in values):
                raise ValueError
            values = tuple((_decode(x), _decode(y)) for x, y in values)
        return cls(*columns, values)

    @property
    def wants(self):
        """Values are listed of columns of categories only."""
        return dict.fromkeys(self.columns if self.values else (), "category")

    @property
    def named(self):
        pairs = (zip(self.columns, values, strict=True) for values in self.values or ())
        return tuple(own for pair in pairs for own in pair if own[1] is not None)


def never_text(columns, pairs):
    """A rule that values of two columns never meet, in words: the first ones of them.

    Parameters
    ----------
    columns : sequence of str
    pairs : sequence of (value, value)
        None for missing.
    """
    shown = ", ".join(" with ".join(map(_shown, pair)) for pair in pairs[:_MAX_SHOWN])
    more = len(pairs) - _MAX_SHOWN
    more = f", and {more} more" if more > 0 else ""
    return f"{', '.join(columns)}: never {shown}{more}"


def _encode(value):
    return {"missing": True} if value is None else encode(value)


def _decode(value):
    return None if value == {"missing": True} else decode(value, "A rule")


def _shown(value):
    if value is None or value == "":
        return "missing" if value is None else repr(value)
    text = str(value)
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 3]}..."
