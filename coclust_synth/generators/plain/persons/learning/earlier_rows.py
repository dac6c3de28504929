"""The columns of which rows before the row before tell the next one, in a table.

See `kept.earlier_rows` for what is told of them.
"""

import numpy as np

from coclust_synth.generators.plain.persons.kept.person_totals import first_of_each
from coclust_synth.generators.plain.persons.known.earlier_rows import (
    means_before,
    place_among,
    steps_between,
    tells_more,
)


def find_means_so_far(table, names):
    """What earlier rows were like on average, where it tells more than the row before.

    And more than the level of the person, of who has one: it is of these rows, too.

    Parameters
    ----------
    table : PersonTable
    names : sequence of str
        Columns to look at.

    Returns
    -------
    dict of str to ndarray of float64
        By column, of each row after the first.
    """
    n_before = np.arange(len(table.rows)) - first_of_each(table.is_first)
    later, at_before = _places_of_rows(table)
    person, found = table.individuals_after.codes, {}
    for name in names:
        if name in table.rests_of_levels or not _is_in_order(table, name):
            continue
        own = _places(table, name)
        mean = means_before(own, n_before)
        known = [own[at_before], *_level(table, name)]
        if tells_more(own[later], known, mean, person, table.k) > 0:
            found[name] = mean
    return found


def find_last_steps(table, names):
    """How far the row before is from that before it, where this tells the next step.

    More than the row before and, where they are known, the level and the mean of the
    earlier rows; of k persons who made a step, and another row after it.

    Parameters
    ----------
    table : PersonTable
    names : sequence of str
        Columns to look at.

    Returns
    -------
    dict of str to ndarray of float64
        By column of numbers, of each row after the first.
    """
    later, at_before = _places_of_rows(table)
    person, found = table.individuals_after.codes, {}
    for name in names:
        parts = table.evidence.coding.parts[table.evidence.coding.names.index(name)]
        if not _is_in_order(table, name) or not len(getattr(parts, "lows", ())):
            continue
        numbers, earlier = (
            own.numbers[name][table.rows]
            for own in (table.evidence, table.evidence_before)
        )
        steps = np.full(len(numbers), np.nan)
        steps[later] = steps_between(numbers[later], earlier[at_before], parts)
        if len(np.unique(person[np.abs(steps[at_before]) > 0])) < table.k:
            continue
        known = [_places(table, name)[at_before]]
        known += [table.means_so_far[name]] if name in table.means_so_far else []
        own = np.unique(steps[later], return_inverse=True)[1].astype(np.float64)
        own[np.isnan(steps[later])] = np.nan
        more = steps[at_before], person, table.k
        # Beside a level any two rows go together, the mean of all of them being known.
        with_level = [*known, *_level(table, name)]
        if all(tells_more(own, of, *more) for of in (known, with_level)):
            found[name] = steps[at_before]
    return found


def _places_of_rows(table):
    """Where rows after the first are among the rows of persons, and those before."""
    later = np.flatnonzero(~table.is_first)
    return later, later - 1


def _level(table, name):
    """The level of the person of each row after the first, if there is a number."""
    own = table.levels.get(name)
    if own is None or own.held[1] is None:
        return []
    return [own.held[1][table.individual[table.rows_after]]]


def _is_in_order(table, name):
    """Whether the codes of a column are in an order, or two."""
    coding, j = table.evidence.coding, table.evidence.coding.names.index(name)
    parts = coding.parts[j]
    if parts.n_parts - parts.with_missing == 2 or coding.schema[name].kind == "ordinal":
        return True
    return name in table.evidence.numbers and name not in table.listed


def _places(table, name):
    """Where rows are among the codes of a column, see `place_among`."""
    j = table.evidence.coding.names.index(name)
    codes, parts = table.evidence.codes[table.rows, j], table.evidence.coding.parts[j]
    return place_among(codes, parts)
