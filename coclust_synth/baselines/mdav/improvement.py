"""Groups that are closer than those of MDAV: a local search on them."""

import numpy as np

from coclust_synth.baselines.mdav._improvement_kernels import improve
from coclust_synth.validation import check_integer

DEFAULT_ITERATIONS = 30  # all published local searches on the CASC tables are passed
MAX_GROUP_SIZE = 2_000  # gaps of all pairs of two groups are held: half a gigabyte

_SEED = 1


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
