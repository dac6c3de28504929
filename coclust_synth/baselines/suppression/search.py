"""Which cells to suppress so that every row reads like those of k - 1 others.

Two readings of a suppressed cell. As a value of its own: rows read the same where they
have the same values and the same suppressed cells. The least number of cells is NP-hard
to find [1]_. A class is a mask, the columns in which its rows are suppressed, with
their values in the others; what is searched is which classes are in use and which row
is in which. That is facility location with lower bounds, solved by opening and closing
facilities.

As one that agrees with any value, which is how sdcMicro counts [2]_. Its rule: as long
as a row agrees with fewer than k, each such row, those of fewest first, is compared
with the rows that differ from it in fewest columns, and suppressed in the least
important column in which one of these differs. What it suppressed in excess is given
back.

All sets of d columns that a row can be suppressed in are 2^d. Where these are too many,
the sets that help are those in which some rows differ: suppressed there, the rows read
the same. They are grown from each row that reads like too few: begun with another row,
near ones first, they take in the row that lacks least, until k rows read the same.

References
----------
.. [1] A. Meyerson and R. Williams, "On the complexity of optimal k-anonymity",
   PODS 2004.
.. [2] M. Templ, A. Kowarik and B. Meindl, "Statistical disclosure control for
   micro-data using the R package sdcMicro", Journal of Statistical Software 67(4),
   2015.
"""

from collections import Counter, defaultdict
from itertools import chain, combinations

import numpy as np

from coclust_synth.baselines.suppression._agreeing_kernels import (
    count_agreeing,
    restore_cells,
    suppress_risky,
)
from coclust_synth.baselines.suppression._kernels import Choices, Release, improve
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.rows import collapse

_MAX_PASSES = 50  # twelve were the most on the tables that this was tried on
_MAX_CHOICES = 2e7  # rows by sets, of 8 bytes each: 160 MB
_MAX_SETS = 2**16  # all sets of sixteen columns
_N_STARTS = 4  # near rows that a set is grown with, at least


def suppressed_cells(codes, k, weights, suppressed=None, persons=None):
    """Cells to suppress so that each row reads like rows of k - 1 other persons.

    Parameters
    ----------
    codes : ndarray of int, shape (n, d)
        Value of each cell, from 0.
    k : int
        At most the number of persons.
    weights : ndarray of float64, shape (d,)
        What a suppressed cell of each column costs, positive.
    suppressed : ndarray of bool, shape (n, d), optional
        Cells that are suppressed already; none by default.
    persons : Persons, optional
        Of the rows; by default each row is a person.

    Returns
    -------
    ndarray of bool, shape (n, d)
        Those and the ones to suppress besides: as few as opening and closing one class
        at a time gets to, and not the fewest.

    Examples
    --------
    >>> codes = np.array([[0, 0], [0, 0], [0, 1], [1, 1]])
    >>> suppressed_cells(codes, 2, np.ones(2)).sum(axis=1).tolist()
    [0, 0, 1, 1]
    """
    n, d = codes.shape
    if suppressed is None:
        suppressed = np.zeros((n, d), dtype=bool)
    elif smallest_class(codes, suppressed, persons) >= k:
        return suppressed
    if persons is None:
        persons = Persons("row", np.arange(n))
    # A column of one value parts no rows: it is never suppressed.
    parting = np.flatnonzero((codes != codes[:1]).any(axis=0) | suppressed.any(axis=0))
    seen = np.where(suppressed, -1, codes)[:, parting]
    n_rows = -(-k * n // persons.n)  # those of k persons, in the mean
    masks = column_sets(seen, n_rows, weights[parting])
    choices = _choices(codes, suppressed, parting, masks, weights, persons, k)
    mask = np.full(n, len(masks) - 1)
    size = np.zeros(len(choices.mask_of), dtype=np.int64)
    size[-1] = persons.n  # all rows begin in the class of rows that are blank
    used = np.zeros(len(masks), dtype=np.int64)
    used[-1] = 1
    improve(choices, Release(mask, size, used), _MAX_PASSES)
    found = suppressed.copy()
    found[:, parting] |= masks[mask]
    return found


def cells_until_agreeing(codes, k, weights, suppressed=None):
    """Cells to suppress so that each row agrees with k, a suppressed cell with any.

    Parameters
    ----------
    codes, k, weights, suppressed
        As of `suppressed_cells`; columns of the least weight are suppressed first, of
        equal ones those of most values.

    Returns
    -------
    ndarray of bool, shape (n, d)

    Examples
    --------
    >>> codes = np.array([[0, 0], [0, 0], [0, 1], [1, 1]])
    >>> int(cells_until_agreeing(codes, 2, np.ones(2)).sum())
    1
    """
    seen = codes.astype(np.int64)
    if suppressed is not None:
        seen[suppressed] = -1
    order = np.lexsort((-codes.max(axis=0), weights))
    counts = count_agreeing(seen, seen, np.ones(len(seen), dtype=np.int64))
    log = suppress_risky(seen, counts, k, order)
    dearest = np.argsort(-weights[log[::-1, 1]], kind="stable")
    restore_cells(seen, counts, k, log[::-1][dearest])
    return seen < 0


def cells_of_sets(codes, k, weights, sets, suppress):
    """Cells to suppress so that each of several sets of columns is k-anonymous.

    Parameters
    ----------
    codes, k, weights
        As of `suppressed_cells`.
    sets : list of list of int
        Columns of each set.
    suppress : callable
        Of the codes, k, the weights and the suppressed cells of one set: all that are
        to be suppressed there.

    Returns
    -------
    ndarray of bool, shape (n, d)
    """
    suppressed = np.zeros(codes.shape, dtype=bool)
    while True:
        before = suppressed.copy()
        for keys in sets:
            own = codes[:, keys], k, weights[keys], suppressed[:, keys]
            suppressed[:, keys] = suppress(*own)
        # What one set suppresses can part rows that were alike in another.
        if np.array_equal(before, suppressed):
            return suppressed


def give_back(codes, suppressed, k, weights, sets):
    """Give back cells as long as every set of columns stays k-anonymous; in place.

    Rows that have one value in a suppressed column get it back together, or if they
    cannot, those of them that read the same; columns of large weight first.

    Parameters
    ----------
    codes, suppressed, k, weights, sets
        As of `cells_of_sets`; rows are persons.
    """
    seen = np.where(suppressed, -1, codes)
    counts = [Counter(map(tuple, seen[:, keys].tolist())) for keys in sets]
    gained = True
    while gained:
        gained = False
        for column in np.argsort(-weights, kind="stable").tolist():
            asking = [
                (own, keys, keys.index(column))
                for own, keys in zip(counts, sets, strict=True)
                if column in keys
            ]
            for alike in (False, True):
                for rows in _hidden_together(codes, seen, column, alike):
                    value = int(codes[rows[0], column])
                    if _given(seen, asking, rows, value, k):
                        seen[rows, column] = value
                        gained = True
    suppressed &= seen < 0


def _hidden_together(codes, seen, column, alike):
    """Rows that are suppressed in a column and have one value there."""
    groups = defaultdict(list)
    for i in np.flatnonzero(seen[:, column] < 0).tolist():
        pattern = tuple(seen[i].tolist()) if alike else ()
        groups[(int(codes[i, column]), *pattern)].append(i)
    return groups.values()


def _given(seen, asking, rows, value, k):
    """Count rows under a value instead of ``*``, if all sets that ask allow it."""
    changes = []
    for own, keys, place in asking:
        change = Counter()
        for before in map(tuple, seen[np.ix_(rows, keys)].tolist()):
            change[before] -= 1
            change[(*before[:place], value, *before[place + 1 :])] += 1
        if any(0 < own[key] + n < k for key, n in change.items()):
            return False
        changes.append((own, change))
    for own, change in changes:
        for key, n in change.items():
            own[key] += n
    return True


def fewest_agreeing(codes, others):
    """Rows, at least, that a row of one table agrees with in another; -1 with any.

    Parameters
    ----------
    codes, others : ndarray of int64, shapes (n, d) and (m, d)

    Returns
    -------
    int
    """
    distinct = np.unique(codes, axis=0)
    seen, n_rows = np.unique(others, axis=0, return_counts=True)
    return int(count_agreeing(distinct, seen, n_rows).min())


def smallest_class(codes, suppressed, persons=None):
    """Rows, or persons, of the smallest class, a suppressed cell being a value.

    Parameters
    ----------
    codes, suppressed, persons
        As of `suppressed_cells`.

    Returns
    -------
    int
    """
    seen = np.where(suppressed, -1, codes)
    rows, inverse = collapse(seen, codes.max(axis=0) + 1)
    sizes = rows.counts if persons is None else persons.count(inverse)
    return int(sizes.min())


def _choices(codes, suppressed, parting, masks, weights, persons, k):
    """The classes that rows can be in; see `Choices`."""
    n = len(codes)
    n_values = codes[:, parting].max(axis=0, initial=0) + 1
    seen = np.where(suppressed, -1, codes)[:, parting]
    class_of = np.full((len(masks), n), -1, dtype=np.int32)
    rows, sizes, mask_of = [], [], []
    n_classes = 0
    for m, mask in enumerate(masks):
        free = np.flatnonzero(~(suppressed[:, parting] & ~mask).any(axis=1))
        if not len(free):
            continue
        own, inverse = collapse(np.where(mask, -1, seen[free]), n_values)
        class_of[m, free] = inverse + n_classes
        rows.append(free[np.argsort(inverse, kind="stable")].astype(np.int32))
        sizes.append(own.counts)
        mask_of.append(np.full(len(own.counts), m, dtype=np.int32))
        n_classes += len(own.counts)
    ends = np.cumsum(np.concatenate(sizes))
    return Choices(
        masks @ weights[parting],
        class_of,
        np.concatenate(mask_of),
        np.append(0, ends),
        np.concatenate(rows),
        persons.codes,
        np.append(0, np.cumsum(np.bincount(persons.codes))),
        np.argsort(persons.codes, kind="stable"),
        k,
    )


def column_sets(seen, k, weights):
    """Sets of columns by cost: all, or those that rows are alike outside of.

    Parameters
    ----------
    seen : ndarray of int, shape (n, d)
        Value of each cell, from 0; -1 where it is suppressed already.
    k : int
        Rows that are to read the same.
    weights : ndarray of float64, shape (d,)
        What a suppressed cell of each column costs, positive.

    Returns
    -------
    ndarray of bool, shape (M, d)
        The set of all columns is the last. Of equal cost the columns of most values
        come first: what they part is rare.
    """
    n, d = seen.shape
    most = int(max(2, min(_MAX_SETS, _MAX_CHOICES / n)))
    if 2**d <= most:
        sizes = (combinations(range(d), size) for size in range(d + 1))
        sets = np.zeros((2**d, d), dtype=bool)
        for own, columns in zip(sets, chain.from_iterable(sizes), strict=True):
            own[list(columns)] = True
    else:
        sets = np.vstack([_grown(seen, k, weights, most - 1), np.ones(d, dtype=bool)])
        sets = np.unique(sets, axis=0)
    n_values = seen.max(axis=0, initial=0) + 1
    cost = np.round(sets @ weights, 9)
    return sets[np.lexsort((-(sets @ np.log(n_values)), cost))]


def _grown(seen, k, weights, most):
    """The sets, grown from rows and near ones, that are found most often."""
    rows, counts = np.unique(seen, axis=0, return_counts=True)
    few = np.flatnonzero(counts < k)
    few = few[:: -(-len(few) // most)] if len(few) else few
    n_starts = max(_N_STARTS, most // max(1, len(few)))
    found = Counter()
    for row in few:
        apart = (rows != rows[row]) | (rows < 0)
        lacks = apart @ weights
        lacks[row] = np.inf
        for start in np.argsort(lacks, kind="stable")[: min(n_starts, len(rows) - 1)]:
            own = apart[start] | apart[row]
            while True:
                lacks = (apart & ~own) @ weights
                inside = lacks == 0
                if counts[inside].sum() >= k:
                    break
                lacks[inside] = np.inf
                own |= apart[np.argmin(lacks)]
            found[own.tobytes()] += 1
    sets = [np.frombuffer(own, dtype=bool) for own, _ in found.most_common(most)]
    return np.array(sets, dtype=bool).reshape(-1, seen.shape[1])
