"""Persons as the individuals of a grid: all parts that all their rows have."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from coclust_synth.modl.grid.grid import Contingency
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.rows import DistinctRows


class PersonGrid(NamedTuple):
    """Persons and parts, counted.

    Attributes
    ----------
    contingency : Contingency
        Persons who have the same parts as many times are one of its rows.
    row_of_person : ndarray of int64, shape (P,)
        Row of the contingency table of each person.
    """

    contingency: Contingency
    row_of_person: np.ndarray


def person_grid(
    rows: DistinctRows, row_of_each: np.ndarray, persons: Persons
) -> PersonGrid:
    """Count how often each person has each part.

    A person of m rows and d variables has m d observations (less what is left out).
    Rows of the contingency table are in an order that does not depend on that of the
    table.

    Parameters
    ----------
    rows : DistinctRows
        Of V parts.
    row_of_each : ndarray of int64, shape (n,)
        Distinct row of each row of the table.
    persons : Persons
        Of the n rows.
    """
    codes = rows.codes[row_of_each]
    present = codes >= 0
    person = np.repeat(persons.codes, present.sum(axis=1))
    ones = np.ones(len(person), dtype=np.int64)
    counts = sparse.coo_array(
        (ones, (person, codes[present])), shape=(persons.n, rows.n_parts)
    ).tocsr()
    counts.sum_duplicates()
    # Texts of bytes, so that equal ones are found and all can be sorted.
    ends = counts.indptr.tolist()
    indices, data = counts.indices.astype(np.int64), counts.data
    keys = [
        indices[start:end].tobytes() + data[start:end].tobytes()
        for start, end in pairwise(ends)
    ]
    place = {key: i for i, key in enumerate(sorted(set(keys)))}
    row_of_person = np.array([place[key] for key in keys], dtype=np.int64)
    first = np.unique(row_of_person, return_index=True)[1]
    contingency = Contingency.from_matrix(counts[first], np.bincount(row_of_person))
    return PersonGrid(contingency, row_of_person)
