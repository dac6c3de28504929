"""Sequential CART synthesis, as synthpop does it, over codes of parts.

Each column is drawn from a classification tree on the columns before it, grown on the
real rows by scikit-learn: a synthetic row falls into a leaf, and draws one of the
values of the leaf's real rows. No formal privacy guarantee; with small leaves rows are
nearly copied.

References
----------
J. P. Reiter, "Using CART to generate partially synthetic public use microdata", Journal
of Official Statistics 21, 2005; B. Nowok, G. M. Raab and C. Dibben, "synthpop: bespoke
creation of synthetic data in R", Journal of Statistical Software 74, 2016.
"""

import numpy as np
from sklearn.tree import DecisionTreeClassifier


class CartSynthesis:
    """Trees of each column on those before it.

    Parameters
    ----------
    leaf : int
        Real rows of a leaf, at least.
    random_state : int
        Of the order in which equally good splits are tried.
    """

    def __init__(self, leaf, random_state):
        self.leaf = leaf
        self.random_state = random_state

    def fit(self, codes):
        """Grow the trees.

        Parameters
        ----------
        codes : ndarray of int, shape (n, d)
            From 0 in each column.
        """
        self._first = codes[:, 0]
        self._trees, self._values = [], []
        for j in range(1, codes.shape[1]):
            tree = DecisionTreeClassifier(
                min_samples_leaf=self.leaf, random_state=self.random_state
            ).fit(codes[:, :j], codes[:, j])
            leaves = tree.apply(codes[:, :j])
            order = np.argsort(leaves, kind="stable")
            starts = np.searchsorted(leaves[order], np.arange(leaves.max() + 2))
            self._trees.append(tree)
            self._values.append((codes[order, j], starts))
        return self

    def sample(self, n, rng):
        """Codes of n rows, shape (n, d)."""
        drawn = np.empty((n, len(self._trees) + 1), dtype=np.int64)
        drawn[:, 0] = rng.choice(self._first, n)
        for j, (tree, (values, starts)) in enumerate(
            zip(self._trees, self._values, strict=True), start=1
        ):
            leaves = tree.apply(drawn[:, :j])
            sizes = starts[leaves + 1] - starts[leaves]
            drawn[:, j] = values[starts[leaves] + (rng.random(n) * sizes).astype(int)]
        return drawn
