"""Rules by which columns that stay tell one that was changed.

Who adds noise to a wage and leaves the tax on it as it is has hidden nothing.
"""

import warnings
from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd

from coclust_synth.exceptions import DataWarning
from coclust_synth.tables.column import LISTED_KINDS
from coclust_synth.tables.parts.rare.rare import DEFAULT_RARE, agreeing
from coclust_synth.tables.parts.rare.released import release_values
from coclust_synth.tables.relations import (
    Age,
    Bill,
    Count,
    DateOf,
    DatePart,
    DayOf,
    Fit,
    Function,
    Mean,
    MonthsAfter,
)
from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import Table

# Rows that share a value with others, and that a rule is about, at least.
_MIN_ROWS = 20
# Rows in which sums and the like are looked for.
_MAX_ROWS = 10_000
# The parts that tell a date together.
_A_DAY = {"year", "month", "day"}
# Of the rows that the commonest value gets wrong, so many may be wrong.
_OFF = 0.05


def undoing(table: Table, released: Schema, changed: Collection[str]) -> dict[str, str]:
    """What tells a changed column of a release from columns that stay as they are.

    A column tells another if nearly all rows that share its value with others have one
    and the same of the other: a code its label. Sums, means, products, bills and
    functions, also those that are about right, and dates some months or days after
    others tell each of their columns; dates tell their parts, and ages; counts, and all
    that they count but one, tell that one, and all together the count; year, month and
    day together tell their date. They are looked for in some of the rows, by
    `rules_of`. What tells a column in another way is not found.

    Parameters
    ----------
    table : Table of n rows
        The real one.
    released : Schema
        Of the columns that are released.
    changed : collection of str
        Names of those whose values are others.

    Returns
    -------
    dict of str to str
        The rule, by the name of the column that it tells; the first one of each.
    """
    found: dict[str, str] = {}
    frame = table.frame[list(released.names)]
    parts: dict[str, dict[str, str]] = {}  # of each date: those that stay
    for rule in _numeric_rules(frame, released):
        told = [name for name in rule.relation.columns if name in changed]
        if len(told) != 1:
            continue
        if _undoes(rule.relation, told[0]):
            found.setdefault(told[0], str(rule))
        elif isinstance(rule.relation, DatePart):
            parts.setdefault(told[0], {})[rule.relation.part] = str(rule)
    for date, rules in parts.items():
        if rules.keys() >= _A_DAY:
            found.setdefault(date, ", ".join(rules.values()))
    codes = {name: pd.factorize(frame[name])[0] for name in frame}
    for name in (n for n in frame if n in changed and n not in found):
        others = (n for n in frame if n not in changed)
        by = next((n for n in others if _tells(codes[n], codes[name])), None)
        if by is not None:
            found[name] = f"{by} -> {name}"
    return found


def _undoes(relation, name):
    """Whether the other columns of a relation tell one of it."""
    if isinstance(relation, Fit | Bill | Count | Function | Mean | MonthsAfter | DayOf):
        return True
    is_told = isinstance(relation, Age | DateOf | DatePart)
    return is_told and relation.target == name


def _tells(own, other):
    """Whether nearly all rows that share a code have one of another column."""
    rows = np.bincount(own[own >= 0], minlength=1)  # where all are missing too
    is_shared = (own >= 0) & (rows[own] > 1)
    n = is_shared.sum()
    if n < max(_MIN_ROWS, len(own) / 2) or len(np.unique(other[is_shared])) < 2:
        return False
    values = other[is_shared] - other.min()
    most = agreeing(own[is_shared], values)
    # Rows beyond those that would be right who said the commonest value of all.
    commonest = np.bincount(values).max()
    return n - most.sum() <= _OFF * (n - commonest)


def _numeric_rules(frame, schema):
    """Rules, in some of the rows, of numbers, dates and columns of two categories."""
    columns = tuple(c for c in schema.columns if c.kind not in LISTED_KINDS)
    counted = (c for c in schema.columns if len(c.categories or ()) == 2)
    columns += tuple(counted) if columns else ()
    if len(columns) < 2:
        return ()
    some = frame.iloc[:: -(-len(frame) // _MAX_ROWS)].reset_index(drop=True)
    real = release_values(some, Schema(columns), DEFAULT_RARE)
    return rules_of(Evidence.of(real), None, _MIN_ROWS).all


def warn_of_undoing(rules: Mapping[str, str]) -> None:
    """Warn of columns that stay and tell those that are changed.

    Parameters
    ----------
    rules : mapping of str to str
        As `undoing` gives them.

    Warns
    -----
    DataWarning
        If there are any.
    """
    if rules:
        told = ", ".join(f"{name!r} ({rule})" for name, rule in rules.items())
        warnings.warn(
            f"Expected no unchanged column to reveal a changed one. Received {told}: "
            "whoever reads the unchanged columns finds the true values. Drop the "
            "unchanged ones, or change them too.",
            DataWarning,
            stacklevel=2,
        )


def undone_told(rules: Mapping[str, str]) -> tuple[str, ...]:
    """What columns that stay undo, for who reads of a release and not its terminal.

    Parameters
    ----------
    rules : mapping of str to str
        As `undoing` gives them.

    Returns
    -------
    tuple of str
        A sentence for each column that is told.

    Examples
    --------
    >>> undone_told({"tax": "tax = 0.2 * pay"})  # doctest: +ELLIPSIS
    ("Columns that stay tell 'tax' (tax = 0.2 * pay): ...",)
    """
    return tuple(
        f"Columns that stay tell {name!r} ({rule}): who reads them finds its true "
        "values, whatever was done to it."
        for name, rule in rules.items()
    )
