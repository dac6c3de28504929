"""How the parts of a variable, and groups of its values, read: texts all different."""

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from coclust_synth.tables.draws.rulers import Ruler

_MAX_NAMED = 3  # categories in the text of a group
_DIGITS, _FEW_DIGITS = 10, 6  # of numbers that are no integers


def short_text(value, digits: int = _DIGITS) -> str:
    """Text of a number: integers in full, others with 10 digits, or fewer."""
    return (
        str(value) if isinstance(value, int) else f"{value + 0.0:.{digits}g}"
    )  # no -0


def shorter_text(values: Iterable[float]) -> Callable[[float], str]:
    """A writer of some numbers, with as few digits as tell them apart, 6 at least.

    Examples
    --------
    >>> [*map(shorter_text([11.82, 14.0000005]), [11.82, 14.0000005])]
    ['11.82', '14']
    >>> [*map(shorter_text([14.00001, 14.0]), [14.00001, 14.0])]
    ['14.00001', '14']
    """
    own = [*values]

    def told(digits):
        """How many there are, and how many have a power of ten."""
        texts = [short_text(value, digits) for value in own]
        return len({*texts}), sum("e" in text for text in texts)

    def is_enough(digits):
        return told(digits) == told(_DIGITS)

    ways = range(_FEW_DIGITS, _DIGITS)
    return partial(short_text, digits=next(filter(is_enough, ways), _DIGITS))


def group_label(labels: list[str]) -> str:
    """Text of a group of categories: all of them up to `_MAX_NAMED`, or the first.

    Examples
    --------
    >>> group_label(["a"]), group_label(["a", "b"]), group_label(["a", "b", "c", "d"])
    ('a', '{a, b}', '{a, b, c, ...}')
    """
    if len(labels) == 1:
        return labels[0]
    more = ["..."] if len(labels) > _MAX_NAMED else []
    return f"{{{', '.join(labels[:_MAX_NAMED] + more)}}}"


def interval_labels(
    edges: np.ndarray, ruler: Ruler, format_value: Callable = short_text
) -> list[str]:
    """Text of each interval.

    Parameters
    ----------
    edges : ndarray of shape (number of intervals + 1,)
        Lowest value, then the upper end of each interval.
    ruler : Ruler
        Values that the column can take.
    format_value : callable, default=short_text
        Text of a value.

    Returns
    -------
    list of str
        Two can be equal when `format_value` gives different values the same text.

    Examples
    --------
    >>> from coclust_synth.tables.draws.rulers import ContinuousRuler, SteppedRuler
    >>> interval_labels(np.array([0, 0, 9, 20]), SteppedRuler(1))
    ['{0}', ']0, 9]', ']9, 20]']
    >>> interval_labels(np.array([0, np.nextafter(9, 0), 20]), ContinuousRuler())
    ['[0, 9[', '[9, 20]']
    """
    texts = [format_value(edge) for edge in edges.tolist()]
    lows = np.append(edges[:1], ruler.above(edges[1:-1]))
    is_single = lows == edges[1:]
    # A cut just under a heap reads like the heap, which begins the next interval.
    heap_next = [
        format_value(low) == text and (single or len(repr(low)) < len(repr(cut)))
        for low, text, single, cut in zip(
            lows[1:].tolist(),
            texts[1:],
            is_single[1:],
            edges[1:].tolist(),
            strict=False,
        )
    ]
    openings = ["[", *("[" if heap else "]" for heap in heap_next)]
    closings = [*("[" if heap else "]" for heap in heap_next), "]"]
    return [
        f"{{{texts[k + 1]}}}"
        if single
        else f"{openings[k]}{texts[k]}, {texts[k + 1]}{closings[k]}"
        for k, single in enumerate(is_single)
    ]


def distinct_labels(labels: list[str], with_missing: bool) -> tuple[str, ...]:
    """The labels and that of the missing part, repeated ones numbered.

    Examples
    --------
    >>> distinct_labels(["a", "missing", "a"], with_missing=True)
    ('a', 'missing', 'a (2)', 'missing (2)')
    """
    taken: set[str] = set()
    return tuple(
        distinct_name(label, taken) for label in labels + ["missing"] * with_missing
    )


def distinct_name(name: str, taken: set[str], *, blank: str = " ") -> str:
    """The name, numbered if it is among those taken, which it is added to."""
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name}{blank}({number})"
    taken.add(free)
    return free
