"""What relations have in common that tell one column from others, row by row."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from numpy.typing import ArrayLike, NDArray

from coclust_synth.tables.relations.common.relation import Relation


@dataclass(frozen=True)
class Formula(Relation):
    """A relation that says what a column is, from others of the row.

    A formula has the fields or properties `target`, the name of the column, and
    `parents`, those of the others.

    Attributes
    ----------
    logarithms : bool
        Whether `predict` gives logarithms.
    is_rounded : bool
        Whether rows differ from it by rounding; whole numbers that dates tell do not.
    draws_factor : bool
        Whether rows are what it says times a factor, which of several is drawn: then
        a method `factor` says which one each row has, by the arguments of `nearest`.
    """

    logarithms = False
    is_rounded = True
    draws_factor = False

    @property
    def columns(self):
        """The target, then those that it is told from."""
        return self.target, *self.parents

    def wrong_kind(self, kinds):
        """All are numbers, where a formula says no more of it."""
        wrong = (n for n in self.columns if kinds.get(n, "number") != "number")
        return next(wrong, None)

    @abstractmethod
    def predict(self, numbers: Mapping[str, ArrayLike]) -> NDArray:
        """What it says of each row, (n,) float64; nan where it says nothing.

        Parameters
        ----------
        numbers : mapping of str to ndarray of float64, shape (n,)
            Of the columns that it is told from; nan where missing, dates in days.
        """

    def nearest(self, own, told):
        """Of what it lets a row be, the nearest to the value that it has.

        Parameters
        ----------
        own, told : ndarray of float64, shape (n,)
            Of the target, and what `predict` says; nan where missing.

        Returns
        -------
        ndarray of float64, shape (n,)
        """
        return told * self.factor(own, told) if self.draws_factor else told
