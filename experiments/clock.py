"""Time that a step took."""

import time


class Clock:
    """Seconds since it was made."""

    def __init__(self):
        self._start = time.perf_counter()
        self._cpu_start = time.process_time()

    def seconds(self):
        return round(time.perf_counter() - self._start, 3)

    def cpu_seconds(self):
        return round(time.process_time() - self._cpu_start, 3)
