"""Whose rows the records of a table are, and how many persons a set of records has."""

import numpy as np

from coclust_synth.generators.kanon.classes._person_kernels import Owners


def record_owners(record_of_row, persons, n_records):
    """The persons of each record.

    Parameters
    ----------
    record_of_row : ndarray of int64, shape (n,)
    persons : Persons or None
        None: each row is a person.
    n_records : int

    Returns
    -------
    Owners
    """
    if persons is None:
        return Owners(*[np.empty(0, dtype=np.int64)] * 4)
    pairs = np.unique(record_of_row * persons.n + persons.codes)
    return _owners(pairs // persons.n, pairs % persons.n, n_records, persons.n)


def _owners(record, person, n_records, n_persons):
    """Those of pairs of a record and a person of it, by record."""
    by_person = np.argsort(person, kind="stable")
    return Owners(
        np.append(0, np.cumsum(np.bincount(record, minlength=n_records))),
        person,
        np.append(0, np.cumsum(np.bincount(person, minlength=n_persons))),
        record[by_person],
    )


def problem_of(problem, members):
    """The same problem of some of the records alone, and of their persons.

    Parameters
    ----------
    problem : Problem
    members : ndarray of int64, shape (m,)

    Returns
    -------
    Problem
    """
    owners = problem.owners
    if len(owners.record_start):
        place, person = _persons_of(owners, members)
        known, person = np.unique(person, return_inverse=True)
        owners = _owners(place, person, len(members), len(known))
    leaves, weight = problem.leaves[members], problem.weight[members]
    return problem._replace(leaves=leaves, weight=weight, owners=owners)


def _persons_of(owners, members):
    """Pairs of the place of a record among some, and of a person of it."""
    start = owners.record_start[members]
    n_each = owners.record_start[members + 1] - start
    first = np.repeat(start - (np.cumsum(n_each) - n_each), n_each)
    person = owners.of_record[first + np.arange(len(first))]
    return np.repeat(np.arange(len(members)), n_each), person


def persons_by_label(problem, label, n_labels, members=None):
    """Persons of the records of each label, those of several records once.

    Parameters
    ----------
    problem : Problem
    label : ndarray of int64, shape (m,)
        From 0.
    n_labels : int
    members : ndarray of int64, shape (m,), optional
        The records; by default all.

    Returns
    -------
    ndarray of int64, shape (n_labels,)
    """
    weight, owners = problem.weight, problem.owners
    if members is None:
        members = np.arange(len(weight))
    if not len(owners.record_start):
        return np.bincount(label, weight[members], n_labels).astype(np.int64)
    place, person = _persons_of(owners, members)
    n_persons = len(owners.person_start) - 1
    pairs = np.unique(label[place] * n_persons + person)
    return np.bincount(pairs // n_persons, minlength=n_labels)
