"""Anatomy's groups without two rows of one person in any of them."""

from collections import Counter

import numpy as np

from coclust_synth.exceptions import ParameterError


def part_persons(groups, codes, persons, rng):
    """Exchange rows between groups until those of each group are of different persons.

    A row that shares its group with another one of its person changes places with a row
    drawn among those where neither group gets a person or a value twice.

    Parameters
    ----------
    groups : ndarray of int64, shape (n,)
        Group of each row, from 0; all rows of a group are of different values.
    codes : ndarray of int64, shape (n,)
        Value of each row.
    persons : Persons
        Of the rows.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int64, shape (n,)
        Groups of the same sizes.

    Raises
    ------
    ParameterError
        If a person has more rows than there are groups, or no such exchange is left.
    """
    n_groups = int(groups.max()) + 1
    most = int(np.bincount(persons.codes).max())
    if most > n_groups:
        raise ParameterError(
            f"Expected persons of at most {n_groups} rows, one a group. Received one "
            f"of {most}. Choose a smaller l, or remove some of the rows."
        )
    group, value = groups.tolist(), codes.tolist()
    person = persons.codes.tolist()
    people = [Counter() for _ in range(n_groups)]
    values = [set() for _ in range(n_groups)]
    for row, own in enumerate(group):
        people[own][person[row]] += 1
        values[own].add(value[row])
    order = rng.permutation(len(group)).tolist()
    for row in order:
        own = group[row]
        if people[own][person[row]] == 1:
            continue
        start = int(rng.integers(len(order)))
        for i in range(len(order)):
            other = order[i - start]
            to = group[other]
            is_free = (
                person[row] not in people[to] and person[other] not in people[own]
            ) and (
                value[row] == value[other]
                or (value[row] not in values[to] and value[other] not in values[own])
            )
            if is_free:
                break
        else:
            raise ParameterError(
                "Expected rows that can be put in groups of different persons. "
                f"Received some of one person that cannot, in {n_groups} groups. "
                "Choose a smaller l, or try again: groups are drawn."
            )
        for moved, left, joined in ((row, own, to), (other, to, own)):
            people[left] -= Counter([person[moved]])  # those of no row are left out
            people[joined][person[moved]] += 1
            values[left].discard(value[moved])
            group[moved] = joined
        values[to].add(value[row])
        values[own].add(value[other])
    return np.array(group, dtype=np.int64)
