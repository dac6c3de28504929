"""What commands check of their outputs before any work."""

import os

from coclust_synth.exceptions import OutputError
from coclust_synth.tables.folders import check_folder
from coclust_synth.tables.io import table_suffix
from coclust_synth.tables.outputs import check_writable
from coclust_synth.validation import check_integer


def check_output(output, force, rows=None, *, inputs, is_table=True):
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
    is_table : bool, default=True
        Whether the name of the output must be that of a table.
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
                f"Expected an output beside its source. Received {str(output)!r} for "
                "both. Choose another name."
            )
    check_writable(output, force)


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
                f"Expected an output beside its source. Received {str(output)!r}, "
                f"the folder of {str(source)!r}. Choose another folder."
            )


def _are_same(one, other):
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False  # one of them is not there
