"""What the rounds spend on what: rules on the domain, a noisy n and the ledger.

Nothing here looks at a row, so that a release can be planned without a table.

Columns of few values are counted together where that puts each no farther off. Two
columns counted apart share a budget; counted together both get all of it, and a value
of the one is a sum of as many noisy counts as the other has values. Where these are
few, noise is less, and what the columns have to do with each other is told as well. The
groups are functions of the declared domain alone.
"""

from math import log, pi, prod, sqrt
from typing import NamedTuple

import numpy as np

from coclust_synth.generators.release_plan import expected_variation
from coclust_synth.privacy.noise.scores import DEPENDENCE_SENSITIVITY

# Shares of the budget, chosen with the constants below on UCI Adult (9 and 15 columns),
# telco, covid and budgetfood, at epsilon .1, 1 and 3.
_COUNT, _MOST_OF_COUNT = 0.01, 0.1  # of epsilon, and an epsilon
_LEAST_MARGINS, _MOST_MARGINS, _LEAST_OF_RHO = 0.2, 0.75, 0.3
_MOST_OF_CHOICE = 0.5  # of a round

# Errors are mean total variations of the columns, were the whole budget spent on them.
# Of epsilon their share is as the power 2/3 of the error, and at this one would be all.
# On fifteen tables of 700 to 40,000 rows, at epsilon .3, 1 or 3, one column is then 8
# to 21 % nearer than with a share of the error over .02, two and three as near or
# nearer (.93 to 1.02 of before; 16 releases). With the root, three are up to 6 %
# farther. A fifth is the least: see docs/private_partition.md.
_ERROR_OF_ALL, _POWER_OF_ERROR = 0.025, 2 / 3
# Of rho, whose noise is as the root, it is half at this error: on most of eleven tables
# of 2,000 to 40,000 rows, at epsilon .1, .3 or 1, one column is then nearer than with
# .02 (.84 to 1.02 of it), two and three as near (.93 to 1.02; 8 to 12 releases).
_ERROR_OF_HALF = 0.014
# Above this error columns get all. A little above it pairs and triples of most of eight
# tables of 9 to 20 columns are as far off with margins as without, or nearer; below it
# farther.
_HOPELESS = 0.056
# Above an error of .03 what the values leave is this over the error, and rounds are as
# few, so that none costs less. Of six tables with .04 to .06, single columns of four
# are then 6 to 12 % nearer than with a quarter left to all rounds and a bar of 2.5,
# those of two as near; pairs and triples as near but for noise (.93 to 1.09 of before;
# 8 to 18 releases).
_LEFT = 0.0075
# Rounds are this times the columns times a root of rows over the noise of a count that
# has the whole budget: the noise of a round is as their number, what they leave
# unmeasured as one over it. For rho, where the noise is as the root of their number,
# two thirds are the power for that reason, and a third where that is more rounds: with
# the former alone pairs of small tables were 3 % farther off at epsilon 1.
_ROUNDS, _MAX_ROUNDS = 0.009, 60
_ROUNDS_OF_RHO, _MANY_ROUNDS_OF_RHO, _MAX_ROUNDS_OF_RHO = 0.11, 0.0095, 90

# A round whose counts are less than this off the model, in squares over those of the
# noise, told hardly anything: the rest is for half as many. See
# docs/private_partition.md.
_TOLD, _LAST = 1.5, 2
#: Where all rounds so far, together, are less than this off the model as well, columns
#: have little to do with each other: what single ones are off is most of what sets of
#: them are. A share of the rest is then for the values of each, once.
TOLD_OF_ALL, SHARE_OF_FINER = 2.5, 1 / 2

# The dependence of the columns is asked for this share of epsilon, or for what makes
# its noise this share of the rows; not where noise would be the last share of them.
_MOST_OF_DEPENDENCE, _EXACT_ENOUGH, _TOO_NOISY = 0.02, 0.05, 0.1
# Columns that depend more on each other than this share of the rows are so much less
# in need of their single values, and of so many more rounds.
_USUAL_DEPENDENCE, _POWER_OF_STRENGTH = 0.15, 1 / 2

# Whether single columns are enough is asked for this share of epsilon, from this error
# on: below it some pairs are nearly always too far from independent columns.
_SHARE_OF_TEST, _LEAST_TESTED = 0.02, 0.015
# They are where what the farthest pairs, half as many as columns, are off is less than
# this times the error times the root of the columns but one. Of 52 tables of 4 to 26
# columns and 800 to 49,000 rows, at one or two of epsilon .1 to 3, it is .5 to 1.85 in
# 15 cases, where pairs are .93 to 1.17 as far off with rounds as with single columns
# alone, and 1.9 to 11 in 43 (.57 to .99, four of 1.01 to 1.08).
_NEAR = 1.9

# Of triples so many that noise puts them a fifth off, in total variation, and of rho a
# tenth; a column has as many parts as the cube root of it. See
# docs/private_partition.md.
_ROWS_OF_TRIPLE, _ROWS_OF_RHO = 2.5, 5.0  # of each cell, times the noise of its count
_LEAST_TRIPLE, _MAX_TRIPLE, _MAX_TRIPLE_OF_RHO = 216, 1_000, 500
#: Candidates that are compared in a round, at most.
N_COMPARED = 400

_LEAST_CHOICE = 0.05  # of a round: less than the largest triples leave to a choice
# The number of rows takes 15 % of the rho that goes with the least delta there is.
#: Least share of the budget that a query of the rounds gets.
LEAST_SHARE = 0.8 * _LEFT / _HOPELESS * _LEAST_CHOICE / _MAX_ROUNDS_OF_RHO
# Columns in a group: of more, of two values or more each, noise is more than apart.
_MOST = 8


class Known(NamedTuple):
    """What the rules know of a table: its declared domain, and noisy numbers.

    Attributes
    ----------
    sizes : tuple of d int
        Values of each column.
    n_rows : float
        Noisy.
    dependence : float or None
        Noisy share of the rows that would have to change for two columns to be
        independent, on average over the pairs and beyond chance; in [0, 1]. None where
        it is neither asked nor told.
    """

    sizes: tuple
    n_rows: float
    dependence: float | None = None


def least_share_of_margins(sizes):
    """Least share of the budget that the values of a column get."""
    return 0.9 * _LEAST_MARGINS * min(sizes) / sum(sizes)


def rows_epsilon(ledger):
    """Epsilon of the noisy number of rows, also where there is a delta."""
    return min(_COUNT * ledger.epsilon, _MOST_OF_COUNT)


def dependence_epsilon(n_rows, ledger):
    """Epsilon of the dependence of the columns, also where there is a delta.

    0 where it is not asked: of so few rows noise would tell more than they do.
    """
    change = ledger.sensitivity(DEPENDENCE_SENSITIVITY)
    most = _MOST_OF_DEPENDENCE * ledger.epsilon
    if change / most > _TOO_NOISY * n_rows:
        return 0.0
    enough = change / (_EXACT_ENOUGH * n_rows)
    return max(min(enough, most), LEAST_SHARE * ledger.epsilon)


def apart_epsilon(ledger):
    """Epsilon of the test whether single columns are enough."""
    return _SHARE_OF_TEST * ledger.epsilon


def is_tested(known, ledger):
    """Whether single columns alone may be nearer than with rounds, or not, by how much
    pairs depend on each other; of which nothing is known, and noise not of rho."""
    if ledger.rho is not None or known.dependence is not None or len(known.sizes) == 1:
        return False
    return _LEAST_TESTED <= error_of_columns(known, ledger) < _HOPELESS


def are_columns_enough(apart, known, ledger):
    """Whether single columns alone are nearer than with rounds.

    Parameters
    ----------
    apart : float
        Total variation of the pairs that are farthest from independent columns; noisy.
    known : Known
    ledger : PrivacyLedger
    """
    error = error_of_columns(known._replace(dependence=None), ledger)
    return apart < _NEAR * error * sqrt(len(known.sizes) - 1)


def wants_delta(known, ledger):
    """Whether the noise of rho is less than that of epsilon, for a release.

    Parameters
    ----------
    known : Known
    ledger : PrivacyLedger
        With a delta, and counts of Laplace noise alone.

    Returns
    -------
    bool

    Notes
    -----
    Laplace's noise is as the number of the queries that share a budget, Gauss's as the
    root of it. The queries are those of the release that would be made of epsilon:
    groups of columns, and two for each round.

    Where all columns are counted in groups, what is read of them are sums of noisy
    counts. These are off about as a normal law of their variance is, whatever the
    noise: Laplace's is then 2 / sqrt(pi) times as much beside Gauss's as in one count.
    But where it is asked of epsilon whether single columns are enough, fewer queries
    may follow.
    """
    pure = ledger.without_delta()
    groups, _ = group_columns(known.sizes, 1)
    n_queries = len(groups)
    if not gets_columns_only(known, pure):
        n_queries += 2 * count_rounds(known, pure)
    of_epsilon = pure.count_noise(pure.total / n_queries)
    if min(map(len, groups)) > 1 and not is_tested(known, pure):
        of_epsilon *= 2 / sqrt(pi)
    return ledger.count_noise(ledger.total / n_queries) < of_epsilon


def margin_costs(known, ledger, left, is_all=None):
    """Groups of columns whose values are counted together, and the cost of each.

    Parameters
    ----------
    known : Known
    ledger : PrivacyLedger
        Its total, and the law of its noise.
    left : float
        Of the budget, to share out.
    is_all : bool, optional
        Whether all of it is for them; by default by `gets_columns_only`.

    Returns
    -------
    groups : list of tuple of int
    costs : ndarray of float64
        They sum to `left`, but for rounding, where all of it is for them.
    """
    is_all = gets_columns_only(known, ledger) if is_all is None else is_all
    share = 1.0 if is_all else _share_of_margins(known, ledger)
    groups, weights = group_columns(known.sizes, _power(ledger))
    return groups, share * left * weights / weights.sum()


def _share_of_margins(known, ledger):
    """Of the budget, where rounds follow."""
    error = _error_of_budget(known.sizes, ledger) / known.n_rows / _strength(known)
    if ledger.rho is not None:
        share = max(error / (error + _ERROR_OF_HALF), _LEAST_OF_RHO)
        return min(share, _MOST_MARGINS)
    share = max((error / _ERROR_OF_ALL) ** _POWER_OF_ERROR, _LEAST_MARGINS)
    return min(share, max(_MOST_MARGINS, 1 - _LEFT / error))


def _strength(known):
    """How many times as dependent as usual the columns are, from 1 on."""
    return max((known.dependence or 0.0) / _USUAL_DEPENDENCE, 1.0)


def gets_columns_only(known, ledger):
    """Whether all but the values of the columns would be noise."""
    is_one = len(known.sizes) == 1
    least = least_rows(known.sizes, ledger) / _strength(known)
    return is_one or known.n_rows < least


def least_rows(sizes, ledger):
    """Rows below which the values of the columns would get the whole budget.

    A delta brings no more of them: what is measured without one is with it.
    """
    return least_error(sizes, ledger) / _HOPELESS


def least_error(sizes, ledger):
    """Mean total variation of the columns of a table of one row, at the least, were all
    spent on them."""
    error = error_of_columns(Known(sizes, 1), ledger)
    if ledger.rho is not None:
        error = min(error, _error_of_budget(sizes, ledger))
    return error


def error_of_columns(known, ledger):
    """Mean total variation of the columns were all of epsilon spent on them, for as
    much as they depend on each other."""
    noise = ledger.sensitivity(1) / ledger.epsilon
    n_values = noisy_values(known.sizes, 1)
    return expected_variation(n_values, noise, known.n_rows) / _strength(known)


def _error_of_budget(sizes, ledger):
    """Mean total variation of the columns of a table of one row, were the whole budget
    spent on them."""
    n_values = noisy_values(sizes, _power(ledger))
    error = expected_variation(n_values, ledger.count_noise(ledger.total), 1)
    # Of epsilon noise is as the number of columns, of rho as the root of it.
    return error if ledger.rho is None else error / sqrt(len(sizes))


def _power(ledger):
    """Noise is as one over epsilon, and over the root of rho."""
    return 1 if ledger.rho is None else 2


def count_rounds(known, ledger):
    """How many margins to measure with what the values of the columns leave."""
    n_columns = len(known.sizes) * _strength(known) ** _POWER_OF_STRENGTH
    rows_per_noise = known.n_rows / ledger.count_noise(ledger.total)
    if ledger.rho is None:
        left = 1 - _share_of_margins(known, ledger)
        fewer = min(left / (1 - _MOST_MARGINS), 1)
        wanted = fewer * _ROUNDS * n_columns * rows_per_noise ** (1 / 2)
        return min(max(round(wanted), 1), _MAX_ROUNDS)
    few = _ROUNDS_OF_RHO * rows_per_noise ** (1 / 3)
    many = _MANY_ROUNDS_OF_RHO * rows_per_noise ** (2 / 3)
    return min(max(round(n_columns * max(few, many)), 1), _MAX_ROUNDS_OF_RHO)


def rounds_after(n_left, told, ledger):
    """For how many measurements the rest of the budget is, after a round.

    Parameters
    ----------
    n_left : int
        For how many it was.
    told : float
        Squares of what the noisy counts of the round are off the model that they were
        chosen by, over those of their noise.
    ledger : PrivacyLedger
        The law of its noise.

    Returns
    -------
    int
        Half as many where the round told hardly anything: what is left to be found is
        then less than what the noise of so many hides. Never of rho, whose noise
        half as many rounds make less by the root of two alone, nor of the last two.
    """
    if ledger.rho is not None or told >= _TOLD or n_left <= _LAST:
        return n_left
    return (n_left + 1) // 2


def choice_share(n_rows, ledger, left, n_rounds):
    """What a choice costs, of what it and its counts do together.

    Parameters
    ----------
    n_rows : float
    ledger : PrivacyLedger
        The law of its noise.
    left : float
        Of the budget, for so many rounds.
    n_rounds : int

    Returns
    -------
    float
        From a twentieth to a half.

    Notes
    -----
    Of a round of epsilon e, a share c makes the choice among N wrong by about
    2 log(N) / (c e) rows, the rest makes m counts wrong by m / ((1 - c) e). The sum is
    least where c / (1 - c) is the root of 2 log(N) / m. For rho the noise of a choice
    is sqrt(pi / 2) times that of a count, and both are as one over roots: it is the
    power 2/3 of sqrt(pi / 2) log(N) / m. As m stand the cells that noise puts a tenth
    off, `_MAX_TRIPLE_OF_RHO` at most.
    """
    if not left:
        return _MOST_OF_CHOICE
    cells = n_rows / (_ROWS_OF_RHO * ledger.count_noise(left / n_rounds))
    cells = min(cells, _MAX_TRIPLE_OF_RHO)
    if ledger.rho is None:
        odds = (2 * log(N_COMPARED) / cells) ** (1 / 2)
    else:
        odds = (sqrt(pi / 2) * log(N_COMPARED) / cells) ** (2 / 3)
    return min(odds / (1 + odds), _MOST_OF_CHOICE)


def round_costs(left, n_left, share):
    """Cost of a choice, which gets a share, and of its counts, of so many that are left
    to be made."""
    return share * left / n_left, (1 - share) * left / n_left


def cells_of_triples(n_rows, noise, ledger):
    """Cells of three columns measured together, at most, by the noise of a count."""
    if ledger.rho is None:
        rows, most = _ROWS_OF_TRIPLE, _MAX_TRIPLE
    else:
        rows, most = _ROWS_OF_RHO, _MAX_TRIPLE_OF_RHO
    return min(max(n_rows / (rows * noise), _LEAST_TRIPLE), most)


def group_columns(sizes, power):
    """Columns in the groups in which noise puts their values least off.

    Parameters
    ----------
    sizes : tuple of d int
        Values of each column.
    power : {1, 2}
        Noise is as one over the `power`-th root of its cost: 1 for epsilon, 2 for rho.

    Returns
    -------
    groups : list of tuple of int
        Increasing; each column is in one. Those of most columns come first.
    weights : ndarray of float64
        Of each group: what its cost is in proportion to, for errors that add up to
        least.

    Notes
    -----
    Of a budget E, a group that gets a share w of it puts the values of its columns off
    by c / (w E)^(1 / power) in all, where c = sum_j s_j sqrt(m / s_j), with s_j values
    of a column and m cells of the group. These sums are least where w is as
    c^(power / (power + 1)), and then together as the (1 + 1 / power)-th power of the
    sum of what w is in proportion to. That sum is made least over all ways to cut the
    columns, in order of their sizes, into runs.
    """
    order = sorted(range(len(sizes)), key=lambda j: sizes[j])

    def weight(run):
        m = prod(sizes[j] for j in run)
        return sum(sqrt(sizes[j] * m) for j in run) ** (power / (power + 1))

    # Least sum of the weights of the first columns, and where their last run begins.
    # What is equal but for rounding is counted together.
    least, begins = [0.0], []
    for end in range(1, len(order) + 1):
        sums = [
            (round(least[begin] + weight(order[begin:end]), 9), begin)
            for begin in range(max(0, end - _MOST), end)
        ]
        total, begin = min(sums)
        least.append(total)
        begins.append(begin)
    groups, end = [], len(order)
    while end:
        groups.append(tuple(sorted(order[begins[end - 1] : end])))
        end = begins[end - 1]
    groups.sort(key=lambda group: (-len(group), group))
    return groups, np.array([weight(group) for group in groups])


def noisy_values(sizes, power):
    """Values of all columns that would be as far off, were no columns grouped.

    Of columns of as many values each, which are counted apart.

    Parameters
    ----------
    sizes : tuple of d int
    power : {1, 2}
        As of `group_columns`.

    Returns
    -------
    float
        The sum of `sizes` for columns of one size that are in no group, else less.
    """
    _, weights = group_columns(sizes, power)
    return weights.sum() ** (1 + 1 / power) / len(sizes) ** (1 / power)
