"""The time that a search has."""

import time


class OutOfTime(Exception):
    """The time of a search is over; never leaves it."""


class Clock:
    """The time that a search has, for all its workers.

    Parameters
    ----------
    time_limit : float, optional
        Seconds from now.
    """

    def __init__(self, time_limit):
        self.start = time.perf_counter()
        self.cpu_start = time.process_time()
        self.time_limit = time_limit
        self.is_stopped = False

    def read(self):
        """Wall and CPU seconds since the start."""
        return (
            time.perf_counter() - self.start,
            time.process_time() - self.cpu_start,
        )

    def is_over(self):
        """Whether the time is over, or the search was stopped."""
        late = self.time_limit is not None and self.read()[0] >= self.time_limit
        return late or self.is_stopped

    def check(self):
        """End the iteration where the time is over.

        Raises
        ------
        OutOfTime
        """
        if self.is_over():
            raise OutOfTime
