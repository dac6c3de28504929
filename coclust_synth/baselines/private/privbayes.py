"""PrivBayes: a Bayesian network chosen and measured under differential privacy."""

from dataclasses import dataclass

import numpy as np

from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.domain_synthesizer import DomainSynthesizer, check_budget
from coclust_synth.generators.draws import drawn_given
from coclust_synth.generators.release_plan import (
    make_plan,
    planned_choice,
    planned_columns,
    planned_counts,
    rows_of_noisy_columns,
)
from coclust_synth.privacy.noise.scores import DEPENDENCE_SENSITIVITY, dependent_rows
from coclust_synth.validation import check_number


@dataclass(eq=False, repr=False, kw_only=True)
class PrivBayes(DomainSynthesizer):
    """Rows drawn from a Bayesian network with noisy conditional distributions.

    epsilon-differentially private for the table's persons (see `PrivacyLedger` for
    what that leaves out); pure, whichever neighbours.

    The first column is the one of fewest cells, and its noisy counts also say how many
    rows there are: the number of rows is not taken as public. The others follow one by
    one, each time the column and parents that the exponential mechanism prefers by
    score R, among parent sets that are theta-useful and maximal. Each column is then
    counted together with its parents, with noise; negatives become 0.

    Parameters
    ----------
    epsilon : float
        Above 0.
    domain : Domain, path or mapping
    theta : float, default=4
        Usefulness: rows per cell of a noisy count, on average, over the scale of its
        noise, at least. More makes smaller parent sets.
    split : float, default=0.3
        Share of epsilon for the choice of the network, between 0 and 1.
    neighbours : {"add-remove", "replace"}, default="add-remove"
    rows_per_person : int, default=1

    Attributes
    ----------
    ledger_ : PrivacyLedger
    network_ : list of (str, tuple of str)
        Each column with its parents, which come before it.
    n_rows_ : int
        Noisy number of rows.

    References
    ----------
    J. Zhang, G. Cormode, C. Procopiuc, D. Srivastava, X. Xiao, "PrivBayes: private
    data release via Bayesian networks", ACM TODS 42(4), 2017. There n is public and
    neighbours differ by a replaced row; here scores and counts are in rows, so that
    both kinds of neighbours are served.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"sex": ["F", "M"] * 500, "smokes": ["no", "yes"] * 500})
    >>> domain = {"sex": ["F", "M"], "smokes": ["no", "yes"]}
    >>> generator = PrivBayes(1.0, domain).fit(table)
    >>> generator.network_, generator.ledger_.remaining
    ([('sex', ()), ('smokes', ('sex',))], 0.0)
    """

    theta: float = 4
    split: float = 0.3

    def _check(self):
        check_number("theta", self.theta, above=0)
        check_number("split", self.split, above=0)
        if self.split >= 1:
            raise ParameterError(
                f"Expected split to be below 1. Received {self.split!r}. Give for "
                "instance 0.3, and the other 0.7 goes to the counts."
            )
        d = len(self.domain_.sizes)
        least = min(self.split / (d - 1), (1 - self.split) / d) if d > 1 else 1.0
        # The last query gets what rounding leaves.
        check_budget(self.epsilon, None, 0.9 * least)

    def _plan(self, n_rows, ledger):
        d = len(self.domain_.sizes)
        choices, per_count, first = self._shares(ledger)
        name = self.domain_.names[first]
        asked = self.domain_.select([name]), n_rows, ledger, [per_count]
        queries, errors = planned_columns(*asked, "counts of")
        if d > 1:
            what, sensitivity = "choice of a column and parents", DEPENDENCE_SENSITIVITY
            per_choice = choices / (d - 1)
            choice = planned_choice(ledger, what, None, per_choice, sensitivity, d - 1)
            what = "counts of a column and its parents"
            queries += [choice, planned_counts(ledger, what, None, per_count, d - 1)]
        noise = self._rows_of_noise(ledger)
        asked = ledger, n_rows, "network", queries, errors
        return make_plan(*asked, rows_of_noise=noise)

    def _rows_of_noise(self, ledger):
        """Of columns without parents: of few rows none is useful."""
        _, per_count, _ = self._shares(ledger)
        return rows_of_noisy_columns(self.domain_.sizes, ledger, per_count)

    def _shares(self, ledger):
        """Cost of all choices, cost of each count, and the column counted first."""
        sizes = self.domain_.sizes
        choices = self.split * ledger.epsilon if len(sizes) > 1 else 0.0
        return choices, (ledger.epsilon - choices) / len(sizes), int(np.argmin(sizes))

    def _measure(self, codes, ledger):
        d = len(self.domain_.sizes)
        choices, per_count, first = self._shares(ledger)
        counts = {first: self._count(codes, first, (), ledger, per_count)}
        n_rows = max(0, int(counts[first].sum()))

        noise = ledger.sensitivity(1) / per_count
        most_cells = n_rows / (self.theta * noise)
        network = self._choose(codes, first, most_cells, ledger, choices)
        self.network_ = [
            (self.domain_.names[child], tuple(self.domain_.names[p] for p in parents))
            for child, parents in network
        ]
        for i, (child, parents) in enumerate(network[1:], start=1):
            share = ledger.remaining / (d - i)
            counts[child] = self._count(codes, child, parents, ledger, share)
        self._conditionals = [
            (child, parents, _conditional(counts[child])) for child, parents in network
        ]
        return n_rows

    def _choose(self, codes, first, most_cells, ledger, epsilon):
        """Columns in order, each with its parents."""
        sizes = self.domain_.sizes
        network, left = [(first, ())], set(range(len(sizes))) - {first}
        scores = {}
        n_choices = len(left)
        while left:
            before = [(j, sizes[j]) for j, _ in network]
            candidates = [
                (child, tuple(sorted(parents)))
                for child in sorted(left)
                for parents in maximal_parent_sets(before, most_cells / sizes[child])
                or [frozenset()]
            ]
            for child, parents in candidates:
                if (child, parents) not in scores:
                    scores[child, parents] = dependent_rows(
                        self._counts(codes, child, parents)
                    )
            chosen = ledger.exponential(
                [scores[candidate] for candidate in candidates],
                cost=epsilon / n_choices,
                sensitivity=DEPENDENCE_SENSITIVITY,
                what=f"column {len(network) + 1} of the network and its parents",
            )
            network.append(candidates[chosen])
            left.remove(candidates[chosen][0])
        return network

    def _count(self, codes, child, parents, ledger, epsilon):
        """Noisy counts of a column with its parents, (cells of parents, of child)."""
        names = [self.domain_.names[j] for j in (child, *parents)]
        return ledger.noisy_counts(
            self._counts(codes, child, parents),
            cost=epsilon,
            what="counts of " + " × ".join(names),
        )

    def _counts(self, codes, child, parents):
        """Rows of a column with its parents, (cells of parents, of child)."""
        shape = self._n_cells(parents), self.domain_.sizes[child]
        cells = self._cells(codes, (*parents, child))
        return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)

    def _cells(self, codes, columns):
        """Cell of some columns together, of each row."""
        cells = np.zeros(len(codes), dtype=np.int64)
        for j in columns:
            cells = cells * self.domain_.sizes[j] + codes[:, j]
        return cells

    def _n_cells(self, columns):
        return int(np.prod([self.domain_.sizes[j] for j in columns], dtype=np.int64))

    def _draw(self, n, rng):
        codes = np.zeros((n, len(self.domain_.sizes)), dtype=np.int32)
        for child, parents, weights in self._conditionals:
            codes[:, child] = drawn_given(weights, self._cells(codes, parents), rng)
        return codes


def _conditional(counts):
    """Weights of the values of a column for each cell of its parents.

    Negative counts are 0; where nothing is left, all cells are as likely.
    """
    weights = np.maximum(counts, 0).astype(np.float64)
    weights[weights.sum(axis=1) == 0] = 1.0
    return weights


def maximal_parent_sets(sizes, limit):
    """Largest sets of columns with at most some cells together.

    Algorithm 5 of Zhang et al. (2017) without taxonomies.

    Parameters
    ----------
    sizes : sequence of (column, int)
        Candidate parents and their numbers of cells.
    limit : float
        Cells that all parents together may have.

    Returns
    -------
    list of frozenset
        None is a part of another. Empty if even no parent at all is too many.
    """
    if limit < 1:
        return []
    if not sizes:
        return [frozenset()]
    (first, size), *others = sizes
    with_first = [
        parents | {first} for parents in maximal_parent_sets(others, limit / size)
    ]
    # Those which `first` can join are not maximal without it.
    joined = {parents - {first} for parents in with_first}
    without = maximal_parent_sets(others, limit)
    return with_first + [parents for parents in without if parents not in joined]
