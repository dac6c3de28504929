"""What relations have that say more of a sum: up to a limit, around the clock."""

from dataclasses import dataclass
from typing import ClassVar

from coclust_synth.tables.relations.common.relation import Relation
from coclust_synth.tables.relations.sums.fits import Fit


@dataclass(frozen=True)
class OverSum(Relation):
    """A column that is told from a sum of others.

    Attributes
    ----------
    target : str
    parents : tuple of str
    coefficients : tuple of float
        Of each parent.
    constant : float
        Added to the sum.
    """

    target: str
    parents: tuple[str, ...]
    coefficients: tuple[float, ...]
    constant: float

    #: The face of a `Fit`.
    logarithms: ClassVar[bool] = False
    about: ClassVar[bool] = False

    @property
    def columns(self):
        """The target, then those that it is told from."""
        return self.target, *self.parents

    @property
    def sum(self):
        """The sum alone, a `Fit`."""
        return Fit(
            self.target,
            self.parents,
            self.coefficients,
            self.constant,
            logarithms=False,
        )
