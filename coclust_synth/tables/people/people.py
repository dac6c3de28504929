"""A table about people that is to be released: its rows, and what each column is."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.people.persons import Persons, set_aside
from coclust_synth.tables.people.roles import Roles
from coclust_synth.tables.reading.io import as_table
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
    persons : Persons or None
        Whose rows they are; None where each row is a person.
    """

    frame: pd.DataFrame
    schema: Schema
    roles: Roles
    asked: Schema
    persons: Persons | None = None

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
        person_id: str | None = None,
    ) -> "People":
        """Read a table that is to be released in classes of k persons.

        Parameters
        ----------
        table : DataFrame or path
            Of at least k persons.
        schema : Schema or None
            What is known of the columns; None infers it.
        k : int
        quasi_identifiers, sensitive, others
            As of `Roles.of`.
        person_id : str, optional
            Column that names the person of each row; it is dropped. By default each
            row is a person.

        Raises
        ------
        ParameterError
            If k is more than there are persons, the column of the persons has another
            role, or as `Roles.of` does.
        TableError, SchemaError
            If the table does not read, does not fit the schema, or a row names nobody.
        """
        frame, schema = as_table(table, schema)
        persons = None
        if person_id is not None:
            persons = Persons.of(frame, person_id)
            schema = set_aside(
                schema,
                person_id,
                quasi_identifiers=quasi_identifiers,
                sensitive=sensitive,
            )
        check_k(k, len(frame), persons)
        roles = Roles.of(schema, quasi_identifiers, sensitive, others)
        return cls(frame, schema, roles, roles.quasi_schema(schema), persons)


def check_k(k: int, n_rows: int, persons: Persons | None) -> None:
    """Refuse a k of more individuals than a table has.

    Parameters
    ----------
    k : int
    n_rows : int
    persons : Persons or None
        None: each row is a person.

    Raises
    ------
    ParameterError
    """
    n, unit = (n_rows, "rows") if persons is None else (persons.n, "persons")
    if k > n:
        raise ParameterError(
            f"Expected k up to the number of {unit}, {n}. Received {k}. Choose a "
            "smaller k."
        )
