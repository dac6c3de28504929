"""MST: a tree of pairs of columns, chosen and measured under differential privacy."""

from functools import partial
from itertools import combinations

import numpy as np

from coclust_synth.baselines.private.noisy_margins import (
    MarginSynthesizer,
    NoisyMargins,
)
from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.dp.adaptive.columns import split_column
from coclust_synth.generators.release_plan import (
    make_plan,
    planned_choice,
    planned_columns,
    planned_counts,
    planned_pairs,
    rows_of_noisy_columns,
)

_MAX_PAIR = 2**24  # cells
_RARE = 3.0  # standard deviations of the noise: rows of a value that is not merged
_FIRST_FIT, _LAST_FIT = 100, 1000  # evaluations of the model


class MSTSynthesizer(MarginSynthesizer):
    """Rows drawn from a tree of pairs of columns with noisy counts.

    (epsilon, delta)-differentially private for the table's persons, by rho-zCDP (see
    `PrivacyLedger` for what that leaves out). A third of rho counts each column, in
    equal shares, with discrete Gaussian noise; values of fewer rows than three standard
    deviations are then one value, to be drawn by the noisy counts. A third chooses a
    spanning tree of the columns, edge by edge: the exponential mechanism prefers the
    pair that independent columns are most wrong about, in rows, of those that the edges
    chosen before do not join yet. A third counts these pairs, in equal shares. Rows
    are drawn from the log-linear model of all counts.

    Counts and scores have sensitivity 1: a row is in one cell, see
    `coclust_synth.privacy.noise.scores` for scores.

    Parameters
    ----------
    epsilon : float
        Above 0.
    domain : Domain, path or mapping
        No two columns of more than 2^24 cells together.
    delta : float
        In (0, 1): a chance by which the promise of epsilon may fail, far below one over
        the number of persons.
    large_delta : bool, default=False
        Whether a `delta` above 1e-6 is meant.
    neighbours : {"add-remove", "replace"}, default="add-remove"
    rows_per_person : int, default=1

    Attributes
    ----------
    ledger_ : PrivacyLedger
    tree_ : list of (str, str)
        Pairs that were chosen, in order.
    model_ : TreeModel
        The distribution of values, rare ones merged, that rows are drawn from.
    n_rows_ : int
        Noisy number of rows.

    References
    ----------
    R. McKenna, G. Miklau, D. Sheldon, "Winning the NIST contest: a scalable and general
    approach to differentially private synthetic data", JPC 11(3), 2021, section 4.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"sex": ["F", "M"] * 500, "smokes": ["no", "yes"] * 500})
    >>> domain = {"sex": ["F", "M"], "smokes": ["no", "yes"]}
    >>> generator = MSTSynthesizer(1.0, domain, delta=1e-9).fit(table)
    >>> generator.tree_, generator.ledger_.remaining
    ([('sex', 'smokes')], 0.0)
    """

    def _check(self):
        d = len(self.domain_.sizes)
        self._check_budget(0.9 / (3 * d))
        sizes = sorted(self.domain_.sizes)
        largest = int(np.prod(sizes[-2:], dtype=object))
        if largest > _MAX_PAIR:
            raise ParameterError(
                f"Expected columns of at most {_MAX_PAIR:,} cells two by two. Received "
                f"two of {largest:,}. Give them fewer categories or bins."
            )

    def _plan(self, n_rows, ledger):
        sizes, d = self.domain_.sizes, len(self.domain_.sizes)
        third = ledger.total / (3 if d > 1 else 1)
        queries, errors = planned_columns(self.domain_, n_rows, ledger, [third / d] * d)
        if d > 1:
            per_pair, n_pairs = third / (d - 1), d * (d - 1) // 2
            what = "choice of a pair"
            choice = planned_choice(ledger, what, n_pairs, per_pair, 1, d - 1)
            counts = planned_counts(ledger, "counts of a pair", None, per_pair, d - 1)
            queries += [choice, counts]
            errors += planned_pairs(sizes, n_rows, ledger.count_noise(per_pair))
        noise = self._rows_of_noise(ledger)
        return make_plan(ledger, n_rows, "tree", queries, errors, rows_of_noise=noise)

    def _rows_of_noise(self, ledger):
        sizes = self.domain_.sizes
        of_columns = ledger.total / (3 if len(sizes) > 1 else 1)
        return rows_of_noisy_columns(sizes, ledger, of_columns / len(sizes))

    def _measure(self, codes, ledger):
        d, names = len(self.domain_.sizes), self.domain_.names
        third = ledger.total / (3 if d > 1 else 1)
        margins = self._count_columns(codes, ledger, third)
        margins.fit(_FIRST_FIT)
        edges = _spanning_tree(margins, d, third)
        for i, edge in enumerate(edges):
            margins.measure(edge, ledger.remaining / (len(edges) - i))
        margins.fit(_LAST_FIT)
        self.tree_ = [tuple(names[j] for j in edge) for edge in edges]
        self.model_ = margins.model()
        return self.model_.n_rows

    def _count_columns(self, codes, ledger, budget):
        """Values of each column, of which the rare ones are one value from here on."""
        sizes, names = self.domain_.sizes, self.domain_.names
        noisy, variances, self._columns = [], [], []
        for j, size in enumerate(sizes):
            counts = ledger.noisy_counts(
                np.bincount(codes[:, j], minlength=size),
                cost=budget / len(sizes) if len(sizes) > 1 else ledger.remaining,
                what=f"values of {names[j]}",
            )
            noisy.append(counts)
            variances.append(ledger.entries[-1].variance)
            least = _RARE * np.sqrt(variances[j])
            self._columns.append(
                split_column(np.maximum(counts, 0.0), False, least, size)
            )
        merged = [column.gathered for column in self._columns]
        margins = NoisyMargins(
            np.column_stack([of[codes[:, j]] for j, of in enumerate(merged)]),
            tuple(column.n_values for column in self._columns),
            names,
            ledger,
        )
        for j, of in enumerate(merged):
            variance = variances[j] * np.bincount(of)
            margins.add((j,), np.bincount(of, noisy[j]), variance)
        return margins

    def _draw(self, n, rng):
        return self._draw_of(self.model_, self._columns, n, rng)

    def _given(self, allowed):
        given = [
            column.given(of) for column, of in zip(self._columns, allowed, strict=True)
        ]
        columns = [column for column, _ in given]
        model, share = self.model_.given([share[:, 0] for _, share in given])
        draw = partial(self._draw_of, model, columns)
        return (None if model is None else draw), share

    @staticmethod
    def _draw_of(model, columns, n, rng):
        merged = model.draw(n, rng)
        drawn = [
            column.draw(of, rng) for column, of in zip(columns, merged.T, strict=True)
        ]
        return np.column_stack(drawn)


def _spanning_tree(margins, n_columns, budget):
    """Pairs that join all columns, those first about which the model is most wrong."""
    scores = {
        pair: margins.rows_apart(pair) for pair in combinations(range(n_columns), 2)
    }
    joined = np.arange(n_columns)  # the least column that each is joined with
    edges = []
    while len(edges) < n_columns - 1:
        candidates = [(a, b) for a, b in scores if joined[a] != joined[b]]
        edge = margins.choose(
            candidates,
            [scores[pair] for pair in candidates],
            cost=budget / (n_columns - 1),
            sensitivity=1,
            what=f"pair {len(edges) + 1} of the tree",
        )
        ends = joined[list(edge)]
        joined[joined == ends.max()] = ends.min()
        edges.append(edge)
    return edges
