"""The costs that a search reached, by CPU seconds."""

import math
from dataclasses import dataclass

# Khiops prints costs with 10 significant digits.
_DIGITS = 10


@dataclass(frozen=True)
class Run:
    """One search of one program.

    Attributes
    ----------
    points : tuple of (float, float)
        CPU seconds and cost (nats) of each improvement, in order.
    cpu_seconds : float
        Of the whole run.
    is_finished : bool
        Whether it ended by itself; what it found stays for all time then.
    seed : int, optional
    """

    points: tuple[tuple[float, float], ...]
    cpu_seconds: float
    is_finished: bool
    seed: int | None = None

    @property
    def cost(self):
        """The lowest cost (nats), nan if there is none."""
        return min((cost for _, cost in self.points), default=math.nan)

    @property
    def last_seconds(self):
        """CPU seconds until the last improvement, nan if there is none."""
        return self.points[-1][0] if self.points else math.nan

    def cost_after(self, seconds):
        """The lowest cost within some CPU seconds (nats).

        nan if the run was stopped before, or had found nothing.
        """
        if self.cpu_seconds < seconds and not self.is_finished:
            return math.nan
        reached = (cost for at, cost in self.points if at <= seconds)
        return min(reached, default=math.nan)

    def seconds_to(self, cost):
        """CPU seconds until a cost was reached, inf if it was not.

        Costs that are printed alike are equal.
        """
        reached = (at for at, own in self.points if own <= cost or _alike(own, cost))
        return min(reached, default=math.inf)


def _alike(cost, other):
    return f"{cost:.{_DIGITS}g}" == f"{other:.{_DIGITS}g}"
