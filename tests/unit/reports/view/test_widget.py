"""The widget of notebooks: what it is given, and what it says without anywidget."""

import sys

import pandas as pd
import pytest
from naive.view_payload import unpacked

from coclust_synth import (
    MODLCoclustering,
    MODLDataGrid,
    coclustering_report,
    grid_widget,
)
from coclust_synth.exceptions import NotFittedError, ParameterError
from coclust_synth.reports.view import widget

TABLE = pd.DataFrame({"a": list("xxyy") * 50, "b": list("uuvv") * 50})


@pytest.fixture(scope="module")
def model():
    return MODLDataGrid(n_iterations=3, random_state=0).fit(TABLE)


@pytest.fixture
def anywidget():
    """What a fresh environment lacks: tests that need it are of the slow tier."""
    return pytest.importorskip("anywidget", reason="needs anywidget")


@pytest.mark.slow
def test_a_widget_has_the_bytes_of_the_grid(anywidget, model):
    shown = grid_widget(model, TABLE, names={"a": {"{x}": "the x"}})
    content, _, counts = unpacked(shown.grid)
    assert [d["name"] for d in content["dimensions"]] == ["a", "b"]
    assert counts == [100, 100]
    assert shown.names == {"a": {"{x}": "the x"}}
    assert isinstance(shown, anywidget.AnyWidget)
    assert "export default" in shown._esm and ".coclust-view" in shown._css


@pytest.mark.slow
def test_a_widget_takes_reports_and_models(anywidget):
    fitted = MODLCoclustering(n_iterations=3, random_state=0).fit(TABLE)
    report = coclustering_report(fitted, TABLE)
    of_report, of_model = grid_widget(report), grid_widget(fitted, TABLE)
    one, other = (unpacked(own.grid)[0] for own in (of_report, of_model))
    assert one["dimensions"] == other["dimensions"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "error", "received"),
    [
        ((MODLDataGrid(), TABLE), NotFittedError, "fitted"),
        ((TABLE,), ParameterError, "Received DataFrame"),
        ((MODLDataGrid(),), ParameterError, "Received none"),
    ],
)
def test_what_is_no_co_clustering_is_refused(anywidget, arguments, error, received):
    with pytest.raises(error, match=received):
        grid_widget(*arguments)


def test_what_is_missing_is_said(monkeypatch, model):
    widget._widget_class.cache_clear()
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ImportError, match=r"pip install 'coclust-synth\[notebook\]'"):
        grid_widget(model, TABLE)
