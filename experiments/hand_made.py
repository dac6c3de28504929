"""Hierarchies that somebody wrote, for the columns of a table."""

from pathlib import Path

from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.hierarchies.columns import ColumnLeaves, match_column
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.hierarchy_formats.lines import read_arx_folder
from coclust_synth.tables.reading.infer import infer_schema
from coclust_synth.tables.values.columns import to_values


def hand_made_hierarchies(settings, table, directory):
    """Read the hierarchies of ARX that a config names.

    A value of the table that a file has no line for is an error, but for missing ones:
    these are apart, under the root only.

    Parameters
    ----------
    settings : dict
        ``folder``, relative to `directory` or to the current one; and optionally
        ``attributes``, names in the files' by column, where they differ. Empty if there
        are none.
    table : DataFrame
        Columns without a file are passed over.
    directory : Path
        Where the config is.

    Returns
    -------
    dict of str to GeneralizationHierarchy

    Raises
    ------
    ParameterError
        If the settings are not these.
    SchemaError
        If the files cannot be read, or lack a value.
    """
    if not settings:
        return {}
    if not {"folder"} <= set(settings) <= {"folder", "attributes"}:
        raise ParameterError(
            "Expected folder, and attributes if need be, in [hierarchies]. Received "
            f"{', '.join(settings)}. Correct the config."
        )
    places = [Path(directory) / settings["folder"], Path(settings["folder"])]
    folder = next((place for place in places if place.is_dir()), places[0])
    files, named = read_arx_folder(folder), settings.get("attributes", {})
    found, schema = {}, infer_schema(table)
    for column in schema.columns:
        attribute = named.get(column.name, column.name)
        if attribute in files:
            lines = files[attribute].lines()
            missing = _missing(table[column.name], column)
            root = lines[0][-1]
            lines += [(text, *[root] * (len(lines[0]) - 1)) for text in missing]
            hierarchy = GeneralizationHierarchy.from_lines(column.name, lines)
            found[column.name] = match_column(hierarchy, table[column.name], column)
    return found


def _missing(series, column):
    """How missing values are written, if there are any."""
    leaves = ColumnLeaves.of(*to_values(series, column), column)
    return [t for t, gone in zip(leaves.texts, leaves.missing, strict=True) if gone]
