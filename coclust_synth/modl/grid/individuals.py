"""Individuals and a grid: persons of several rows, and new ones.

A person is all parts that all the person's rows have. A new individual goes to the
cluster where it costs least.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from coclust_synth.modl.criterion.terms import partition_prior
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


def individuals(values, coding, persons=None):
    """The individuals of a table and the parts that they have, counted.

    Parameters
    ----------
    values : TableValues of n rows
    coding : TableCoding
    persons : Persons, optional
        Whose rows they are; by default each row is an individual.

    Returns
    -------
    contingency : Contingency
        Individuals who have the same parts are one of its rows.
    row_of_each : ndarray of int64, shape (n,) or (number of persons,)
        That row, of each individual.
    """
    rows, inverse = coding.distinct_rows(values)
    if persons is None:
        return Contingency.from_distinct_rows(rows), inverse
    return person_grid(rows, inverse, persons)


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


_TOLERANCE = 1e-7  # smaller differences of cost are rounding (nats)
_BLOCK = 2**22  # costs held at a time
_ROWS = 2**18  # rows looked at at a time


def insertion_costs(cells, row_sizes, clusters):
    """What a new row would cost in each row cluster, all else held.

    Parameters
    ----------
    cells : ndarray of int64, shape (J_1, J_2)
        Observations in each cell.
    row_sizes : ndarray of int64, shape (J_1,)
        Rows in each cluster.
    clusters : ndarray of int64, shape (n, d)
        Column cluster of each of the d observations of each new row; -1 for none.

    Returns
    -------
    ndarray of float64, shape (n, J_1)
        Change of cost (nats), up to a term that depends on the row alone.

    Notes
    -----
    Of the terms of the cost only those of the row clusters, of the cells and of the
    partition of the rows (a catch-all grows, or not) depend on where a row goes. With
    n observations, k of its own, and m rows it changes the cluster's terms by
    ``ln (n+m+k)! - ln (n+m-1)! - ln m``, and the j-th of its observations in a cell of
    c changes that cell's by ``-ln (c+j)``.
    """
    n_rows, largest = int(row_sizes.sum()) + 1, int(row_sizes.max())
    after = np.maximum(row_sizes + 1, largest)
    priors = [partition_prior(n_rows, len(row_sizes), int(size)) for size in after]
    d = clusters.shape[1]
    steps = np.arange(d + 1)[:, None]
    joins = np.log(cells.sum(axis=1) + row_sizes + steps).cumsum(axis=0)
    joins += priors - np.log(row_sizes)
    gains = np.log(cells.T + steps[:d, None] + 1)
    costs = joins[(clusters >= 0).sum(axis=1)]
    for k, here in enumerate(clusters.T):
        rows = np.flatnonzero(here >= 0)
        earlier = (clusters[rows, :k] == here[rows, None]).sum(axis=1)
        costs[rows] -= gains[earlier, here[rows]]
    return costs


def cheapest_labels(grid, rows):
    """The row cluster of a grid where each of some coded rows costs least.

    Parameters
    ----------
    grid : Grid
    rows : DistinctRows
        Of the parts that are the columns of the grid.

    Returns
    -------
    ndarray of int64, shape (S,)
    """
    labels = np.empty(len(rows.codes), dtype=np.int64)
    for start in range(0, len(labels), _ROWS):
        codes = rows.codes[start : start + _ROWS]
        clusters = np.where(codes >= 0, grid.column_labels[codes], -1)
        found = cheapest_clusters(grid.cells, grid.row_sizes, clusters)
        labels[start : start + _ROWS] = found
    return labels


def cheapest_clusters(cells, row_sizes, clusters):
    """The row cluster where each new row costs least, the first of equal ones.

    Parameters
    ----------
    cells, row_sizes, clusters
        As of `insertion_costs`.

    Returns
    -------
    ndarray of int64, shape (n,)
    """
    labels = np.empty(len(clusters), dtype=np.int64)
    block = max(1, _BLOCK // len(row_sizes))
    for start in range(0, len(clusters), block):
        costs = insertion_costs(cells, row_sizes, clusters[start : start + block])
        as_cheap = costs <= costs.min(axis=1, keepdims=True) + _TOLERANCE
        labels[start : start + block] = as_cheap.argmax(axis=1)
    return labels
