"""Parts of a column of persons who may have several rows: each is of many persons."""

from collections.abc import Callable

import numpy as np

from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.parts import Parts
from coclust_synth.tables.people.people import Persons


def learn_of_persons(
    learn: Callable[[np.ndarray, np.ndarray], Parts],
    values: np.ndarray,
    missing: np.ndarray,
    persons: Persons,
) -> Parts:
    """Parts of 20 persons each, of values of which each counts once for a person.

    Where that makes one of fewer, as of the many values of somebody with many rows,
    those of a person are counted again only after those of as many others.

    Parameters
    ----------
    learn : callable
        Makes parts of values, and which are missing.
    values : ndarray, shape (n,)
        Any where missing.
    missing : ndarray of bool, shape (n,)
    persons : Persons
        Of the n rows.

    Returns
    -------
    Parts
        That of missing values may be of fewer, and one that has all others.
    """
    once = persons.first_of_values(values, missing)
    parts = learn(values[once], missing[once])
    if missing.all():
        return parts
    codes = np.where(missing, -1, parts.encode(values, missing))
    n_persons = persons.count(codes)
    if n_persons[np.unique(codes[~missing])].min() >= MIN_ROWS:
        return parts
    apart = persons.spread(values, missing)
    return learn(values[apart], missing[apart])
