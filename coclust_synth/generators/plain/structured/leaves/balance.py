"""Leaves whose codes are weighted so that a column keeps its distribution.

What is drawn for some columns goes down the trees of others a little otherwise than the
rows of the table did: inside a leaf columns are drawn as if they were independent, and
rules take some of what is drawn. So a leaf of the highest debts may get a twentieth
fewer rows than it had, and the total of debts would be short of it. Of each column the
model knows how many rows have each code: codes that too few rows would get are made a
little likelier in all leaves, and others less.

Of the rows of a person after the first, errors would add up: each row is told from the
one before. What is expected of them is told from what does not change from row to row,
and so has none: what stays of the person, and how many rows there are and to come.

What limits take from rows, other rows are then wanted to have: see `drawn` below.
"""

import numpy as np

from coclust_synth.generators.plain.structured.leaves._kernels import balanced_rows

# A logarithm of a weight of 1 counts as so many rows too few or too many: where few are
# drawn, of all rows or of a code, weights stay near 1. Of 2, 5, 10 and 20 all do about
# as well on the tables of customers, passengers, loans and tests.
_CAUTION = 5.0
# Five rounds bring the expected rows of nearly all codes to what they should be; ten
# change the third digit of a distance.
_N_ROUNDS = 5
# Weighted rows are told in so many parts of a row, as whole numbers.
_PARTS = 2.0**16


def balanced(leaf, leaves, drawn=None, wanted=None):
    """Leaves from which a column gets its distribution, as nearly as they allow.

    With weights w_c of codes, T_l rows in leaf l and n_lc of the table's that have code
    c there, sum_l T_l n_lc w_c / (sum_d n_ld w_d) rows are expected of a code. A few
    rounds of Newton's method, code by code, bring them to T n_c / n less caution times
    log w_c: the weights that are likeliest if their logarithms are normal.

    Parameters
    ----------
    leaf : ndarray of int64, shape (n,)
        That each row to be drawn is in.
    leaves : Leaves
        The last one is of all rows of the table.
    drawn : ndarray of int, shape (n,), optional
        Codes that were drawn from balanced leaves, within limits; below 0 for none.
        What is short of a code is wanted as much more.
    wanted : ndarray of float64, shape (number of codes,), optional
        Rows that are to have each code, n in all; by default as many as in the table.

    Returns
    -------
    Leaves
        The same, of weighted rows.
    """
    indptr, code, rows = leaves
    of_all = slice(indptr[-2], indptr[-1])
    traffic = np.bincount(leaf, minlength=len(indptr) - 2)
    if wanted is None:
        wanted = np.bincount(code[of_all], rows[of_all])
        wanted *= len(leaf) / wanted.sum()
    if drawn is not None:
        found = np.bincount(drawn[drawn >= 0], minlength=len(wanted))
        wanted = np.maximum(2 * wanted - found, 0.0)
    own = balanced_rows(
        traffic, indptr, code, rows, wanted, _CAUTION, _N_ROUNDS, _PARTS
    )
    return leaves._replace(rows=own)


def expected_rows(leaf, leaves, n_codes):
    """Rows of each code, by the distributions of the leaves that rows are in.

    Parameters
    ----------
    leaf : ndarray of int64, shape (n,)
    leaves : Leaves
    n_codes : int

    Returns
    -------
    ndarray of float64, shape (n_codes,)
    """
    indptr, code, rows = leaves
    of = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    rows_of = np.bincount(of, rows)[of]
    traffic = np.bincount(leaf, minlength=len(indptr) - 1)[of]
    return np.bincount(code, traffic * rows / rows_of, n_codes)


def share_below(leaves, n_codes):
    """Share of the rows of each leaf that have one of the first codes.

    Parameters
    ----------
    leaves : Leaves
    n_codes : int

    Returns
    -------
    ndarray of float64, shape (L,)
    """
    return share_of(leaves, leaves.code < n_codes)


def share_of(leaves, is_meant):
    """Share of the rows of each leaf that have one of the codes that are meant."""
    indptr, _, rows = leaves
    of = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    meant, held = (np.bincount(of, n, len(indptr) - 1) for n in (rows * is_meant, rows))
    return meant / np.maximum(held, 1)


def without_ties(wanted, leaf, leaves, other):
    """Rows wanted of each code where some rows take that of another column.

    Parameters
    ----------
    wanted : ndarray of float64, shape (C,)
    leaf : ndarray of int64, shape (n,)
    leaves : Leaves
        Code C stands for a tie.
    other : ndarray of int, shape (n,)
        Code that each row has if it is tied.

    Returns
    -------
    ndarray of float64, shape (C + 1,)
        As many ties as the leaves have; of other codes what ties leave of the wanted.
    """
    ties = share_of(leaves, leaves.code == len(wanted))[leaf]
    tied, n_open = np.bincount(other, ties, len(wanted)), len(leaf) - ties.sum()
    open_ = np.maximum(wanted - tied, 0)
    # What ties bring too much of some codes is short of others they bring: of codes
    # that come from no tie as many are to be drawn as before.
    for _ in range(_N_ROUNDS):
        by_ties = np.where(open_ > 0, tied, 0)
        more = by_ties * (open_.sum() - n_open) / max(by_ties.sum(), 1e-9)
        open_ = np.maximum(open_ - more, 0)
    open_ *= n_open / max(open_.sum(), 1e-9)
    return np.append(open_, ties.sum())
