"""Fine codings of a table, and the codings that put their parts together.

A search for the parts of variables starts from a fine coding: each category, and each
number, or fine intervals of equal frequency where a column has many.
"""

import numpy as np

from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.column import LISTED_KINDS
from coclust_synth.tables.draws.rulers import make_ruler
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.parts.parts import GroupParts, IntervalParts
from coclust_synth.tables.table import TableValues

# A numeric column of more different values starts from so many intervals.
MAX_FINE_INTERVALS = 256


def fine_coding(table, schema, *, binning="quantile", persons=None):
    """The finest parts that a search puts together; missing values are in none.

    Parameters
    ----------
    table : DataFrame or TableValues
    schema : Schema
        Complete, without undecided columns.
    binning : {"quantile", "heaped"}, default="quantile"
        ``"heaped"`` cuts numeric columns only at round numbers that separate groups of
        `MIN_ROWS` individuals or more, as of models that are released.
    persons : Persons, optional
        As of `TableCoding.learn`.

    Returns
    -------
    TableCoding
        A column without any value has one part, of missing values.

    Raises
    ------
    SchemaError
        As `TableCoding.learn`.
    """
    table, cuts = TableValues.of(table), {}
    for column in schema.kept.columns:
        if column.kind not in LISTED_KINDS and binning == "quantile":
            between = _cuts_between_all(table, column)
            if len(between) < MAX_FINE_INTERVALS:
                cuts[column.name] = between
    return TableCoding.learn(
        table,
        schema,
        binning=binning,
        bins=MAX_FINE_INTERVALS,
        cuts=cuts,
        keep_missing=False,
        persons=persons,
    )


def coarser_coding(fine, part, table, *, keep_missing=False, persons=None, pools=()):
    """The coding whose parts are parts of a fine one, put together.

    Parameters
    ----------
    fine : TableCoding
    part : ndarray of int, shape (number of parts of `fine`,)
        New part of each part, in the global order; numbered from 0 without gaps,
        column after column. Parts of a numeric column that go together are neighbours.
    table : DataFrame or TableValues
        The one that `fine` was learnt from: laws and groups count its rows.
    keep_missing, persons, pools
        As of `TableCoding.learn`.

    Returns
    -------
    TableCoding
        Of intervals with the cuts of `fine` that are left, and of groups.

    Raises
    ------
    ParameterError
        If there are not as many new parts as `fine` has.
    """
    n_fine = fine.n_parts_per_variable
    if len(part) != n_fine.sum():
        raise ParameterError(
            f"Expected a new part for each of the {n_fine.sum()} fine parts. Received "
            f"{len(part)}. Give one for each."
        )
    new = [own - own.min() for own in np.split(part, np.cumsum(n_fine)[:-1])]
    cuts = {
        name: parts.edges[1:-1][np.diff(own) > 0]
        for name, parts, own in zip(fine.names, fine.parts, new, strict=True)
        if isinstance(parts, IntervalParts) and len(parts.edges)
    }
    table = TableValues.of(table)
    coding = TableCoding.learn(
        table,
        fine.schema,
        cuts=cuts,
        keep_missing=keep_missing,
        persons=persons,
        pools=pools,
    )
    parts = [
        parts if isinstance(parts, IntervalParts) else _groups(parts, own, column)
        for parts, own, column in zip(
            coding.parts, new, fine.encode(table).T, strict=True
        )
    ]
    return TableCoding(coding.schema, tuple(parts), coding.pools)


def _groups(single, group, codes):
    """Groups of categories; `codes` are the fine parts of the rows, missing -1."""
    rows = np.bincount(codes[codes >= 0], minlength=len(group))
    if single.n_parts > len(group):  # missing values are a part that `fine` has not
        group = np.append(group, group.max() + 1)
        rows = np.append(rows, (codes < 0).sum())
    return GroupParts(single, tuple(group.tolist()), tuple(rows.tolist()))


def _cuts_between_all(table, column):
    """Round numbers between all neighbouring values of a numeric column."""
    values, missing = table.read(column)
    values = values[~missing]
    largest = np.abs(values).max(initial=0)
    ruler = make_ruler(column.kind, column.step, largest)
    values = np.unique(ruler.snap(values))
    return ruler.roundest(values[:-1], values[1:])
