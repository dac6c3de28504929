"""Templates of a page, the sections that it is put together from, and its figures."""

import io
import re
import warnings
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDE = 7.0  # inches: half of the page has room for 6.2
# Of the style sheet; the numbers are of no importance but that they differ.
_INK, _FAINT = "#010203", "#040506"
_CYCLE = {
    "#070809": "var(--ours)",
    "#0a0b0c": "var(--fresh)",
    "#0d0e0f": "var(--copy)",
    "#101112": "var(--independent)",
}
_VARIABLES = {_INK: "var(--ink)", _FAINT: "var(--faint)", **_CYCLE}
_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "coclust_synth",
    "font.family": "sans-serif",
    "font.size": 9,
    "text.parse_math": False,
    "text.color": _INK,
    "axes.edgecolor": _FAINT,
    "axes.labelcolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


class Section(NamedTuple):
    """A part of a page under a heading of its own.

    Attributes
    ----------
    name : str
        Its id in the page: small letters.
    title : str
    content : str
        HTML that is put in the page as it is.
    """

    name: str
    title: str
    content: str


def rendered(template: str, **content: Any) -> str:
    """The text that a template gives; what is put in is escaped."""
    return _environment().get_template(template).render(**content)


@cache
def _environment():
    # Here, not above: no other command has to wait for it to load.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("coclust_synth.reports.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


class PageFigure(NamedTuple):
    """A figure of a page.

    Attributes
    ----------
    title : str
    svg : str
    reads : str
        How to read it, in a line or two.
    is_wide : bool
        Whether two of its width do not fit beside each other.
    """

    title: str
    svg: str
    reads: str
    is_wide: bool


def page_figure(
    title: str, draw: Callable[..., Any], size: tuple[float, float], reads: str
) -> PageFigure:
    """A picture as a figure of the page.

    Parameters
    ----------
    title : str
        Different from those of other figures of the page.
    draw : callable
        Called with ``ax``, as the functions of `coclust_synth.plotting` are.
    size : (float, float)
        In inches.
    reads : str
    """
    # Here, not above: no other command has to wait for it to load.
    from cycler import cycler
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    style = _STYLE | {"axes.prop_cycle": cycler(color=list(_CYCLE))}
    with rc_context(style), warnings.catch_warnings():
        # Texts stay texts, which a browser draws in a font that has their signs.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = Figure(figsize=size, layout="constrained")
        ax: Axes = figure.subplots()
        draw(ax=ax)
        return PageFigure(title, _svg(figure, title), reads, size[0] > _WIDE)


def _svg(figure, name):
    """The SVG element of a figure, in colours of the style sheet."""
    picture = io.StringIO()
    metadata = {"Date": None, "Creator": None, "Format": None, "Type": None}
    figure.savefig(picture, format="svg", transparent=True, metadata=metadata)
    text = picture.getvalue()
    text = text[text.index("<svg") :]
    # A page has several figures: what they refer to has the name of each before it.
    prefix = re.sub(r"\W+", "-", name)
    text = re.sub(r'(\bid="|url\(#|xlink:href="#)', rf"\g<1>{prefix}-", text)
    for number, variable in _VARIABLES.items():
        text = text.replace(number, variable)
    return text.replace("<svg ", '<svg aria-hidden="true" focusable="false" ', 1)
