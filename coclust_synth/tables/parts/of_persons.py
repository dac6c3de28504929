"""Atoms of a column of persons who may have several rows: each is of many persons."""

from collections.abc import Callable

import numpy as np

from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.people.people import Persons


def learn_of_persons(
    learn: Callable[[np.ndarray, np.ndarray], AtomParts],
    values: np.ndarray,
    missing: np.ndarray,
    persons: Persons,
) -> AtomParts:
    """Atoms of 20 persons each, of rows in which each is one among twenty.

    They are those of the rows that count where runs are of so many persons, see
    `Persons.spread`: neither the ends of a run nor its mean are those of somebody who
    has many of its rows.

    Parameters
    ----------
    learn : callable
        Makes atoms of values, and which are missing.
    values : ndarray, shape (n,)
        Any where missing.
    missing : ndarray of bool, shape (n,)
    persons : Persons
        Of the n rows.

    Returns
    -------
    AtomParts
        Where fewer than 20 persons have all values that no 20 share, these belong to
        the nearest heap, as those of so few rows do; without a heap they are one run,
        of rows all over it.
    """
    known, none = np.flatnonzero(~missing), np.flatnonzero(missing)
    none = none[np.unique(persons.codes[none], return_index=True)[1]]
    of_known = Persons(persons.column, persons.codes[known])
    rows = known[of_known.spread(values[known])] if len(known) else known
    if len(rows) < MIN_ROWS:
        ordered = known[np.argsort(values[known], kind="stable")]
        n = min(len(known), MIN_ROWS)
        rows = ordered[(2 * np.arange(n) + 1) * len(known) // (2 * max(n, 1))]
    rows = np.sort(np.append(rows, none))
    return learn(values[rows], missing[rows])
