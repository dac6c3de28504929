"""What relations have that say more of a sum: up to a limit, around the clock."""

from dataclasses import dataclass

from coclust_synth.tables.relations.common.formula import Formula
from coclust_synth.tables.relations.sums.fits import Fit


@dataclass(frozen=True)
class OverSum(Formula):
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

    @property
    def sum(self):
        """The sum alone, a `Fit`."""
        return Fit(self.target, self.parents, self.coefficients, self.constant)

    @classmethod
    def _of_sum(cls, content, **own):
        """Read the sum of some JSON types; `own` is what the relation has beside it."""
        rest = {name: value for name, value in content.items() if name not in own}
        fit = Fit.read(rest | {"kind": "sum"})
        return cls(fit.target, fit.parents, fit.coefficients, fit.constant, **own)
