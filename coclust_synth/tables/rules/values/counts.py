"""Columns that count how many of others have a value, of columns of two values.

The conditions that somebody had before, the offers that were taken: how many there are
is nearly told by no one of them, and is off in drawn rows unless it is counted there.
"""

import numpy as np

from coclust_synth.tables.column import LISTED_KINDS
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Count
from coclust_synth.tables.rules.fitting.rounding import are_few
from coclust_synth.tables.rules.fitting.told import dependants, evenly

# A count is of so many columns, and has so many values, at least.
_MIN_COLUMNS, _MIN_VALUES = 2, 3
# Rows that least squares look at.
_MAX_ROWS = 4000
# A coefficient is -1, 0 or 1 but for so much.
_NEAR = 0.05


def find_counts(evidence, told, min_individuals):
    """The columns that are such counts.

    At most `MAX_BROKEN` of the rows differ, of all, of those with each value that
    counts, and of those that have not the commonest count.

    Parameters
    ----------
    evidence : Evidence
    told : sequence of Relation
        Columns that are told from others already.
    min_individuals : int
        Who have the count and all that it counts, at least.

    Returns
    -------
    list of Count
    """
    second = _of_two_values(evidence)
    known = {each.target: each for each in told}
    exactly = {name for name, each in known.items() if not each.about}
    found = []
    for name, own in evidence.numbers.items():
        if name in exactly or not _may_count(own, len(second)):
            continue
        banned = dependants(name, known)
        flags = {n: x for n, x in second.items() if n not in banned}
        rule = _counted(evidence, name, flags)
        if rule is not None and _holds(evidence, rule, min_individuals):
            found.append(rule)
            known[name] = rule
    return found


def _of_two_values(evidence):
    """Of columns of two categories, which rows have the second one; nan of missing."""
    found = {}
    columns = zip(evidence.coding.schema.columns, evidence.coding.parts, strict=True)
    for j, (column, parts) in enumerate(columns):
        if column.kind in LISTED_KINDS and parts.n_parts - parts.with_missing == 2:
            codes = evidence.codes[:, j]
            found[column.name] = np.where(codes > 1, np.nan, codes)
    return found


def _may_count(own, most):
    """Whether numbers are whole ones from 0 to what there is to count."""
    values = np.unique(own[~np.isnan(own)])
    if len(values) < _MIN_VALUES or values[0] < 0 or values[-1] > most:
        return False
    return bool((values % 1 == 0).all())


def _counted(evidence, name, flags):
    """The columns that a number counts by least squares, None where it counts none."""
    own = evidence.numbers[name]
    has_own = ~np.isnan(own)
    lacks = {n: np.isnan(x[has_own]).mean() for n, x in flags.items()}
    flags = {n: x for n, x in flags.items() if lacks[n] <= MAX_BROKEN}
    if len(flags) < _MIN_COLUMNS:
        return None
    x = np.column_stack([*flags.values()])
    rows = evenly(np.flatnonzero(has_own & ~np.isnan(x).any(axis=1)), _MAX_ROWS)
    design = np.column_stack([np.ones(len(rows)), x[rows]])
    told = np.linalg.lstsq(design, own[rows], rcond=None)[0][1:]
    ways = np.rint(told)
    if np.abs(told - ways).max() > _NEAR or np.abs(ways).max() > 1:
        return None
    schema = evidence.coding.schema
    of = []
    for column, way in zip(flags, ways, strict=True):
        parts = evidence.coding.parts[evidence.coding.names.index(column)]
        if way:
            code = parts.seen[int(way > 0)]
            of.append((column, schema[column].categories[code]))
    return Count(name, tuple(of)) if len(of) >= _MIN_COLUMNS else None


def _holds(evidence, rule, min_individuals):
    """Whether few rows differ, see `find_counts`."""
    numbers = evidence.numbers_of(rule)
    own, told = numbers[rule.target], rule.predict(numbers)
    has_own, differs = ~np.isnan(own), ~(own == told)
    values, rows = np.unique(own[has_own], return_counts=True)
    sides = [has_own, has_own & (own != values[rows.argmax()])]
    sides += [has_own & (numbers[name] == str(value)) for name, value in rule.of]
    individuals = evidence.n_of(has_own & ~differs)
    return are_few(differs, *sides) and individuals >= min_individuals
