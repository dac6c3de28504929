"""What each column of a table is released as, and the values of sensitive ones."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from coclust_synth.exceptions import ParameterError, SchemaError
from coclust_synth.tables.reading.settling import require_decided, settle
from coclust_synth.tables.schema import Schema, unknown_column
from coclust_synth.tables.table import Table
from coclust_synth.validation import check_choice

SENSITIVE_VALUES = ("keep", "shuffle", "class", "table", "means")
OTHERS = ("drop", "keep")
_NUMBERS = ("integer", "real")


@dataclass(frozen=True)
class Roles:
    """Names of the columns by what is done with them.

    Attributes
    ----------
    quasi_identifiers : tuple of str
        Generalised, in the order of the table.
    sensitive : tuple of str
        Released as they are, or drawn anew.
    others : tuple of str
        Released as they are.
    dropped : tuple of str
    """

    quasi_identifiers: tuple
    sensitive: tuple
    others: tuple
    dropped: tuple

    def applied(self, schema):
        """The schema, whose columns say what was done with them."""
        return (
            schema.with_role("quasi-identifier", *self.quasi_identifiers)
            .with_role("sensitive", *self.sensitive)
            .with_role("other", *self.others)
            .keep(*self.quasi_identifiers, *self.sensitive, *self.others)
            .drop(*self.dropped)
        )

    @classmethod
    def of(cls, schema, quasi_identifiers, sensitive, others):
        """Settle the role of each column.

        Parameters
        ----------
        schema : Schema
        quasi_identifiers, sensitive : sequence of str or None
            Names; None leaves it to the roles of the schema. Where that has no
            quasi-identifier either, every column that is neither sensitive nor an
            identifier is one.
        others : {"drop", "keep"}
            What is done with columns that are neither. Identifiers, and columns that
            the schema drops, are dropped.

        Raises
        ------
        ParameterError
            If there is no quasi-identifier, or a column is named twice.
        SchemaError
            If a name is that of no column, or a column that could be released is
            undecided.
        """
        check_choice("others", others, OTHERS)
        asked = _names(quasi_identifiers, "quasi_identifiers", schema)
        hidden = _names(sensitive, "sensitive", schema)
        by_default = asked is None and not _of_role(schema, "quasi-identifier")
        if hidden is None:
            hidden = _of_role(schema, "sensitive")
            hidden = [name for name in hidden if name not in (asked or ())]
        if asked is None:
            asked = _of_role(schema, "quasi-identifier") or [
                column.name
                for column in schema.columns
                if column.treatment == "keep" and column.role != "identifier"
            ]
            asked = [name for name in asked if name not in hidden]
        both = [name for name in asked if name in hidden]
        if both:
            raise ParameterError(
                "Expected columns that are either a quasi-identifier or sensitive. "
                f"Received {', '.join(map(repr, both))} as both. Choose one."
            )
        all_released = by_default or others == "keep"
        _require_decided(schema, schema.names if all_released else (*asked, *hidden))
        if not asked:
            raise ParameterError(
                "Expected at least one quasi-identifier. Received none. Name the "
                "columns that somebody may know of a person."
            )
        kept = [
            column.name
            for column in schema.columns
            if others == "keep"
            and column.name not in (*asked, *hidden)
            and column.treatment == "keep"
            and column.role != "identifier"
        ]

        def in_order(names):
            return tuple(name for name in schema.names if name in set(names))

        rest = set(schema.names) - {*asked, *hidden, *kept}
        return cls(*map(in_order, (asked, hidden, kept, rest)))

    def quasi_schema(self, schema):
        """The schema of the quasi-identifiers, which are kept whatever it says.

        Parameters
        ----------
        schema : Schema

        Returns
        -------
        Schema
        """
        return Schema(
            tuple(
                replace(schema[name], treatment="keep", reason="")
                for name in self.quasi_identifiers
            ),
            schema.delimiter,
        )


def settle_named(table: Table, quasi_identifiers, sensitive) -> Table:
    """The table, of whose columns the named ones are kept where that settles a doubt.

    Parameters
    ----------
    table : Table
    quasi_identifiers, sensitive : sequence of str or None
        As of `Roles.of`, which refuses what is wrong with them and what is in doubt
        even so.
    """
    named = {
        "quasi-identifier": _names(
            quasi_identifiers, "quasi_identifiers", table.schema
        ),
        "sensitive": _names(sensitive, "sensitive", table.schema),
    }
    for role, names in named.items():
        table = settle(table, role, *(names or ()))
    return table


def _names(names, parameter, schema):
    if names is None:
        return None
    if isinstance(names, str) or not isinstance(names, Iterable):
        received = "the text" if isinstance(names, str) else "an object that is none,"
        raise ParameterError(
            f"Expected {parameter} to be a list of names. Received {received} "
            f"{names!r}. Put it in a list."
        )
    names = list(names)
    for name in names:
        if name not in schema.names:
            raise SchemaError(unknown_column(name, schema.names))
    dropped = [name for name in names if schema[name].treatment == "drop"]
    if dropped:
        raise ParameterError(
            f"Expected {parameter} to name columns that are not dropped. Received "
            f"{', '.join(map(repr, dropped))}, which are. Name other columns, or do "
            "not drop these."
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ParameterError(
            f"Expected {parameter} to name each column once. Received "
            f"{', '.join(map(repr, twice))} more than once. Remove the repetition."
        )
    return names


def _require_decided(schema, names):
    require_decided(Schema(tuple(schema[name] for name in names)))


def _of_role(schema, role):
    return [c.name for c in schema.columns if c.role == role and c.treatment != "drop"]


def check_sensitive_values(values, sensitive, schema):
    """How each sensitive column is released, by name.

    Parameters
    ----------
    values : str or mapping of column name to str
        Those of `SENSITIVE_VALUES`; a column that a mapping leaves out is kept. "means"
        of all is of the columns of numbers, and the others are kept.
    sensitive : sequence of str
    schema : Schema

    Returns
    -------
    dict

    Raises
    ------
    ParameterError
        If this is neither, a word is unknown, a name is that of no sensitive column, or
        there are no numbers to take means of.
    """
    if not isinstance(values, str | Mapping):
        raise ParameterError(
            "Expected sensitive_values to be a word or a mapping of column names to "
            f"words. Received {values!r}. Choose one of "
            f"{', '.join(map(repr, SENSITIVE_VALUES))}."
        )
    numbers = [name for name in sensitive if schema[name].kind in _NUMBERS]
    if isinstance(values, str):
        own = numbers if values == "means" and numbers else sensitive
        values = dict.fromkeys(own, values)
    for name, how in values.items():
        if name not in sensitive:
            raise ParameterError(
                "Expected sensitive_values of the sensitive columns "
                f"{', '.join(map(repr, sensitive)) or '(there are none)'}. Received "
                f"one of {name!r}. Name it as sensitive too."
            )
        check_choice(f"the sensitive values of {name!r}", how, SENSITIVE_VALUES)
        if how == "means" and name not in numbers:
            raise ParameterError(
                f"Expected a column of numbers to take means of. Received {name!r}, "
                f"which is {schema[name].kind}. Keep, shuffle or draw its values."
            )
    return dict.fromkeys(sensitive, "keep") | dict(values)
