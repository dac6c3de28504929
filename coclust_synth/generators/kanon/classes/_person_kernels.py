"""Compiled kernels that count the persons of records, who can have several rows.

Symbols are those of `coclust_synth.generators.kanon.classes._class_kernels`. Where each
row is a person of its own, the arrays of `Owners` are empty and weights are the counts.
That is asked first, and persons are counted by kernels of their own: the compiler
counts references to arrays only there.
"""

from typing import NamedTuple

import numpy as np

from coclust_synth._jit import kernel


class Owners(NamedTuple):
    """The persons of each record, and the records of each of P persons.

    ``of_record[record_start[i] : record_start[i + 1]]`` are the persons of record i,
    ``of_person[person_start[p] : person_start[p + 1]]`` the records of person p: each
    once, int64.
    """

    record_start: np.ndarray
    of_record: np.ndarray
    person_start: np.ndarray
    of_person: np.ndarray


@kernel
def n_owners(problem, record):
    """Persons of a record."""
    owners = problem.owners
    if len(owners.record_start) == 0:
        return problem.weight[record]
    return owners.record_start[record + 1] - owners.record_start[record]


@kernel
def only_owners(problem, label, record, own):
    """Persons of a record that no other record of a class has.

    What the class gains if the record joins it, and loses if the record is in it and
    leaves.
    """
    if len(problem.owners.record_start) == 0:
        return problem.weight[record]
    return _only_persons(problem.owners, label, record, own)


@kernel
def _only_persons(owners, label, record, own):
    n_only = 0
    for i in range(owners.record_start[record], owners.record_start[record + 1]):
        person = owners.of_record[i]
        is_only = True
        for j in range(owners.person_start[person], owners.person_start[person + 1]):
            other = owners.of_person[j]
            if other != record and label[other] == own:
                is_only = False
                break
        n_only += is_only
    return n_only


@kernel
def mark_owners(problem, record, mark, stamp, n_left):
    """Take the persons of a record in; both arrays of shape (P,) are changed in place.

    Parameters
    ----------
    mark : ndarray of int64
        Persons taken in have this stamp.
    stamp : int
    n_left : ndarray of int64
        Records of each person that were not taken in by any stamp.

    Returns
    -------
    new, gone : int
        Persons that had not the stamp, and persons of whom no record is left.
    """
    if len(problem.owners.record_start) == 0:
        return problem.weight[record], problem.weight[record]
    return _mark_persons(problem.owners, record, mark, stamp, n_left)


@kernel
def _mark_persons(owners, record, mark, stamp, n_left):
    new, gone = 0, 0
    for i in range(owners.record_start[record], owners.record_start[record + 1]):
        person = owners.of_record[i]
        new += mark[person] != stamp
        mark[person] = stamp
        n_left[person] -= 1
        gone += n_left[person] == 0
    return new, gone
