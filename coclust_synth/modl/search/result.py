"""What the searches for grids give back."""

from dataclasses import dataclass
from typing import Any, NamedTuple


class TracePoint(NamedTuple):
    """The best grid after some time of a search.

    Attributes
    ----------
    seconds, cpu_seconds : float
        Since the start.
    iteration : int
    cost : float
        Nats.
    shape : tuple of int
        Numbers of parts, a dimension each.
    """

    seconds: float
    cpu_seconds: float
    iteration: int
    cost: float
    shape: tuple[int, ...]


@dataclass(frozen=True)
class SearchResult:
    """What a search found.

    Attributes
    ----------
    grid : Grid or DataGrid
        The grid of least cost.
    trace : tuple of TracePoint
        Each improvement, in order.
    n_iterations : int
        Iterations done.
    stopped_by : str
        ``"iterations"``, ``"time"`` or ``"user"``.
    """

    grid: Any
    trace: tuple[TracePoint, ...]
    n_iterations: int
    stopped_by: str
