"""The column whose values a release should keep apart: what it may be."""

from coclust_synth.exceptions import ParameterError, SchemaError
from coclust_synth.tables.people.people import People
from coclust_synth.tables.schema import unknown_column


def check_target_name(target: str | None) -> None:
    """Refuse a target that names no column, before a table is read.

    Parameters
    ----------
    target : str or None

    Raises
    ------
    ParameterError
    """
    if not isinstance(target, str | None):
        raise ParameterError(
            f"Expected the target to be the name of a column. Received "
            f"{target!r}. Name one."
        )


def check_target(target: str, people: People, person_id: str | None) -> None:
    """Refuse a target that is not there, or that classes are formed by.

    Parameters
    ----------
    target : str
    people : People
    person_id : str or None
        Column of the persons.

    Raises
    ------
    SchemaError
        If there is no such column.
    ParameterError
        If it tells the persons, or is a quasi-identifier.
    """
    if target not in people.frame.columns:
        raise SchemaError(unknown_column(target, people.schema.names))
    if target == person_id:
        raise ParameterError(
            "Expected a target that is not the column of the persons. Received "
            f"{target!r}. Name another column."
        )
    if target in people.roles.quasi_identifiers:
        raise ParameterError(
            "Expected a target that is no quasi-identifier. Received "
            f"{target!r}, which is one. Name it as sensitive, or leave it out of "
            "quasi_identifiers."
        )
