"""Tables of which people are counted, and warnings where rows seem to be no people."""

import shlex
import warnings

from coclust_synth.cli.tables import read
from coclust_synth.exceptions import DataWarning
from coclust_synth.tables.people.repeats import Repeats
from coclust_synth.tables.people.together import Together
from coclust_synth.tables.reading.texts.identifiers import OF_SEVERAL_ROWS

# What a release says of rows that were counted as people.
_TOLD_BY = (
    "Rows were counted, not persons. The column {!r}, which is not released, looks as "
    "if it says whose each row is: k rows may belong to fewer persons, or to one."
)
_REPEATED = (
    "Rows were counted, not persons. Many rows equal another one, even where no other "
    "row is near them, as rows of one person do: k rows may belong to fewer persons, "
    "or to one."
)
_TOGETHER = (
    "Rows were counted, not persons. Rows that share their {!r} agree in most other "
    "columns, as rows of one person or event do: k rows may belong to fewer persons, "
    "or to one."
)
# Columns that a warning names.
_NAMED = 3


def read_people(table, columns, person_id, unused=("drop",)):
    """The table, as `read` gives it, of a command that counts people.

    `unused` are the treatments of columns that it does not look at.

    Returns
    -------
    people : Table
    told : tuple of str
        What is warned of, for who reads of a release and not its terminal.

    Warns
    -----
    DataWarning
        If a column is not used that seems to tell which rows are one person's, or
        there is none, and rows repeat as those of one person do, or share a value
        that tells most other columns.
    """
    people = read(table, columns, person_id)
    if person_id is not None:
        return people, ()
    several = _of_several_rows(people.schema, unused)
    for column in several:
        warnings.warn(
            "Expected each row to be a different person, as rows are counted. "
            f"Received rows of which one person may have several: {column.name!r} "
            f"{column.reason}. Say --person-id {shlex.quote(column.name)} to count "
            "persons.",
            DataWarning,
            stacklevel=2,
        )
    if several:
        return people, tuple(_TOLD_BY.format(column.name) for column in several)
    return people, warn_of_rows(people)


def warn_of_rows(people):
    """Warn of rows that seem to be several of one person, and say so of a release.

    Where an unused column seems to tell whose they are, this is not looked into.

    Returns
    -------
    tuple of str
    """
    if _of_several_rows(people.schema, ("drop",)):
        return ()
    kept = people.schema.kept.columns
    repeats = Repeats.find(people.frame, kept)
    if repeats is not None:
        _warn(
            f"of which one person may have several: of {repeats.n_rows:,} rows "
            f"{repeats.n_different:,} are different, and up to {repeats.largest:,} "
            "are equal, also where no other row is near them. If a column names the "
            "person of each row, say --person-id NAME. Otherwise leave repeated rows "
            "out of the table, or multiply k by the number of rows that a person may "
            "have."
        )
        return (_REPEATED,)
    together = Together.find(people.frame, kept)
    if together is not None:
        named = ", ".join(map(repr, together.others[:_NAMED]))
        _warn(
            f"of which one person or event may have several: {together.n_shared:,} of "
            f"{len(people.frame):,} rows share their {together.name!r} with another, "
            f"and agree in {len(together.others)} of {together.n_others} other "
            f"columns with it, such as {named}. If such rows are one person's, say "
            f"--person-id {shlex.quote(together.name)}, so that k counts persons."
        )
        return (_TOGETHER.format(together.name),)
    return ()


def _warn(received):
    message = (
        "Expected each row to be a different person, as rows are counted. Received "
        f"rows {received}"
    )
    warnings.warn(message, DataWarning, stacklevel=4)


def _of_several_rows(schema, unused):
    """Columns that are not used and seem to tell which rows are one person's."""
    return [
        column
        for column in schema.columns
        if column.treatment in unused and OF_SEVERAL_ROWS in column.reason
    ]
