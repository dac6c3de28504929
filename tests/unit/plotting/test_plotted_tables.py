"""What pictures of columns, classes and hierarchies show."""

import numpy as np
import pytest
from support.evaluations import people

from coclust_synth import GeneralizationHierarchy, MondrianAnonymizer, SchemaError
from coclust_synth.plotting import plot_class_sizes, plot_columns, plot_hierarchy

REAL = people(120, 0)


@pytest.fixture(scope="module")
def release():
    names = ["age", "ward"]
    return MondrianAnonymizer(4, quasi_identifiers=names).fit_transform(REAL)


@pytest.mark.slow
def test_columns_have_two_bars_a_part():
    axes = plot_columns(REAL, people(60, 1), columns=["ward", "age"])
    assert [ax.get_title() for ax in axes] == ["ward", "age"]
    bars = axes[0].patches
    wards = [t.get_text() for t in axes[0].get_yticklabels()]
    assert wards == ["births", "geriatrics", "surgery"] and len(bars) == 6
    shares = REAL["ward"].value_counts(normalize=True).sort_index()
    assert [bar.get_width() for bar in bars[:3]] == pytest.approx(shares.tolist())
    assert [t.get_text() for t in axes[0].get_legend().get_texts()] == [
        "real",
        "released",
    ]
    with pytest.raises(SchemaError, match="shoe"):
        plot_columns(REAL, REAL, columns=["shoe"])


def test_columns_of_a_table_with_labels(release):
    axes = plot_columns(REAL, release)
    assert [ax.get_title() for ax in axes] == ["age", "ward"]


def test_the_rows_of_all_classes_are_drawn_once(release):
    ax = plot_class_sizes(release, 4)
    assert sum(bar.get_height() for bar in ax.patches) == 120
    assert list(ax.lines[0].get_xdata()) == [3.5, 3.5]
    assert all(bar.get_x() >= 3.5 for bar in ax.patches)
    sizes = release.kept_class_sizes
    assert sum(
        bar.get_height()
        for bar in ax.patches
        if bar.get_x() <= sizes.min() <= bar.get_x() + bar.get_width()
    ) == pytest.approx(sizes[sizes == sizes.min()].sum())


@pytest.mark.slow
@pytest.mark.parametrize("largest", [30, 90, 900])
def test_classes_of_any_size(largest):
    ages = np.repeat(np.arange(4), [10, 10, 20, largest]).astype(str)
    table = MondrianAnonymizer(10).fit_transform(_table(ages))
    ax = plot_class_sizes(table)
    assert sum(bar.get_height() for bar in ax.patches) == pytest.approx(len(ages))
    ax.figure.draw_without_rendering()
    texts = [tick.get_text() for tick in ax.get_xticklabels()]
    assert any(text.replace(",", "").isdigit() for text in texts)
    assert not any("$" in text or "." in text for text in texts)


def _table(values):
    return people(len(values))[["ward"]].assign(x=values)[["x", "ward"]]


def test_a_hierarchy_on_its_axes():
    work = GeneralizationHierarchy.from_lines(
        "work", [("cook", "food", "*"), ("baker", "food", "*"), ("smith", "s", "*")]
    )
    ax = plot_hierarchy(work)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["cook", "baker", "smith"]
    assert ax.get_title() == "work"
