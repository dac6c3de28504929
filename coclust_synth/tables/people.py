"""A table about people that is to be released: its rows, and what each column is."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.io import as_table
from coclust_synth.tables.roles import Roles
from coclust_synth.tables.schema import Schema


@dataclass(frozen=True, eq=False)
class People:
    """A table with a schema and the roles of its columns.

    Attributes
    ----------
    frame : DataFrame of n rows
    schema : Schema
        Of all its columns.
    roles : Roles
    asked : Schema
        Of the quasi-identifiers alone, all kept.
    """

    frame: pd.DataFrame
    schema: Schema
    roles: Roles
    asked: Schema

    @classmethod
    def of(
        cls,
        table,
        schema: Schema | None,
        *,
        k: int,
        quasi_identifiers: Sequence[str] | None,
        sensitive: Sequence[str] | None,
        others: str,
    ) -> "People":
        """Read a table that is to be released in classes of k rows.

        Parameters
        ----------
        table : DataFrame or path
            At least k rows.
        schema : Schema or None
            What is known of the columns; None infers it.
        k : int
        quasi_identifiers, sensitive, others
            As of `Roles.of`.

        Raises
        ------
        ParameterError
            If k is more than there are rows, or as `Roles.of` does.
        TableError, SchemaError
            If the table does not read, or does not fit the schema.
        """
        frame, schema = as_table(table, schema)
        if k > len(frame):
            raise ParameterError(
                f"Expected k up to the number of rows, {len(frame)}. Received "
                f"{k}. Choose a smaller k."
            )
        roles = Roles.of(schema, quasi_identifiers, sensitive, others)
        return cls(frame, schema, roles, roles.quasi_schema(schema))
