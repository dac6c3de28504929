"""How figures look: one colour and marker a method, labels beside lines, few lines.

A method keeps its colour, marker and line through all figures of the project, so that
neither colour nor legend has to be looked up; markers and lines differ too, for who
does not see colours. A panel has six lines at most, labelled where they end: those of
further methods are faint, and in the rows.
"""

import textwrap
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

MOST_LINES = 6
_FAINT = "#bbbbbb"
_GAP = 0.075  # between labels, of the height of a panel
_WIDTH, _HEIGHT = 4.6, 3.3  # of a panel, in inches
# References farther than this from the methods are drawn at an edge of a map, of the
# methods' span each.
_FAR, _EDGE = 0.5, 0.15
# An axis by powers that reaches less far than this has marks at 2 and 5 too.
_SHORT = 30


class Style(NamedTuple):
    """How a method is drawn, and what a reader knows it as."""

    label: str
    colour: str
    marker: str
    line: str


_BLUE, _SKY, _GREEN, _RED = "#0072b2", "#56b4e9", "#009e73", "#d55e00"
_ORANGE, _PINK, _NAVY, _OLIVE = "#c98500", "#b8588f", "#332288", "#7a7a00"
_WINE, _TEAL, _BROWN, _GREY = "#882255", "#44aa99", "#8c510a", "#666666"

_SYNTHETIC = {
    # Plain
    "trees": Style("this project, trees", _BLUE, "o", "-"),
    "thesis": Style("thesis's draw", _RED, "s", "--"),
    "thesis uneven": Style("thesis's, small clusters merged", _BROWN, "P", ":"),
    "cluster margins": Style("clusters' own margins", _ORANGE, "D", "-."),
    "cart": Style("CART", _GREEN, "^", "-"),
    "latent classes": Style("latent classes, EM", _PINK, "v", ":"),
    "adversarial forest": Style("adversarial forest", _TEAL, "P", "--"),
    "gaussian copula": Style("Gaussian copula, SDV", _BROWN, "p", ":"),
    "data synthesizer": Style("DataSynthesizer", _OLIVE, "d", "-."),
    # Private
    "dpcocgen": Style("DPCocGen", _NAVY, "o", "-"),
    "dpcocgen delta": Style("DPCocGen, δ = 1e-9", _SKY, "d", "--"),
    "dpcocgen thesis": Style("DPCocGen, thesis's", _RED, "h", "--"),
    "privbayes": Style("PrivBayes", _WINE, "^", "-."),
    "aim": Style("AIM", _TEAL, "D", "--"),
    "mst": Style("MST", _OLIVE, "v", ":"),
    "aim dpmm": Style("AIM, dpmm", _TEAL, "d", ":"),
    "mst dpmm": Style("MST, dpmm", _OLIVE, "<", "-."),
    "laplace simplex": Style("Laplace histogram", _ORANGE, "P", "-."),
    "laplace clip": Style("Laplace, clipped", _BROWN, "X", "--"),
    "privelet": Style("Privelet", _SKY, "v", ":"),
    "dpcube": Style("DPCube", _BLUE, "s", "-."),
    "noise-first": Style("NoiseFirst", _GREEN, "D", "-"),
    "structure-first": Style("StructureFirst", _WINE, "<", "--"),
    "p-hpartition": Style("P-HPartition", _RED, ">", "-."),
    "diffgen class": Style("DiffGen", _PINK, "p", "--"),
    "dp-mhmd class": Style("DP-MHMD", _BROWN, "d", ":"),
    "independent": Style("independent margins", _GREY, "x", ":"),
    "independent margins": Style("independent margins", _GREY, "x", ":"),
}
_K_ANONYMOUS = {
    "hybrid": Style("this project", _BLUE, "o", "-"),
    "hybrid truthful": Style("this project, truthful", _SKY, "D", "--"),
    "hybrid intervals": Style("this project, intervals", _TEAL, "P", "-."),
    "synth": Style("SYNTH, not k-anonymous", _NAVY, "*", ":"),
    "coc": Style("COC", _RED, "s", "--"),
    "coc_hg": Style("COC_HG", _WINE, "^", "-."),
    "micro": Style("MICRO", _PINK, "v", ":"),
    "mondrian": Style("Mondrian", _GREEN, "^", "-"),
    "mondrian relaxed": Style("Mondrian, relaxed", _GREEN, "<", ":"),
    "mdav": Style("MDAV", _ORANGE, "v", "-."),
    "mdav centroids": Style("MDAV, centroids", _ORANGE, "d", ":"),
    "flash": Style("Flash, hand-made", _GREY, "x", "-"),
    "flash 1 %": Style("Flash, hand-made, 1 %", _BROWN, "X", "--"),
    "flash automatic": Style("Flash, derived", _OLIVE, "+", "-."),
    "flash automatic 1 %": Style("Flash, derived, 1 %", _OLIVE, "x", ":"),
    "samarati": Style("Samarati", _GREY, "<", ":"),
    "datafly": Style("Datafly", _BROWN, ">", ":"),
}
_OTHERS = {
    # Clusters of a hierarchy
    "smallest cluster": Style("smallest", _BLUE, "o", "-"),
    "largest cluster": Style("largest", _RED, "s", "--"),
}
_REFERENCES = {
    "real rows": Style("real rows", "black", "1", "-"),
    "fresh real rows": Style("fresh real rows", "black", "2", ":"),
    "bootstrap copy": Style("bootstrap copy", "#777777", "3", "--"),
    "independent columns": Style("independent columns", "#777777", "4", (0, (1, 3))),
}

#: This project's methods: drawn before others, so that they are never the faint ones.
_OWN = ("trees", "dpcocgen", "hybrid", "hybrid truthful")

#: By method. Two methods that can be in one figure differ in colour or marker.
STYLES = _SYNTHETIC | _K_ANONYMOUS | _OTHERS | _REFERENCES

#: Axes whose values are told by powers, and what they are called.
_LOGARITHMIC = {"k": "k: individuals of a cluster or class, at least", "epsilon": "ε"}

_NAMES = {
    "told apart, boosting": "told from the holdout by boosting, AUC (.5: not)",
    "told apart, bayes": "told from the holdout by naive Bayes, AUC (.5: not)",
    "told apart, khiops": "told apart by Khiops's naive Bayes, AUC (.5: not)",
    "membership": "unique members told from others, AUC (.5: not)",
    "uniques drawn": "share of the unique members that is drawn",
    "protection, profiles": "drawn profiles that no real row has",
    "protection, rows": "drawn rows whose profile no real row has",
    "protection, matching": "drawn rows left when each real row takes one",
}

#: Measures that are areas under a curve: .5 is the least that they tell.
_AREAS = ("AUC", "told apart", "membership")


def measure_name(measure):
    """What a measure is called on an axis."""
    if measure.startswith("total variation, "):
        number = {"1": "one column", "2": "two columns", "3": "three columns"}
        return f"mean total variation, {number[measure[-1]]}"
    if measure[:5] in ("AUC, ", "ACC, "):
        classifier, _, target = measure[5:].partition(": ")
        model = {"bayes": "naive Bayes", "khiops": "selective naive Bayes"}
        of = "mean of the targets" if target == "mean" else target
        return f"{measure[:3]} of {model.get(classifier, classifier)}, {of}"
    return _NAMES.get(measure, measure)


class Panel(NamedTuple):
    """What one panel shows.

    Attributes
    ----------
    points : DataFrame
        ``method``, ``x``, ``y``; ``sd`` where lines have bars; ``value``, what a point
        is labelled by where `along` is a measure.
    along : str
        What x is: ``k``, ``epsilon`` or a measure.
    measure : str
        What y is.
    levels : dict of str to float
        Of references that do not depend on x.
    title : str
    ticks : tuple of str
        What x = 0, 1, ... are, where it is no number.
    log_y : bool
    """

    points: pd.DataFrame
    along: str
    measure: str
    levels: dict
    title: str = ""
    ticks: tuple = ()
    log_y: bool = False


def figure_of_panels(panels, *, n_columns=2):
    """Panels side by side; as many rows of them as it takes.

    Parameters
    ----------
    panels : list of Panel
    n_columns : int

    Returns
    -------
    Figure
    """
    n_columns = max(min(n_columns, len(panels)), 1)
    n_rows = max(-(-len(panels) // n_columns), 1)
    size = ((_WIDTH + 1.4) * n_columns, _HEIGHT * n_rows)
    figure = Figure(figsize=size, layout="constrained")
    places = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for place, panel in zip(places, panels, strict=False):
        draw_panel(place, panel)
    for place in places[len(panels) :]:
        place.remove()
    return figure


def draw_panel(place, panel):
    """Lines of methods, levels of references, and labels where they end."""
    is_map = "value" in panel.points and panel.along not in _LOGARITHMIC
    groups = list(panel.points.groupby("method", sort=False))
    shown = [(m, points) for m, points in groups if m not in _REFERENCES]
    shown.sort(key=lambda group: group[0] not in _OWN)
    single = len(panel.points["x"].unique()) < 2
    for _, points in shown[MOST_LINES:]:
        place.plot(
            points["x"], points["y"], ".-", color=_FAINT, linewidth=0.8, zorder=1
        )
    ends = []
    known = [(m, points) for m, points in groups if m in _REFERENCES]
    styles = {method: STYLES[method] for method, _ in groups}
    if is_map and shown:
        around = pd.concat([points for _, points in shown])
        for i, (method, point) in enumerate(known):
            known[i], styles[method] = _on_the_map(method, point, around)
    for method, points in [*shown[:MOST_LINES], *known]:
        style = styles[method]
        place.errorbar(
            points["x"].to_numpy(),
            points["y"].to_numpy(),
            points["sd"].to_numpy() if "sd" in points else None,
            color=style.colour,
            marker=style.marker,
            linestyle="" if single or panel.ticks else style.line,
            markersize=5 if method not in _REFERENCES else 9,
            linewidth=1.5,
            elinewidth=0.8,
            zorder=3,
        )
        if is_map:
            _mark_ends(place, points, style)
        last = points.loc[points["x"].idxmax()]
        ends.append((last["x"], last["y"], style))
    for method, level in panel.levels.items():
        style = STYLES[method]
        place.axhline(level, color=style.colour, linestyle=style.line, linewidth=1)
        ends.append((None, level, style))
    _set_axes(place, panel, single)
    _label_ends(place, ends)


def _on_the_map(method, point, around):
    """A reference and its style: at the edge, with its place told, if it is far off.

    A far reference would leave a corner of the map to all methods.
    """
    style, moved = STYLES[method], point.copy()
    for axis in ("x", "y"):
        low, high = around[axis].min(), around[axis].max()
        span = high - low
        if not point[axis].between(low - _FAR * span, high + _FAR * span).all():
            moved[axis] = point[axis].clip(low - _EDGE * span, high + _EDGE * span)
    if not moved.equals(point):
        at = ", ".join(f"{point[axis].iloc[0]:.2f}" for axis in ("x", "y"))
        style = style._replace(label=f"{style.label}, off: {at}")
    return (method, moved), style


def _mark_ends(place, points, style):
    """The first and last number of a method, beside its points on a map."""
    numbers = points[points["value"].notna()]
    for _, point in numbers.iloc[[0, -1] if len(numbers) > 1 else []].iterrows():
        place.annotate(
            f"{float(point['value']):g}",
            (point["x"], point["y"]),
            (4, 4),
            textcoords="offset points",
            fontsize=7,
            color=style.colour,
        )


def _set_axes(place, panel, single):
    if panel.along in _LOGARITHMIC and not single:
        place.set_xscale("log")
        ends = panel.points["x"].agg(["min", "max"])
        if ends["max"] < _SHORT * ends["min"]:
            place.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        place.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
        place.xaxis.set_minor_formatter("")
    name = _LOGARITHMIC.get(panel.along) or measure_name(panel.along)
    is_map = "value" in panel.points and panel.along not in _LOGARITHMIC
    note = "\nnumbers beside marks: k, classes or ε" if is_map else ""
    if "sd" in panel.points:
        note = "\nbars: standard deviation of releases"
    place.set_xlabel(f"{name}{note}")
    place.set_ylabel(textwrap.fill(measure_name(panel.measure), 34))
    if panel.title:
        place.set_title(panel.title, fontsize="medium")
    numbers = panel.points["x"].unique()
    if single or (not is_map and len(numbers) < (4 if panel.along == "k" else 8)):
        place.set_xticks(numbers, minor=False)
    if panel.ticks:
        place.set_xticks(range(len(panel.ticks)), panel.ticks, rotation=35, ha="right")
    if panel.log_y:
        place.set_yscale("log")
        place.yaxis.set_major_formatter(lambda y, _: f"{y:,g}")
    place.grid(alpha=0.25)
    place.spines[["top", "right"]].set_visible(False)
    bottom, top = place.get_ylim()
    # An area under a curve has no use for what is below .5.
    is_from_0 = place.get_yscale() == "linear" and not panel.measure.startswith(_AREAS)
    if is_from_0 and 0 < bottom < (top - bottom):
        place.set_ylim(0, top)


def _label_ends(place, ends):
    """Names at the right edge, as near to the ends of the lines as there is room."""
    to_axes = place.transData + place.transAxes.inverted()
    left = place.get_xlim()[0]
    heights = [to_axes.transform((left if x is None else x, y))[1] for x, y, _ in ends]
    order = np.argsort(heights, kind="stable")
    for height, i in zip(_spread(np.array(heights)[order]), order, strict=True):
        x, y, style = ends[i]
        at = (1.0, heights[i]) if x is None else to_axes.transform((x, y))
        place.annotate(
            style.label,
            at,
            (1.03, height),
            xycoords="axes fraction",
            textcoords="axes fraction",
            fontsize=8,
            color=style.colour,
            va="center",
            arrowprops={"arrowstyle": "-", "color": style.colour, "lw": 0.4},
            annotation_clip=False,
        )


def _spread(heights):
    """Increasing heights moved apart, as little as keeps each gap."""
    if not len(heights):
        return heights
    steps = _GAP * np.arange(len(heights))
    # Isotonic regression of what is above the least gaps: blocks share their mean.
    blocks = []
    for value in heights - steps:
        blocks.append([value, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, n), (b, m) = blocks[-2], blocks.pop()
            blocks[-1] = [(a * n + b * m) / (n + m), n + m]
    return np.concatenate([[value] * n for value, n in blocks]) + steps
