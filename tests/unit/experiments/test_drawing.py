import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from experiments import drawing
from experiments.drawing import (
    MOST_LINES,
    STYLES,
    Panel,
    _spread,
    draw_panel,
    figure_of_panels,
)


def points(methods, xs=(10, 100)):
    return pd.DataFrame(
        {"method": m, "x": x, "y": i + x / 1000}
        for i, m in enumerate(methods)
        for x in xs
    )


def drawn(panel):
    figure = Figure()
    place = figure.subplots()
    draw_panel(place, panel)
    return place


def test_lines_are_labelled_where_they_end():
    place = drawn(Panel(points(["trees", "cart"]), "k", "membership", {}))
    texts = [text.get_text() for text in place.texts]
    assert texts == [STYLES["trees"].label, STYLES["cart"].label]
    assert place.get_xscale() == "log" and place.get_legend() is None
    # The colour is the method's, whatever else is drawn.
    alone = drawn(Panel(points(["cart"]), "k", "membership", {}))
    assert alone.texts[0].get_color() == place.texts[1].get_color()


def test_a_panel_has_six_lines_and_others_are_faint():
    methods = ["trees", "thesis", "cart", "latent classes", "dpcocgen", "aim", "mst"]
    place = drawn(Panel(points(methods), "k", "membership", {}))
    assert len(place.texts) == MOST_LINES
    faint = [line for line in place.lines if line.get_marker() == "."]
    assert len(faint) == 1 and faint[0].get_linewidth() < 1


def test_this_projects_methods_are_never_the_faint_ones():
    others = ["cart", "latent classes", "aim", "mst", "privbayes", "aim dpmm"]
    place = drawn(Panel(points([*others, "dpcocgen"]), "k", "membership", {}))
    texts = [text.get_text() for text in place.texts]
    assert STYLES["dpcocgen"].label in texts and len(texts) == MOST_LINES


def test_points_of_one_k_are_no_line_on_a_log_axis():
    place = drawn(Panel(points(["trees"], xs=(10,)), "k", "membership", {}))
    assert place.get_xscale() == "linear" and list(place.get_xticks()) == [10]


def test_a_short_axis_by_powers_has_more_than_one_number():
    frame = points(["trees"], xs=(872, 964, 2000, 5000))
    place = drawn(Panel(frame, "k", "membership", {}))
    low, high = place.get_xlim()
    shown = [x for x in place.get_xticks() if low <= x <= high]
    assert shown == [1000, 2000, 5000]


def test_no_panel_is_blank():
    panels = [Panel(points(["trees"]), "k", "membership", {})] * 3
    assert len(figure_of_panels(panels).axes) == 3
    assert figure_of_panels([]).axes == []


@pytest.mark.parametrize("family", [drawing._SYNTHETIC, drawing._K_ANONYMOUS])
def test_methods_of_one_figure_differ_in_colour_or_marker(family):
    looks = {(style.colour, style.marker): style.label for style in family.values()}
    # Only a method that has two names looks the same under both.
    assert len(looks) == len({style.label for style in family.values()})


@pytest.mark.parametrize(
    "heights", [[0.5], [0.1, 0.5, 0.9], [0.5, 0.5, 0.5], [0.1, 0.11, 0.9, 0.91]]
)
def test_labels_are_moved_apart_as_little_as_needed(heights):
    found = _spread(np.array(heights))
    assert (np.diff(found) > 0.0749).all()
    assert np.mean(found) == pytest.approx(np.mean(heights))
    if (np.diff(heights) > 0.08).all():
        np.testing.assert_allclose(found, heights)


def on_a_map(reference):
    """A map of a method whose marks go from (.5, .1) to (.6, .2), and a reference."""
    rows = [("cart", 0.5, 0.1, 20), ("cart", 0.6, 0.2, 5)]
    rows += [("bootstrap copy", *reference, None)]
    panel = pd.DataFrame(rows, columns=["method", "x", "y", "value"])
    return drawn(Panel(panel, "membership", "total variation, 3", {}))


@pytest.mark.parametrize(
    ("reference", "label"),
    [
        ((0.64, 0.18), "bootstrap copy"),
        ((0.81, 0.18), "bootstrap copy, off: 0.81, 0.18"),
        ((0.55, 0.9), "bootstrap copy, off: 0.55, 0.90"),
    ],
)
def test_a_far_reference_leaves_the_map_to_the_methods(reference, label):
    place = on_a_map(reference)
    assert label in [text.get_text() for text in place.texts]
    assert place.get_xlim()[1] < 0.66 and place.get_ylim()[1] < 0.25
    assert "numbers beside marks" in place.get_xlabel()


def test_an_area_under_a_curve_needs_no_zero():
    frame = points(["trees", "cart"]).assign(y=[0.6, 0.9, 0.7, 0.8])
    learnt = drawn(Panel(frame, "k", "AUC, boosting: mean", {}))
    assert learnt.get_ylim()[0] > 0.5
    frame = points(["trees", "cart"]).assign(y=[0.5, 0.9, 0.3, 0.8])
    assert drawn(Panel(frame, "k", "hellinger", {})).get_ylim()[0] == 0
