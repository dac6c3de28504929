"""Atoms of a column of persons who may have several rows: each is of many persons."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from coclust_synth.tables.laws.calendars import Calendar
from coclust_synth.tables.laws.holders import Holders
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.laws.learnt_calendars import individuals_in_groups
from coclust_synth.tables.laws.open_runs import TILTS, bounded_shapes
from coclust_synth.tables.parts.atoms import AtomParts, with_calendars
from coclust_synth.tables.parts.midnight import first_of_day
from coclust_synth.tables.people.people import Persons, count_holders
from coclust_synth.tables.rows import count_values


def learn_of_persons(
    learn: Callable[..., AtomParts],
    values: np.ndarray,
    missing: np.ndarray,
    persons: Persons,
) -> AtomParts:
    """Atoms of 20 persons each, of values of which each counts once for a person.

    Of who has far more values than others fewer count, see `counted_rows`.

    Runs that are of fewer, as of the many values of somebody with many rows, become one
    with those after them; of times around midnight those of the evening with none of
    the morning, see `first_of_day`, as far as 20 persons have some of each.

    Parameters
    ----------
    learn : callable
        Makes atoms of values, of which are missing, and of `holders`.
    values : ndarray, shape (n,)
        Any where missing.
    missing : ndarray of bool, shape (n,)
    persons : Persons
        Of the n rows.

    Returns
    -------
    AtomParts
        Where fewer than 20 persons have all values that no 20 share, these belong to
        the nearest heap, as those of so few rows do, but for a tail (`divide`); without
        a heap they are one run.
    """
    once = counted_rows(values, missing, persons)
    parts = _atoms_of_persons(learn, values, missing, persons, once)
    if isinstance(parts.grains, Calendar) or parts.calendar is not None:
        return _with_calendars(parts, values, once[~missing[once]], persons)
    return parts


def _atoms_of_persons(learn, values, missing, persons, once):
    """Atoms of 20 persons each, of the rows that count."""
    parts = _learnt(learn, values, missing, persons, once)
    codes = np.where(missing, -1, parts.encode(values, missing))
    n_atoms = len(parts.lows)
    is_run = parts.lows < parts.highs
    in_run = (codes >= 0) & np.append(is_run, False)[codes]
    n_persons = count_holders(codes, n_atoms, persons)
    if (n_persons[is_run] >= MIN_ROWS).all():
        return parts
    if not is_run.all() and len(np.unique(persons.codes[in_run])) < MIN_ROWS:
        own = np.isin(once, np.flatnonzero(~in_run))
        return _learnt(learn, values, missing, persons, once[own])
    rows = np.bincount(codes[once][codes[once] >= 0], minlength=n_atoms)
    known = ~missing
    whose = persons.codes[known]
    begins = first_of_day(parts.means, values[known], whose, parts.ruler)
    return _merged(parts, runs_in_a_row(codes, is_run, persons, begins), rows)


def _learnt(learn, values, missing, persons, rows):
    """Atoms of some rows."""
    known = rows[~missing[rows]]
    holders = Holders(values[known], persons.codes[known])
    return learn(values[rows], missing[rows], holders=holders)


def _with_calendars(parts, values, once, persons):
    """The same atoms of dates, with calendars of days and hours that 20 persons have.

    Those that fewer have, be it in many rows, are one group.
    """
    ruler, who = parts.ruler, persons.codes[once]
    dates = ruler.snap(values[once])

    def individuals(some):
        own = np.isin(dates, some)
        return individuals_in_groups(dates[own], who[own], ruler)

    calendar, none = parts.grains, np.zeros(len(dates), dtype=bool)
    if isinstance(calendar, Calendar):
        flat = Calendar(calendar.finest, steps=calendar.steps, shares=calendar.shares)
        parts = replace(parts, grains=flat)
    parts = replace(parts, calendar=None)
    return with_calendars(parts, count_values(dates, none), individuals)


def counted_rows(values, missing, persons):
    """Rows of which each value counts once for a person, but less of who has far more.

    Who has more values than twice what 20 persons reach does not count again before 20
    other rows did, by their values: amounts that nobody else comes near are not told.

    Parameters
    ----------
    values : ndarray, shape (n,)
        Any where missing.
    missing : ndarray of bool, shape (n,)
    persons : Persons

    Returns
    -------
    ndarray of int64
        Increasing positions.
    """
    once = persons.first_of_values(values, missing)
    is_none = missing[once]
    known = once[~is_none]
    n_values = np.bincount(persons.codes[known], minlength=persons.n)
    most = np.sort(n_values[n_values > 0])[-MIN_ROWS:].min(initial=len(once))
    is_heavy = n_values > 2 * most
    if not is_heavy.any():
        return once
    counted, last = [], np.full(persons.n, -MIN_ROWS)
    for row in known[np.argsort(values[known], kind="stable")].tolist():
        person = persons.codes[row]
        if not is_heavy[person] or len(counted) - last[person] >= MIN_ROWS:
            last[person] = len(counted)
            counted.append(row)
    return np.sort(np.append(once[is_none], counted)).astype(np.int64)


def runs_in_a_row(codes, is_run, persons, begins=0):
    """The group of each atom, of runs in a row that 20 persons have together.

    None is of runs before and after the one with which their order begins, if it need
    not be.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
        Atom of each row; -1 of none.
    is_run : ndarray of bool, shape (a,)
        Of each atom; the others stay alone.
    persons : Persons
        Of the n rows.
    begins : int, default=0
        The atom with which the order of runs begins.

    Returns
    -------
    ndarray of int64, shape (a,)
        The first atom of its group.
    """
    groups, members, started = np.arange(len(is_run)), np.empty(0, np.int64), None
    complete = []
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(len(is_run) + 1))
    for atom in np.flatnonzero(is_run):
        if started is not None and complete and started < begins <= atom:
            groups[groups == started] = complete[-1]
            members, started = np.empty(0, np.int64), None
        started = atom if started is None else started
        groups[atom] = started
        own = order[ends[atom] : ends[atom + 1]]
        members = np.union1d(members, persons.codes[own])
        if len(members) >= MIN_ROWS:
            complete.append(started)
            members, started = np.empty(0, np.int64), None
    if started is not None and complete:
        groups[groups == started] = complete[-1]
    return groups


def _merged(parts, groups, rows):
    """The atoms, of which those of a group are one run with the mean of all."""
    of_group, group = np.unique(groups, return_inverse=True)
    lows, highs = parts.lows[of_group], parts.highs[of_group]
    np.minimum.at(lows, group, parts.lows)
    np.maximum.at(highs, group, parts.highs)
    own = np.maximum(rows, 1)
    width = (highs - lows).astype(np.float64)[group]
    from_low = parts.lows - lows[group] + (parts.highs - parts.lows) * parts.tilts
    place = np.where(width > 0, from_low / np.maximum(width, 1e-300), 0.5)
    tilts = np.bincount(group, own * place) / np.bincount(group, own)
    tilts = np.clip(tilts, *TILTS).round(3)
    shapes = bounded_shapes(tilts)
    is_alone = np.bincount(group) == 1
    tilts[is_alone] = parts.tilts[of_group][is_alone]
    shapes[is_alone] = parts.shapes[of_group][is_alone]
    order = np.argsort(lows + (highs - lows) * tilts, kind="stable")
    at = np.argsort(order)
    spreads = {
        int(at[group[atom]]): spread
        for atom, spread in parts.spreads.items()
        if is_alone[group[atom]]
    }
    return AtomParts(
        parts.ruler,
        lows[order],
        highs[order],
        tilts[order],
        shapes[order],
        parts.with_missing,
        parts.grains,
        spreads,
        parts.held,
        parts.calendar,
    )
