r"""PRAM: each value is replaced by a draw from its row of a transition matrix.

With R[k, l] the chance that the value k is released as l, and t the shares of values in
the table, the released shares are t R on average, so that t is estimated without bias
by the released shares times the inverse of R: the matrix is released with the table. It
is *invariant* if t R = t: then released shares estimate t as they are. The invariant
matrix here keeps a value with probability r, and draws it anew from t otherwise; the
other one draws it from the other values, all alike::

    invariant   R = r I + (1 - r) 1 t'
    uniform     R[k, l] = (1 - r) / (m - 1) for l != k, R[k, k] = r

Of who reads the value k in a row, and knows nothing else of it, the chance to be right
that it is the true one is t[k] R[k, k] / (t R)[k].

References
----------
.. [1] J. M. Gouweleeuw, P. Kooiman, L. C. R. J. Willenborg and P.-P. de Wolf, "Post
   randomisation for statistical disclosure control", Journal of Official Statistics 14,
   1998.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coclust_synth.baselines.perturbation.perturbation import Perturbation
from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy.classes import code_values
from coclust_synth.tables.literals import encode
from coclust_synth.validation import check_choice, check_share

KINDS_OF_MATRIX = ("invariant", "uniform")
_MAX_VALUES = 1000


class Transition(NamedTuple):
    """The matrix of a column.

    Attributes
    ----------
    values : tuple
        None, if a value is missing, is the last.
    matrix : ndarray of float64, shape (m, m)
        Chance that the value of a row is released as that of a column; rows sum to 1.
    shares : ndarray of float64, shape (m,)
        Of the values in the real table. Confidential, though an invariant matrix has
        them, and released shares are near them.
    """

    values: tuple
    matrix: NDArray[np.float64]
    shares: NDArray[np.float64]

    @property
    def true_given_released(self) -> NDArray[np.float64]:
        """Chance that each value, where it is read, is the true one, shape (m,)."""
        kept = self.shares * np.diag(self.matrix)
        return kept / (self.shares @ self.matrix)

    @property
    def kept(self) -> float:
        """Chance that the value of a row is released as it is."""
        return float(self.shares @ np.diag(self.matrix))

    def to_dict(self) -> dict[str, Any]:
        """What is released of it, as JSON types."""
        return {
            "values": [encode(value) for value in self.values],
            "matrix": self.matrix.tolist(),
        }


@dataclass(eq=False, repr=False, kw_only=True)
class PostRandomization(Perturbation):
    """Post-randomisation: values are drawn anew by a known transition matrix.

    Missing values are a value like any other. Columns are changed independently, so
    that combinations that nobody has can come about; see
    `coclust_synth.baselines.perturbation.pram` for the matrices.

    Parameters
    ----------
    columns : sequence of str
        Of at most 1,000 different values.
    retained : float, default=0.8
        Chance that a value is kept rather than drawn, in [0, 1].
    transition : {"invariant", "uniform"}, default="invariant"
        Whether a draw is from the shares of the values, which the table then keeps on
        average, or from the other values, all alike.
    random_state
        As of `Perturbation`.

    Attributes
    ----------
    released_ : DataFrame
    transitions_ : dict of str to Transition

    References
    ----------
    Gouweleeuw et al. (1998).

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"job": ["cook", "nurse"] * 50, "age": range(100)})
    >>> pram = PostRandomization(["job"], retained=0.6, random_state=0).fit(table)
    >>> pram.transitions_["job"].matrix.tolist()
    [[0.8, 0.2], [0.2, 0.8]]
    >>> int((pram.released_["job"] != table["job"]).sum())
    21
    """

    retained: float = 0.8
    transition: str = "invariant"

    def _check_options(self):
        check_share("retained", self.retained)
        check_choice("transition", self.transition, KINDS_OF_MATRIX)

    def _change(self, frame, columns, rng):
        self.transitions_, changed = {}, {}
        for column in columns:
            series = frame[column.name]
            coded = code_values(series)
            if not 1 < len(coded.values) <= _MAX_VALUES:
                raise ParameterError(
                    f"Expected from 2 to {_MAX_VALUES} different values in "
                    f"{column.name!r}. Received {len(coded.values)}. Group them, or "
                    "choose another method."
                )
            shares = coded.counts / len(series)
            matrix = self._matrix(shares)
            drawn = _draw(matrix, coded.codes, rng)
            # A row that holds each value: the column keeps its type.
            holder = np.empty(len(coded.values), dtype=np.int64)
            holder[coded.codes] = np.arange(len(series))
            changed[column.name] = series.iloc[holder[drawn]].set_axis(series.index)
            self.transitions_[column.name] = Transition(coded.values, matrix, shares)
        return changed

    def _matrix(self, shares):
        m, r = len(shares), self.retained
        if self.transition == "invariant":
            return r * np.eye(m) + (1 - r) * shares[np.newaxis, :]
        return np.where(np.eye(m, dtype=bool), r, (1 - r) / (m - 1))


def _draw(matrix, codes, rng):
    """A code for each code, by its row of the matrix."""
    upto = np.cumsum(matrix, axis=1)
    upto[:, -1] = 1.0  # rounding must not leave a gap
    drawn, chance = np.empty_like(codes), rng.random(len(codes))
    for own in np.unique(codes):
        rows = codes == own
        drawn[rows] = np.searchsorted(upto[own], chance[rows], side="right")
    return drawn
