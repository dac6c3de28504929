"""The time that a search has."""

import signal
import threading
import time
from contextlib import contextmanager


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
