"""What is known of a table's columns before any row is modelled.

A `Schema` is an ordered tuple of `Column`. A complete schema, as `infer_schema`,
`conform` and `read_table` give it, is enough to turn a table into arrays and
arrays into a table of the same columns and types. A schema written by hand may
leave fields out: `conform` fills them from the table.
"""

from __future__ import annotations

import difflib
import math
import os
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables import schema_heads
from coclust_synth.tables.column import (
    OTHER,
    Column,
    as_codes,
    column_from_dict,
    column_to_dict,
    kept_column,
)
from coclust_synth.tables.files import check_writable, read_declared, write_files
from coclust_synth.tables.literals import check_fields, parse_toml, to_toml
from coclust_synth.tables.relations import Relation, check_relations, relation_from_dict
from coclust_synth.tables.showing import Shown


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

    @cached_property
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

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}

    def __getitem__(self, name: str) -> Column:
        if name not in self._by_name:
            raise SchemaError(unknown_column(name, self.names))
        return self._by_name[name]

    def drop(self, *names: str) -> Schema:
        """Leave columns out; what was learned of their values is forgotten."""
        return self._change(names, lambda c: replace(c.open, treatment="drop"))

    def keep(self, *names: str) -> Schema:
        """Model columns, whatever they look like."""
        return self._change(names, kept_column)

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
        return self._change(names, as_codes)

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
            "column": [column_to_dict(column) for column in self.columns],
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
            tuple(column_from_dict(column) for column in columns),
            content.get("delimiter", ","),
            _rules_from_dict(content),
        )

    def to_toml(self, declared: Collection[str] | None = None) -> str:
        """This schema as TOML. The values of columns not kept are left out.

        Parameters
        ----------
        declared : collection of str, optional
            Columns whose bounds somebody declared; by default all. Those of others are
            comments: read back they would be released as they stand, whatever rows the
            table that they are given with still has.
        """
        shown = self.without_values()
        head = f"delimiter = {to_toml(self.delimiter)}\n"
        if self.rules is not None:
            head += "find_rules = false\n"
        blocks = [schema_heads.OF_COLUMNS, head]
        for column in shown.columns:
            is_declared = declared is None or column.name in declared
            lines = (
                f"{'' if is_declared or k != 'bounds' else '# '}{k} = {to_toml(v)}\n"
                for k, v in column_to_dict(column).items()
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

    def save(
        self,
        path: str | os.PathLike,
        *,
        force: bool = False,
        declared: Collection[str] | None = None,
    ) -> None:
        """Write this schema to a TOML file; `declared` is as of `to_toml`.

        Raises
        ------
        OutputError
            If the file exists and `force` is false, or cannot be written.
        """
        check_writable(path, force)
        write_files({path: self.to_toml(declared).encode("utf-8")})

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
            f"find_rules = true and {len(rules)} of them. Remove either that line or "
            "the rules."
        )
    return None if found else tuple(map(relation_from_dict, rules or ()))
