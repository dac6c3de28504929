"""Axes to draw on, and what all pictures have in common.

Colours are those of matplotlib's cycle, so that a style sheet changes all pictures:
``C0`` is the release or the model, ``C1`` rows kept aside, ``C2`` a copy of the real
rows, ``C3`` independent columns. Kinds of things differ in their markers too.
"""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis


class Mark(NamedTuple):
    """How a kind of thing is drawn: never by its colour alone."""

    label: str
    color: str
    marker: str


#: What is drawn of a score, by its field.
MARKS = {
    "value": Mark("the release", "C0", "o"),
    "floor_fresh": Mark("rows kept aside", "C1", "D"),
    "ceiling_bootstrap": Mark("copy of the real rows", "C2", "s"),
    "floor_independent": Mark("independent columns", "C3", "^"),
}


def own_axes(ax: "Axes | None", size: tuple[float, float]) -> "Axes":
    """The axes that are given, or those of a new figure.

    Parameters
    ----------
    ax : Axes or None
    size : (float, float)
        Of a new figure, in inches.
    """
    if ax is not None:
        return ax
    # Here, not above: nothing that draws no picture has to wait for it to load.
    from matplotlib import pyplot

    return pyplot.subplots(figsize=size, layout="constrained")[1]


def faint() -> str:
    """The colour of lines that others are read by."""
    from matplotlib import rcParams

    return str(rcParams["axes.edgecolor"])


def plain_numbers(axis: "Axis") -> None:
    """Write the ticks of a logarithmic axis as 1,000: pages set no formulas."""
    axis.set_major_formatter(lambda x, _: f"{x:,.10g}")
    axis.set_minor_formatter("")


def shortened(text: str, most: int = 22) -> str:
    """A name that has room beside an axis; of a long one, where it starts and ends.

    Questions of one form start alike, and a part of a column ends with its value.
    """
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end]}…{text[-end:]}"
