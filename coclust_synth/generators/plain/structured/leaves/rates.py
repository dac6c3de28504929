"""Counts that are drawn as a rate of others, where a column shows the rate.

A percentage of two counts is told from them, to the last digit. Drawn each from its own
tree, the counts of k districts meet as they come, and the few of a minority in a large
town are many in a small one. Drawn as a rate of the other count, the one count is about
as large as it was, and the percentage is what trees say of it.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coclust_synth.generators.plain.trees.column_tree import ColumnTree
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Fit, Rate, Relation
from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.fitting.rounding import half_step
from coclust_synth.tables.rules.fitting.scales import MAX_LISTED
from coclust_synth.tables.rules.fitting.told import dependants, evenly, in_turn
from coclust_synth.tables.rules.spacings import nats_of_numbers

# So often rows of leaves are exchanged to see what is lost, which chance has up to so
# many standard errors.
_N_EXCHANGED, _ERRORS = 8, 2
# Rows that are enough to see it.
_MOST_ROWS = 20_000

Numbers = Mapping[str, NDArray[np.float64]]


def find_rates(
    evidence: Evidence,
    told: Mapping[str, Relation],
    grown: Callable[[Rate], tuple[ColumnTree, ColumnTree]],
    k: int,
) -> list[Rate]:
    """The columns that are drawn as a rate of another.

    Of a column that is told as one over another, either may be a rate of the other, if
    nothing tells it; where the other is a sum of which it is a part, of both it and the
    largest part, unless that is itself. A list of values, as amounts taken off a price
    are, is no count of any size. It is one where the leaves of its tree, and what they
    leave to tell of it, then take fewer nats than the tree that it has without and what
    is left there, and where the column and the ratio then go no worse with others.

    Parameters
    ----------
    evidence : Evidence
        Of rows that are individuals.
    told : mapping of str to Relation
        By the column that each tells.
    grown : callable
        From a rate: the trees of the column without it and with it, over codes of
        columns.
    k : int
        Individuals who have both columns, at least.

    Returns
    -------
    list of Rate
        That which saves most comes first; no column depends on itself.
    """
    ranked: list[tuple[float, int, Rate]] = []
    for rate in dict.fromkeys(_candidates(told, evidence.numbers)):
        saved = _nats_saved(rate, evidence, grown, max(k, MIN_ROWS))
        if saved > 0:
            ranked.append((-saved, len(ranked), rate))
    return in_turn((rate for *_, rate in sorted(ranked)), told.values())


def _candidates(told: Mapping[str, Relation], numbers: Numbers) -> Iterator[Rate]:
    """What may be a rate of what, of exact ratios of two columns."""
    for fit in told.values():
        if not isinstance(fit, Fit) or fit.about or not fit.logarithms:
            continue
        if sorted(fit.coefficients) != [-1.0, 1.0]:
            continue
        for target, of in (fit.parents, fit.parents[::-1]):
            whole = _whole(of, target, told, numbers)
            is_free = target not in told and whole is not None
            if is_free and not _is_list(numbers[target]):
                yield Rate(target, whole, together=whole != of)


def _is_list(own: NDArray[np.float64]) -> bool:
    """Whether a column has few values."""
    return len(np.unique(own[~np.isnan(own)])) <= MAX_LISTED


def _whole(of: str, target: str, told: Mapping[str, Relation], numbers: Numbers) -> Any:
    """A column that another may be a rate of, or the largest part of it; or None."""
    later, fit = dependants(target, told), told.get(of)
    if of not in later:
        return of
    parts = fit.parents if isinstance(fit, Fit) and not fit.logarithms else ()
    largest = max(parts, key=lambda name: np.nanmean(numbers[name]), default=of)
    return None if largest in later else largest


def _nats_saved(rate, evidence, grown, least):
    """Nats a row that its tree, and what it leaves to tell, take fewer than without.

    A leaf takes half a logarithm of the rows for its mean, and for its spread: trees of
    more leaves tell more of these rows, and need not of any others.
    """
    own, whole = evidence.numbers[rate.target], evidence.numbers[rate.of]
    has_own, known = ~np.isnan(own), np.flatnonzero(~np.isnan(own) & (whole > 0))
    if len(known) < max(least, (1 - MAX_BROKEN) * has_own.sum()):
        return -np.inf  # Of nothing, or of what is missing, there is no rate.
    unit = np.full(len(known), 2 * half_step(evidence.scales[rate.target].ruler))
    own, whole = own[known], whole[known]

    def nats(tree, x, unit):
        leaf = tree.leaf_of(evidence.codes)[known]
        n_leaves = len(tree.left)
        of_leaves = nats_of_numbers(x, unit, leaf, n_leaves, np.arange(len(x)))
        told = of_leaves @ np.bincount(leaf, minlength=n_leaves)
        return (told + len(np.unique(leaf)) * np.log(len(x))) / len(x)

    apart, together = grown(rate)
    factor = rate.factor(own, whole)
    more = np.maximum(rate.factor(own + unit, whole) - factor, 1e-300)
    lost = _lost(rate, evidence, known, apart, together)
    if not lost.mean() >= -_ERRORS * lost.std() / np.sqrt(len(lost)):
        return -np.inf  # Of a column of one value nothing is known.
    return nats(apart, own, unit) - nats(together, factor, more)


def _lost(rate, evidence, known, *trees):
    """Correlations of ranks that a column and its rate lose more without than with it.

    Those with all other columns of numbers, each time that what a tree tells is
    exchanged among the rows of its leaves.
    """
    rng, known = np.random.default_rng(0), evenly(known, _MOST_ROWS)
    own, whole = evidence.numbers[rate.target][known], evidence.numbers[rate.of][known]
    others = np.array(
        [
            _unit_ranks(x[known])
            for name, x in evidence.numbers.items()
            if name != rate.target and np.ptp(x[known]) > 0
        ]
    )
    factor = rate.factor(own, whole)
    real, lost = _correlations((own, factor), others), []
    for tree, told in zip(trees, (own, factor), strict=True):
        leaf = tree.leaf_of(evidence.codes)[known]
        of_leaves = np.argsort(leaf, kind="stable")
        lost.append([])
        for _ in range(_N_EXCHANGED):
            drawn = np.empty(len(told))
            drawn[of_leaves] = told[np.lexsort((rng.random(len(leaf)), leaf))]
            if told is own:
                both = drawn, rate.factor(drawn, whole)
            else:
                both = rate.times(whole, drawn), drawn
            lost[-1].append(np.abs(_correlations(both, others) - real).mean())
    return np.subtract(*lost)


def _correlations(columns, others):
    """Of the ranks of two columns with those of others, see `_unit_ranks`."""
    return np.einsum("in,jn->ij", [*map(_unit_ranks, columns)], others)


def _unit_ranks(x):
    """Ranks of a column, of mean 0 and length 1; nan of a single value."""
    # Only tables with ratios of two columns need it: it takes long to import.
    from scipy.stats import rankdata

    ranks = rankdata(x)
    ranks -= ranks.mean()
    with np.errstate(invalid="ignore"):
        return ranks / np.sqrt((ranks * ranks).sum())
