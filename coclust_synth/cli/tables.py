"""What commands ask of files: writable outputs, a table to read."""

import os

from coclust_synth.cli.names import split_names
from coclust_synth.exceptions import OutputError, ParameterError
from coclust_synth.reports.manifest import is_private, read_manifest
from coclust_synth.tables.column import Column
from coclust_synth.tables.files import check_folder, check_writable
from coclust_synth.tables.people.people import set_aside
from coclust_synth.tables.reading.infer import check_names
from coclust_synth.tables.reading.settling import as_categorical, with_told_codes
from coclust_synth.tables.reading.table import (
    TABLE_SUFFIXES,
    as_table,
    open_table,
    table_suffix,
)
from coclust_synth.tables.recoding.recoding import Recoding
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.showing import counted
from coclust_synth.validation import check_integer

# What commands write beside a table, under its name.
LABELS, MANIFEST, STATEMENT = ".labels.json", ".manifest.json", ".statement.md"
TRANSITIONS = ".transitions.json"


def beside(output, ending):
    """Name of a file that tells of a table, beside it."""
    return output.with_name(output.name[: -len(table_suffix(output))] + ending)


def check_output(output, force, rows=None, *, inputs, is_table=True, replaces=()):
    """Refuse, before any work, an output that cannot be or would replace an input.

    Parameters
    ----------
    output : Path
    force : bool
        Whether it may exist.
    rows : int, optional
        Rows that it is to have.
    inputs : iterable of Path or None
        What the command reads: files, and folders of them.
    is_table : bool or None, default=True
        Whether the name of the output must be that of a table, or must not; None where
        it may.
    replaces : iterable of str, default=()
        Which of the files that tell of a table the command writes too; others must not
        be there: they would seem to tell of this one.
    """
    if rows is not None:
        check_integer("the number of rows", rows, minimum=1)
    if is_table:
        table_suffix(output)
    # A folder that is read stands for the files in it.
    is_there = os.path.exists(output)
    for source in filter(None, inputs if is_there else ()):
        if _are_same(output, source) or _are_same(output.parent, source):
            raise OutputError(
                f"Expected an output apart from its source. Received {str(output)!r} "
                "for both. Choose another name."
            )
    if is_table is False and output.name.lower().endswith(TABLE_SUFFIXES):
        raise OutputError(
            "Expected a name that does not end as those of tables do, as this output "
            f"is no table. Received {str(output)!r}. Use the ending that --help "
            "names, or none."
        )
    check_writable(output, force)
    if is_table:
        _check_alone(output, replaces)


def check_release(output, force, rows=None, *, inputs, replaces=()):
    """Refuse, before any work, a table that cannot be written with its manifest.

    Parameters
    ----------
    output, force, rows, inputs, replaces
        As of `check_output`. A manifest is replaced, but not that of a private table:
        it says what was spent.
    """
    check_output(output, force, rows, inputs=inputs, replaces=(MANIFEST, *replaces))
    told = beside(output, MANIFEST)
    earlier = read_manifest(told)
    if earlier is not None and is_private(earlier):
        raise OutputError(_of_another_kind(output, told))
    check_output(told, force, inputs=inputs, is_table=False)


def _check_alone(output, replaces):
    for ending in (LABELS, MANIFEST, STATEMENT, TRANSITIONS):
        told = beside(output, ending)
        if ending not in replaces and os.path.exists(told):
            raise OutputError(_of_another_kind(output, told))


def _of_another_kind(output, told):
    return (
        f"Expected no file beside {str(output)!r} that describes another table. "
        f"Received {str(told)!r}, of a release of another kind. Choose another name, "
        "or move that release away."
    )


def check_output_folder(output, force, is_ours, *, inputs):
    """Refuse, before any work, a folder that cannot be or would replace an input.

    Parameters
    ----------
    output : Path
    force : bool
        Whether it may hold files.
    is_ours : callable
        Tells of the name of a file whether it may be replaced.
    inputs : iterable of Path or None
        Files that the command reads.
    """
    check_folder(output, force, is_ours)
    for source in filter(None, inputs):
        if _are_same(output, source.parent):
            raise OutputError(
                f"Expected an output apart from its source. Received {str(output)!r}, "
                f"the folder of {str(source)!r}. Choose another folder."
            )


def _are_same(one, other):
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False  # one of them is not there


def read(table, columns, person_id=None):
    """The table, with what the command line says of its columns.

    Parameters
    ----------
    table : Path
    columns : options.Columns
    person_id : str, optional
        Column of the persons, which is dropped.

    Returns
    -------
    Table
    """
    source = recoded(table, columns.recode, person_id, encoding=columns.encoding)
    if columns.schema is None:
        source = open_table(source).without_empty_rows()
        check_names(source.frame.columns)
        named = Schema(tuple(Column(name=own) for own in source.frame.columns))
        known = source.complete(left_out=columns.dropped(named))
        codes = split_names(columns.categorical, known.schema.names)
        known = as_categorical(known, *codes)
        known = known.with_schema(columns.chosen(known.schema))
        # A text that seemed to name persons, and is kept, may tell codes as well.
        known = with_told_codes(known)
    else:
        known = as_table(source, columns.chosen(Schema.load(columns.schema)))
    if person_id is None:
        return known
    kept = split_names(columns.keep, known.schema.names)
    return known.with_schema(set_aside(known.schema, person_id, kept=kept))


def declared_columns(source, columns):
    """What the command line says of the columns of a table that is counted."""
    if columns.schema is not None:
        schema = Schema.load(columns.schema)
    else:
        schema = Schema(
            tuple(Column(name=n, treatment="undecided") for n in source.names)
        )
    return columns.chosen(schema)


def check_counted(received):
    """Refuse options, as they were written, that need all rows in memory.

    Raises
    ------
    ParameterError
        If there are any.
    """
    if received:
        raise ParameterError(
            "Expected options for a table that is counted where it is stored. "
            f"Received {', '.join(received)}, which needs the rows in memory. Leave "
            "it out, or give a single file without --engine."
        )


def more_rows(table, columns):
    """Further real rows, if any, such as a holdout: their cells, as of `read`."""
    return recoded(table, columns.recode, encoding=columns.encoding)


def recoded(table, file, person_id=None, encoding=None):
    """What is to be read for a table: its cells after the recoding of a file, if any.

    Parameters
    ----------
    table : TableLike or None
    file : Path or None
        What `--recode` names.
    person_id : str, optional
        Column of the persons, which no recoding may touch.
    encoding : str, optional
        Of a text file, if it was said.

    Returns
    -------
    TableLike or None
    """
    if encoding is not None and table is not None:
        table = open_table(table, encoding)
    if file is None or table is None:
        return table
    return recoding_of(file, person_id).of_table(table)


def recoding_of(file, person_id=None):
    """The recoding of a file, which leaves the column of the persons alone."""
    found = Recoding.load(file)
    if person_id in [own.column for own in found.columns]:
        raise ParameterError(
            "Expected a recoding that leaves the column of the persons as it is, since "
            f"equal names are one person. Received one of {person_id!r}. Remove it."
        )
    return found


def told_recoding(file, *, declared=False):
    """What a manifest tells of the recoding of a file, if there is one.

    Parameters
    ----------
    file : Path or None
        What `--recode` names.
    declared : bool, default=False
        Whether it was written without the rows. Otherwise a value that is left out can
        be one person's, which is left out for that: how many there are is told.
    """
    told = [] if file is None else Recoding.load(file).to_dict()
    if not declared:
        for own in told:
            if "suppress" in own:
                own["suppress"] = counted(len(own["suppress"]), "value")
    return told
