"""The time that a search has."""

import copy
import signal
import threading
import time
from contextlib import contextmanager

#: Of the time of a fit, where more than a search has to be done in it.
SEARCH_SHARE = 0.75


class OutOfTime(Exception):
    """The time of a search is over; never leaves it."""


class Clock:
    """The time that a search has, for all its workers.

    Parameters
    ----------
    time_limit : float, optional
        Seconds from now.

    Attributes
    ----------
    cut_short : list of str
        Steps that ended because the time was over.
    """

    def __init__(self, time_limit):
        self.start = time.perf_counter()
        self.cpu_start = time.process_time()
        self.time_limit = time_limit
        self.is_stopped = False
        self.cut_short = []

    @classmethod
    def of(cls, time_limit):
        """The clock itself, where one is given, or a new one."""
        return time_limit if isinstance(time_limit, Clock) else cls(time_limit)

    def first(self, share):
        """A clock of the first share of the time, which notes in the same list."""
        part = copy.copy(self)
        if self.time_limit is not None:
            part.time_limit = share * self.time_limit
        return part

    def read(self):
        """Wall and CPU seconds since the start."""
        return (time.perf_counter() - self.start, time.process_time() - self.cpu_start)

    def seconds_left(self):
        """Seconds until the time is over, more than 0; None where there is no limit."""
        if self.time_limit is None:
            return None
        return max(self.time_limit - self.read()[0], 1e-9)

    def is_over(self):
        """Whether the time is over, or the search was stopped."""
        late = self.time_limit is not None and self.read()[0] >= self.time_limit
        return late or self.is_stopped

    def ends(self, step):
        """Whether the time is over; then `step` is cut short."""
        is_over = self.is_over()
        if is_over and step not in self.cut_short:
            self.cut_short.append(step)
        return is_over

    def check(self):
        """End the iteration where the time is over.

        Raises
        ------
        OutOfTime
        """
        if self.is_over():
            raise OutOfTime

    def check_stopped(self):
        """End an iteration that has no time limit where the search was stopped.

        Raises
        ------
        OutOfTime
        """
        if self.is_stopped:
            raise OutOfTime

    @contextmanager
    def stopped_by_ctrl_c(self):
        """Let a first Ctrl-C stop the clock, so that what was found can be kept.

        The next one is a KeyboardInterrupt again. Who handles Ctrl-C otherwise than
        Python does by itself, or searches outside the main thread, is left alone.
        """
        usual = signal.default_int_handler
        is_main = threading.current_thread() is threading.main_thread()
        if not is_main or signal.getsignal(signal.SIGINT) is not usual:
            yield
            return

        def stop(*_):
            self.is_stopped = True
            signal.signal(signal.SIGINT, usual)

        signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, usual)
