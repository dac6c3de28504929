"""Time that passes by looking at it."""

from coclust_synth.modl.search.clock import Clock


class Ticks(Clock):
    """A clock whose time is over after some looks at it."""

    def __init__(self, n_looks):
        super().__init__(None)
        self.n_left = n_looks

    def is_over(self):
        self.n_left -= 1
        return self.n_left < 0
