"""MDAV: groups of k records or more that are alike, for microaggregation.

A local search on them finds groups that are closer.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coclust_synth.baselines.mdav._improvement_kernels import improve
from coclust_synth.baselines.mdav._kernels import MDAVRecords, join_nearest, mdav
from coclust_synth.baselines.mdav.records import MAX_WIDTH, widest_range
from coclust_synth.exceptions import ParameterError
from coclust_synth.validation import check_choice, check_integer

END_RULES = ("literature", "sdcmicro")
DEFAULT_ITERATIONS = 30  # all published local searches on the CASC tables are passed
MAX_GROUP_SIZE = 2_000  # gaps of all pairs of two groups are held: half a gigabyte

_SEED = 1


def mdav_groups(
    values: ArrayLike,
    k: int,
    *,
    end_rule: str = "literature",
    improve: bool = False,
    n_iterations: int = DEFAULT_ITERATIONS,
) -> NDArray[np.int64]:
    """Groups of k records or more by maximum distance to the average vector.

    While 2k records are left: r is the record farthest from their mean, s, once r and
    the k - 1 records nearest to it are taken as a group, the record left that is
    farthest from r; s and the k - 1 nearest to it are the next group. Of equally far or
    near records the first is taken. Distances are Euclidean, so that columns should be
    standardised first.

    The groups are those of a scan of all records at each step, whose time is quadratic,
    and are found by a k-d tree. The mean is that of the sum of the records left in 106
    bits, which is exact for numbers within some ten decimal orders of each other; in
    what order they were taken does not count.

    Parameters
    ----------
    values : array-like of shape (n, p)
        Finite numbers; at least one column.
    k : int
        Records of each group, at least; from 2 to n.
    end_rule : {"literature", "sdcmicro"}, default="literature"
        What is done with the last records. ``"literature"``, the one that published
        losses follow: once fewer than 2k are left, k or more of them give one more
        group around the record farthest from their mean; each of the others joins the
        group of nearest mean. ``"sdcmicro"``: pairs of groups are formed only while 3k
        are left, then one around the record farthest from the mean if 2k are; the
        others are a group.
    improve : bool, default=False
        Whether a local search lowers the sum of squared differences from the means of
        the groups, see `improve_groups`; there may be fewer and larger groups then. For
        k up to 2,000.
    n_iterations : int, default=30
        Of that search; time is proportional to it.

    Returns
    -------
    ndarray of shape (n,), int64
        Group of each record, from 0 without gaps, in the order they were formed
        unless improved.

    Raises
    ------
    ParameterError
        Before any work.

    References
    ----------
    .. [1] J. Domingo-Ferrer and J. M. Mateo-Sanz, "Practical data-oriented
       microaggregation for statistical disclosure control", IEEE TKDE 14(1), 2002.
    .. [2] J. Domingo-Ferrer and V. Torra, "Ordinal, continuous and heterogeneous
       k-anonymity through microaggregation", Data Mining and Knowledge Discovery 11(2),
       2005.

    Examples
    --------
    >>> mdav_groups([[1.0], [9.0], [2.0], [8.0], [1.5]], k=2).tolist()
    [1, 0, 1, 0, 1]
    """
    records = number_records(values)
    check_integer("k", k, minimum=2, maximum=len(records.values))
    check_choice("end_rule", end_rule, END_RULES)
    check_choice("improve", improve, (True, False))
    if improve:
        check_improvement(k, n_iterations)
    label = group_records(records, k, end_rule)
    return improve_groups(records, label, k, n_iterations) if improve else label


def number_records(values):
    """Records of numbers alone, all of them averaged.

    Raises
    ------
    ParameterError
        If `values` is not a matrix of finite numbers, of two rows and one column or
        more, or they are too far apart.
    """
    try:
        values = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"Expected values that are numbers. Received others ({error}). Convert "
            "them, or use MDAVAnonymizer."
        ) from None
    if values.ndim != 2 or len(values) < 2 or values.shape[1] < 1:
        raise ParameterError(
            "Expected values of shape (n, p), two records and one column or more. "
            f"Received shape {values.shape}. Give a row for each record."
        )
    n_wrong = int((~np.isfinite(values)).sum())
    if n_wrong:
        raise ParameterError(
            f"Expected finite values. Received {n_wrong} that are NaN or infinite. "
            "Leave their rows out, or impute them."
        )
    width = widest_range(values)
    if width > MAX_WIDTH:
        raise ParameterError(
            f"Expected values that differ by {MAX_WIDTH:g} at most, so that squares "
            f"can be added. Received some that differ by {width:g}. Scale them."
        )
    p = values.shape[1]
    no_codes = np.empty((len(values), 0), dtype=np.int64)
    nothing = np.empty(0, dtype=np.int64)
    offsets = np.zeros(1, dtype=np.int64)
    return MDAVRecords(values, no_codes, nothing, offsets, p, p, False)


def group_records(records, k, end_rule):
    """The groups of `mdav_groups`, of records of any kind."""
    if end_rule == "literature":
        label = mdav(records, k, 2 * k, k)
        join_nearest(records, label)
    else:
        label = mdav(records, k, 3 * k, 2 * k)
        label[label < 0] = label.max() + 1
    return label


def check_improvement(k, n_iterations):
    """Refuse what `improve_groups` cannot do.

    Raises
    ------
    ParameterError
    """
    check_integer("n_iterations", n_iterations, minimum=1)
    check_integer("k of groups to improve", k, minimum=2, maximum=MAX_GROUP_SIZE)


def improve_groups(records, label, k, n_iterations):
    """Lower the loss of groups without going below k records.

    The loss of a group is the sum of the squared distances of its pairs over its size:
    for numbers its sum of squared differences from the mean. n_iterations times for
    each possible group, the two to six groups of the records nearest to a random one
    are taken. At first records are moved among them and swapped while that lowers the
    loss. After the first iteration they are dissolved, and as many groups, or one more
    or less, are formed anew around random records, then improved so; they replace the
    old ones where their loss is less. The same records give the same groups.

    Parameters
    ----------
    records : MDAVRecords
    label : ndarray of int64, shape (n,)
        Group of each record, from 0 without gaps, each of k or more.
    k : int
    n_iterations : int

    Returns
    -------
    ndarray of int64, shape (n,)
        From 0 without gaps. The loss is never more than that of `label`.
    """
    found = label.copy()
    improve(records, found, k, n_iterations, np.array([_SEED]))
    return np.unique(found, return_inverse=True)[1].ravel()
