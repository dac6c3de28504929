"""What is known of a table's columns before any row is modelled.

A `Schema` is an ordered tuple of `Column`. A complete schema, as `infer_schema`,
`conform` and `read_table` give it, is enough to turn a table into arrays and
arrays into a table of the same columns and types. A schema written by hand may
leave fields out: `conform` fills them from the table.
"""

from __future__ import annotations

import datetime
import difflib
import math
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from typing import Any

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables import clock, schema_heads
from coclust_synth.tables.files.inputs import read_declared
from coclust_synth.tables.files.outputs import check_writable, write_files
from coclust_synth.tables.literals import decode, encode, parse_toml, to_toml
from coclust_synth.tables.relations import Relation, check_relations, relation_from_dict
from coclust_synth.tables.showing import Shown

KINDS = ("categorical", "ordinal", "integer", "real", "boolean", "datetime")
LISTED_KINDS = ("categorical", "ordinal", "boolean")
NUMERIC_KINDS = tuple(kind for kind in KINDS if kind not in LISTED_KINDS)
ORDERED_KINDS = ("ordinal", *NUMERIC_KINDS)
ROLES = ("identifier", "quasi-identifier", "sensitive", "other")
TREATMENTS = ("keep", "drop", "key", "undecided")
_NUMBERS = (int, float)
_MAX_STEP = 2**63
# Why a column is undecided that a schema calls so, beside its own words.
_OPEN = "the schema leaves it open"
UNITS = ("D", "s", "ms", "us", "ns")
# How the name of a group ends that rare values are released as, see `parts.rare`.
OTHER = "(other)"


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    name : str
        Name in the table.
    kind : {"categorical", "ordinal", "integer", "real", "boolean", "datetime"}
        How the column is modelled. None: read from the table.
    dtype : str
        pandas dtype to give back. Beyond pandas' own names: ``category[str]``,
        ``category[int64, ordered]``, and ``object`` with, in brackets, the type of
        the objects (``date``, ``time`` or ``Decimal``) and the missing value (``nan``,
        ``NA`` or ``NaT``; None otherwise). None: read from the table.
    role : {"identifier", "quasi-identifier", "sensitive", "other"}
        What the column tells about a person.
    treatment : {"keep", "drop", "key", "undecided"}
        Whether it is modelled. A key, which differs in every row, is made anew in
        plain synthetic tables and left out of others. A fit refuses an undecided
        column.
    reason : str
        Why the treatment is undecided.
    missing : tuple of str
        Marks of a missing value in text files; the first is written back.
        None: read from the table.
    categories : tuple
        Values of a categorical, ordinal or boolean column, in order; for a boolean
        the false value, then the true one.
    bounds : tuple
        Lowest and highest value of an integer, real or datetime column. Those of a
        datetime are ISO texts, in UTC if it has a time zone; of times, ``08:30:00``.
    step : int or float
        Every value is a multiple of it; None for a continuous real. For a datetime,
        in its unit, from 1970-01-01.
    unit : {"D", "s", "ms", "us", "ns"}
        Coarsest unit in which every value of a datetime column is whole.
    rare : int
        Individuals that a value of a synthetic table describes at least. None: what
        the synthesizer says.
    public : bool
        Whether the domain (categories or bounds) is public, such as a code list, and
        released as it stands.
    format : str
        Layout in text files. Of a datetime, a strftime pattern, or of times without a
        date ``hh:mm``, ``hh:mm:ss``, ``h:mm`` or ``h:mm:ss`` (hours may pass 24), or
        one of these and ``AM``, such as ``h:mm AM`` or ``h:mmam``; of a number, words
        in this order: what is around it, such as ``$#`` or ``# %``; ``brackets`` where
        negative ones have these for a minus, ``plus`` where positive ones have one
        (``plus-zero``: 0 too);
        ``comma`` where decimals follow a comma;
        ``thousands`` where they are parted; ``no-zero`` for .5 rather than 0.5;
        ``.2f`` for fixed decimals, ``.7g`` for seven digits wherever the point is, or
        ``short`` for 2 rather than 2.0; of texts, ``pattern`` where they hold numbers
        that plain tables draw, such as 120/80.

    Examples
    --------
    >>> column = Column(name="size", kind="integer", bounds=(0, 9))
    >>> column.role, column.treatment
    ('other', 'keep')
    """

    name: str
    kind: str | None = None
    dtype: str | None = None
    role: str = "other"
    treatment: str = "keep"
    reason: str = ""
    missing: tuple[str, ...] | None = None
    categories: tuple | None = None
    bounds: tuple | None = None
    step: int | float | None = None
    unit: str | None = None
    rare: int | None = None
    public: bool = False
    format: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise SchemaError(
                f"Expected a column name that is text. Received {self.name!r}. "
                "Give it as text between quotes."
            )
        self._check_word("kind", KINDS, optional=True)
        self._check_word("role", ROLES)
        self._check_word("treatment", TREATMENTS)
        self._check_word("unit", UNITS, optional=True)
        for field in ("dtype", "format"):
            if not isinstance(getattr(self, field), str | None):
                self._fail(field, "text")
        for field in ("missing", "categories", "bounds"):
            if not isinstance(getattr(self, field), tuple | None):
                self._fail(field, "a list")
        self._check_domain()

    def _check_word(self, field: str, words: tuple, *, optional: bool = False) -> None:
        word = getattr(self, field)
        if word not in words and not (optional and word is None):
            self._fail(field, "one of " + ", ".join(words))

    def _check_domain(self) -> None:
        if self.missing and not all(isinstance(mark, str) for mark in self.missing):
            self._fail("missing", "a list of texts")
        listed = self.kind in (*LISTED_KINDS, None)
        if self.categories is not None:
            if not listed:
                self._fail("categories", f"left out of a column of kind {self.kind}")
            if any(isinstance(c, list | dict) for c in self.categories):
                self._fail("categories", "a list of single values")
            if len(set(self.categories)) < len(self.categories):
                twice = [
                    c for i, c in enumerate(self.categories) if c in self.categories[:i]
                ]
                self._fail("categories", "different values", twice)
            if self.kind == "boolean" and len(self.categories) != 2:
                self._fail("categories", "two values, false then true,")
        if self.bounds is not None:
            if listed:
                self._fail("bounds", f"left out of a column of kind {self.kind}")
            texts = self.kind == "datetime"
            if not all(isinstance(b, str if texts else _NUMBERS) for b in self.bounds):
                self._fail("bounds", "two ISO dates" if texts else "two numbers")
            times = clock.read_times([*self.bounds], clock.FULL) if texts else None
            ends = self.bounds if times is None else times[0]
            if len(self.bounds) != 2 or not ends[0] <= ends[1]:
                self._fail("bounds", "[lowest, highest]")
        if self.step is not None:
            number = isinstance(self.step, _NUMBERS) and self.step is not True
            if not number or not 0 < self.step < _MAX_STEP:
                self._fail("step", "a number above 0")
            if self.kind in ("integer", "datetime") and self.step != int(self.step):
                self._fail("step", "a whole number")
        if self.rare is not None and (type(self.rare) is not int or self.rare < 1):
            self._fail("rare", "a whole number from 1 on")
        if not isinstance(self.public, bool):
            self._fail("public", "true or false")

    def _fail(self, field: str, expected: str, received: Any = None) -> None:
        received = getattr(self, field) if received is None else received
        raise SchemaError(
            f"Column {self.name!r}: expected `{field}` to be {expected}. "
            f"Received {received!r}. Correct it in the schema."
        )

    @property
    def decimals(self) -> int | None:
        """Decimals of a real column that has a step; None if it is continuous."""
        if self.step is None:
            return None
        return max(0, -int(Decimal(repr(self.step)).normalize().as_tuple().exponent))

    @property
    def is_time(self) -> bool:
        """Whether its dates are times of a day, or durations: without a date."""
        is_typed = (self.dtype or "").startswith("object[time")
        return self.kind == "datetime" and (self.format in clock.LAYOUTS or is_typed)

    @property
    def compared_as(self) -> str:
        """What rules compare its values as: category, number, datetime or time."""
        if self.kind in LISTED_KINDS:
            return "category"
        if self.kind == "datetime":
            return "time" if self.is_time else "datetime"
        return "number"

    @property
    def open(self) -> Column:
        """This column without its domain, to be read from a table again."""
        return replace(
            self, categories=None, bounds=None, step=None, unit=None, missing=None
        )


@dataclass(frozen=True, repr=False)
class Schema(Shown):
    """The columns of a table, in order.

    Parameters
    ----------
    columns : tuple of Column
        One for each column of the table.
    delimiter : str, default=","
        Separator of the CSV file that the table came from.
    rules : tuple of Relation, optional
        What plain synthetic rows keep, these and no others; by default what is found in
        the table. Rules about a column that is not kept are left out.

    Examples
    --------
    >>> schema = Schema((Column(name="age", kind="integer"), Column(name="email")))
    >>> schema.drop("email").kept.names
    ('age',)
    """

    columns: tuple[Column, ...]
    delimiter: str = ","
    rules: tuple[Relation, ...] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.delimiter, str) or len(self.delimiter) != 1:
            raise SchemaError(
                "Expected the delimiter of a schema to be one character. Received "
                f"{self.delimiter!r}. Give for instance a comma."
            )
        twice = sorted({n for n in self.names if self.names.count(n) > 1})
        if twice:
            raise SchemaError(
                "Expected every column to be described once. "
                f"Received more than one {', '.join(map(repr, twice))}. "
                "Remove the repetition from the schema."
            )
        for rule in self.rules or ():
            _check_rule(rule, self)
        check_relations(self.rules or ())

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def undecided(self) -> tuple[str, ...]:
        """Names of the columns that the user must keep or drop."""
        return tuple(c.name for c in self.columns if c.treatment == "undecided")

    @property
    def kept(self) -> Schema:
        """Schema of the columns to be modelled, and of the rules about these."""
        columns = tuple(c for c in self.columns if c.treatment == "keep")
        rules, names = self.rules, {c.name for c in columns}
        if rules is not None:
            rules = tuple(rule for rule in rules if names.issuperset(rule.columns))
        return replace(self, columns=columns, rules=rules)

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise SchemaError(unknown_column(name, self.names))

    def drop(self, *names: str) -> Schema:
        """Leave columns out; what was learned of their values is forgotten."""
        return self._change(names, lambda c: replace(c.open, treatment="drop"))

    def keep(self, *names: str) -> Schema:
        """Model columns, whatever they look like."""
        return self._change(names, _keep)

    def as_key(self, *names: str) -> Schema:
        """Make columns anew in plain tables: their values differ in every row."""
        return self._change(names, lambda c: replace(c, treatment="key", reason=""))

    def as_categorical(self, *names: str) -> Schema:
        """Take numbers for codes of categories, which are to be listed anew.

        Raises
        ------
        SchemaError
            If a column is known to hold others than plain numbers or categories.
        """
        return self._change(names, _as_categorical)

    def with_rules(self, *rules: Relation | dict) -> Schema:
        """Keep these rules and no others, each given as under ``[[rules]]``.

        Examples
        --------
        >>> columns = Column(name="came", kind="integer"), Column(name="left")
        >>> rule = {"kind": "order", "columns": ["came", "left"]}
        >>> [str(rule) for rule in Schema(columns).with_rules(rule).rules]
        ['came <= left']
        """
        read = (relation_from_dict(r) if isinstance(r, dict) else r for r in rules)
        return replace(self, rules=tuple(read))

    def with_role(self, role: str, *names: str) -> Schema:
        """Give columns a role."""
        return self._change(names, lambda c: replace(c, role=role))

    def _change(self, names: tuple[str, ...], change) -> Schema:
        changed = {name: change(self[name]) for name in names}
        return replace(
            self, columns=tuple(changed.get(c.name, c) for c in self.columns)
        )

    def without_values(self) -> Schema:
        """This schema without the values of columns that are not kept."""
        dropped = {c.name for c in self.columns if c.treatment == "drop"}
        rules = self.rules
        if rules is not None:
            rules = tuple(rule for rule in rules if dropped.isdisjoint(rule.columns))
        return replace(
            self,
            columns=tuple(c if c.treatment == "keep" else c.open for c in self.columns),
            rules=rules,
        )

    def to_dict(self) -> dict:
        """This schema as JSON types; `from_dict` gives it back."""
        content: dict[str, Any] = {
            "delimiter": self.delimiter,
            "column": [_column_to_dict(column) for column in self.columns],
        }
        if self.rules is not None:
            rules = [rule.to_dict() for rule in self.rules]
            content |= {"find_rules": False, "rules": rules}
        return content

    @classmethod
    def from_dict(cls, content: dict) -> Schema:
        """Read a schema from the form of `to_dict`.

        A column without a treatment is undecided, until `conform` looks at it.

        Raises
        ------
        SchemaError
            On a field that does not exist, a wrong value, or a column without name.
        """
        known = ("delimiter", "column", "find_rules", "rules")
        check_fields(content, known, "The schema")
        columns = content.get("column", [])
        if not isinstance(columns, list) or not all(
            isinstance(c, dict) for c in columns
        ):
            raise SchemaError(
                "Expected a schema that lists its columns, each under [[column]]. "
                f"Received {columns!r}. Write one [[column]] for each."
            )
        return cls(
            tuple(_column_from_dict(column) for column in columns),
            content.get("delimiter", ","),
            _rules_from_dict(content),
        )

    def to_toml(self) -> str:
        """This schema as TOML. The values of columns not kept are left out."""
        shown = self.without_values()
        head = f"delimiter = {to_toml(self.delimiter)}\n"
        if self.rules is not None:
            head += "find_rules = false\n"
        blocks = [schema_heads.OF_COLUMNS, head]
        for column in shown.columns:
            lines = (
                f"{k} = {to_toml(v)}\n" for k, v in _column_to_dict(column).items()
            )
            blocks.append("[[column]]\n" + "".join(lines))
        if self.rules is not None:
            blocks.append(schema_heads.OF_RULES)
        for rule in shown.rules or ():
            lines = (f"{k} = {to_toml(v)}\n" for k, v in rule.to_dict().items())
            # Which values are meant is of the table: it is not read back.
            said = getattr(rule, "said", None)
            said = f"# {to_toml(said)}\n" if said else ""
            blocks.append("[[rules]]\n" + said + "".join(lines))
        return "\n".join(blocks)

    @classmethod
    def from_toml(cls, text: str) -> Schema:
        """Read a schema from TOML; see `from_dict`."""
        return cls.from_dict(parse_toml(text, "a schema"))

    def save(self, path: str | os.PathLike, *, force: bool = False) -> None:
        """Write this schema to a TOML file.

        Raises
        ------
        OutputError
            If the file exists and `force` is false, or cannot be written.
        """
        check_writable(path, force)
        write_files({path: self.to_toml().encode("utf-8")})

    @classmethod
    def load(cls, path: str | os.PathLike) -> Schema:
        """Read a schema from a TOML file; see `from_dict`."""
        return cls.from_toml(read_declared(path, "a schema"))

    def _told(self):
        kinds = Counter(column.kind for column in self.columns if column.kind)
        return {
            "columns": len(self.columns),
            "kinds": ", ".join(f"{n} {kind}" for kind, n in kinds.items()) or None,
            "undecided": ", ".join(self.undecided) or None,
            "rules": None if self.rules is None else len(self.rules),
        }

    def _listed(self):
        return [
            {
                "column": column.name,
                "kind": column.kind or "",
                "role": column.role,
                "treatment": column.treatment,
            }
            for column in self.columns
        ]


def unknown_column(name: str, known: tuple[str, ...], where: str = "") -> str:
    """Message for a column that `where` lacks, with the nearest name that it has."""
    near = difflib.get_close_matches(str(name), known, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else "Correct the name."
    of = f" of {where}:" if where else ""
    return (
        f"Expected one of the columns{of} {', '.join(map(repr, known))}. "
        f"Received {name!r}. {hint}"
    )


def check_fields(content: Mapping, known: tuple[str, ...], where: str) -> None:
    """Refuse fields that do not exist.

    Raises
    ------
    SchemaError
    """
    unknown = [key for key in content if key not in known]
    if unknown:
        raise SchemaError(
            f"{where}: expected the fields {', '.join(known)}. "
            f"Received {', '.join(map(repr, unknown))}. Correct or remove it."
        )


def _check_rule(rule: Relation, schema: Schema) -> None:
    """Refuse a rule about columns that are not there, or of the wrong kind."""
    for name in rule.columns:
        if name not in schema.names:
            message = unknown_column(name, schema.names)
            raise SchemaError(f"In the rule {str(rule)!r}: {message}")
    columns = {name: schema[name] for name in rule.columns}
    known = {name: c.kind for name, c in columns.items() if c.kind is not None}
    wrong = rule.wrong_kind({name: columns[name].compared_as for name in known})
    if wrong is not None:
        raise SchemaError(
            f"In the rule {str(rule)!r}: expected columns of kinds that suit it. "
            f"Received {wrong!r}, which is {known[wrong]}. Correct or remove the rule, "
            "or give the column another `kind`."
        )
    for name, value in rule.named:
        listed = columns[name].categories
        if name in known and columns[name].compared_as == "number":
            what, is_one = "numbers", _is_number(value)
        else:
            what, is_one = "categories", listed is None or _is_of(value, listed)
        if not is_one:
            raise SchemaError(
                f"In the rule {str(rule)!r}: expected {what} of {name!r}. Received "
                f"{value!r}. Write it as the column has it, or remove it."
            )


def _is_number(value: Any) -> bool:
    is_one = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    return is_one and math.isfinite(value)


def _is_of(value: Any, listed: tuple[Any, ...]) -> bool:
    """Whether a value is listed, or names a group of those that are rare."""
    return value in listed or (isinstance(value, str) and value.endswith(OTHER))


def _keep(column: Column) -> Column:
    # An identifier that is one by its looks only is no longer held to be one.
    seems = column.treatment == "undecided" and column.role == "identifier"
    role = "other" if seems else column.role
    return replace(column, role=role, treatment="keep", reason="")


def _as_categorical(column: Column) -> Column:
    if column.kind not in (None, "integer", "real", "categorical"):
        raise SchemaError(
            f"Column {column.name!r}: expected numbers that are codes of categories. "
            f"Received a column of kind {column.kind}. Leave it as it is."
        )
    if column.kind == "categorical":
        return column
    if column.format is not None:
        raise SchemaError(
            f"Column {column.name!r}: expected plain numbers that are codes of "
            f"categories. Received quantities, laid out as {column.format!r}. Leave it "
            "as it is."
        )
    return replace(column, kind="categorical", bounds=None, step=None)


# --- JSON and TOML forms ----------------------------------------------------

_DEFAULTS = {field.name: field.default for field in fields(Column)}
_ALWAYS = ("name", "role", "treatment")


def _column_to_dict(column: Column) -> dict:
    content = {name: getattr(column, name) for name in _DEFAULTS}
    return {
        name: [encode(v) for v in value] if isinstance(value, tuple) else value
        for name, value in content.items()
        if name in _ALWAYS or value != _DEFAULTS[name]
    }


def _rules_from_dict(content: dict) -> tuple[Relation, ...] | None:
    """The rules of a schema; None where they are to be found."""
    rules, found = (
        content.get("rules"),
        content.get("find_rules", "rules" not in content),
    )
    if not isinstance(rules, list | None) or not isinstance(found, bool):
        raise SchemaError(
            "Expected `find_rules` to be true or false, and each rule under [[rules]]. "
            f"Received {content.get('find_rules')!r} and {rules!r}. Correct them."
        )
    if found and rules:
        raise SchemaError(
            "Expected no [[rules]] where they are found in the table. Received "
            f"find_rules = true and {len(rules)} of them. Remove the line or the rules."
        )
    return None if found else tuple(map(relation_from_dict, rules or ()))


def _column_from_dict(content: dict) -> Column:
    where = f"Column {content.get('name', '')!r}"
    check_fields(content, tuple(_DEFAULTS), where)
    if "name" not in content:
        raise SchemaError(
            f"Expected every [[column]] to have a name. Received {content!r}. Add "
            "`name`."
        )
    if content.get("treatment") == "undecided" and not content.get("reason"):
        content = content | {"reason": _OPEN}
    content = {"treatment": "undecided"} | content
    for key in ("missing", "categories", "bounds"):
        if isinstance(content.get(key), list):
            content[key] = tuple(decode(value, where) for value in content[key])
    if "bounds" in content and isinstance(content["bounds"], tuple):
        # A date without quotes is a date in TOML; bounds hold its text.
        content["bounds"] = tuple(
            b.isoformat() if isinstance(b, datetime.date) else b
            for b in content["bounds"]
        )
    return Column(**content)
