"""The entries of a ledger: queries of the data, with what each cost."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class LedgerEntry:
    """One query of the data.

    Attributes
    ----------
    what : str
        What was measured.
    mechanism : str
        The law of the noise.
    sensitivity : int
        Most that it changes between neighbouring tables, all rows of a person counted.
    epsilon : float or None
        What it cost; where the ledger has a delta, None but for Laplace noise.
    scale : float
        Of the noise, in units of what was measured.
    n_values : int
        Noisy numbers given out (or chosen among).
    rho : float or None
        What it cost where the ledger has a delta.
    """

    what: str
    mechanism: str
    sensitivity: int
    epsilon: float | None
    scale: float
    n_values: int
    rho: float | None = None

    @property
    def cost(self) -> float:
        """In the unit of the ledger."""
        cost = self.epsilon if self.rho is None else self.rho
        assert cost is not None
        return cost

    @property
    def variance(self) -> float:
        """Of the noise of a count, at most: less for a scale below 1."""
        return (1.0 if self.epsilon is None else 2.0) * self.scale**2


def lines_of_entries(entries: Sequence[LedgerEntry], unit: str) -> Iterator[str]:
    """A table of entries as lines of text, their cost under the name of its unit."""
    names = (unit, "sensitivity", "scale", "values", "mechanism", "what")
    rows = [names] + [
        (
            f"{entry.cost:.6g}",
            str(entry.sensitivity),
            f"{entry.scale:.6g}",
            f"{entry.n_values:,}",
            entry.mechanism,
            entry.what,
        )
        for entry in entries
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()
