"""Text files of hierarchies: read whole, written whole or not at all."""

import csv
import io

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.files.inputs import read_declared
from coclust_synth.tables.files.outputs import check_writable, write_files
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy


def read_text(path):
    """The text of a hierarchy's file."""
    return read_declared(path, "a hierarchy")


def write_text(text, path, *, force=False):
    """Write a text to a file.

    Raises
    ------
    OutputError
        If the file exists and `force` is false, or cannot be written.
    """
    check_writable(path, force)
    write_files({path: text.encode("utf-8")})


def lines_to_csv(hierarchy, delimiter):
    """The lines of a hierarchy, leaf first and root last, as CSV without header."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(
        hierarchy.lines()
    )
    return text.getvalue()


def lines_from_csv(text, name, delimiter):
    """The hierarchy of a CSV without header, leaf first and root last.

    Raises
    ------
    SchemaError
        If this is no hierarchy; the message names the attribute and the line.
    """
    lines, numbers, number = [], [], 1
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for line in reader:
            if line:
                lines.append(tuple(line))
                numbers.append(number)
            number = reader.line_num + 1
    except csv.Error as error:
        raise SchemaError(
            f"Expected a hierarchy of {name!r} as lines of labels. Received one that "
            f"does not read, from line {number} on ({error}). Correct that line."
        ) from None
    return GeneralizationHierarchy.from_lines(name, lines, numbers=numbers)
