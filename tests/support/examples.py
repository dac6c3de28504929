"""How many examples Hypothesis tries: all in the slow tier, a fifth in the fast one."""

from hypothesis import settings

_ALL = 100  # of Hypothesis itself, where nothing else is said


def examples(n):
    """As many as `n` at full number, fewer in a profile of fewer than 100."""
    return max(1, n * settings.default.max_examples // _ALL)
