"""Trees of hierarchies: what is printed and drawn."""

import numpy as np
import pytest

from coclust_synth import GeneralizationHierarchy, OutputError, ParameterError
from coclust_synth.exceptions import DataWarning
from coclust_synth.reports.hierarchy_tree import (
    draw_hierarchy,
    print_hierarchy,
    write_picture,
)

WORK = GeneralizationHierarchy.from_lines(
    "work",
    [
        ("cook", "[food]", "[food]", "*"),
        ("smith", "smith", "other", "*"),
        ("baker", "[food]", "[food]", "*"),
        ("", "", "other", "*"),
    ],
)


def long_one(n=1000, width=50):
    partitions = [np.arange(n), np.arange(n) // width, np.zeros(n, int)]
    labels = [
        list(map(str, range(n))),
        [f"[{i}, {i + width - 1}]" for i in range(0, n, width)],
        ["*"],
    ]
    return GeneralizationHierarchy.from_partitions("n", range(n), partitions, labels)


def test_the_tree_of_a_hierarchy(capsys):
    print_hierarchy(WORK)
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == [
        "work: 4 values, height 3",
        "└── *",
        "    ├── [food]",
        "    │   ├── cook",
        "    │   └── baker",
        "    └── other",
        "        ├── smith",
        "        └── missing",
    ]


def test_what_a_terminal_would_obey_is_written_out(capsys):
    flat = [("a\nb", "*"), ("\x1b[2J", "*")]
    print_hierarchy(GeneralizationHierarchy.from_lines("of\nwork", flat))
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == [
        r"of\nwork: 2 values, height 1",
        "└── *",
        r"    ├── a\nb",
        r"    └── \x1b[2J",
    ]


def test_long_trees_begin_at_a_higher_level(capsys):
    print_hierarchy(long_one())
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + 20
    assert lines[2].strip() == "├── [0, 49]  (50 values)"
    flat = [(str(i), "*") for i in range(1000)]
    print_hierarchy(GeneralizationHierarchy.from_lines("n", flat))
    assert capsys.readouterr().out.split("\n")[1].strip() == "└── *  (1,000 values)"


def test_the_picture_has_the_values_and_joins_them_at_their_levels():
    axes = draw_hierarchy(WORK).axes[0]
    texts = [label.get_text() for label in axes.get_yticklabels()]
    assert texts == ["cook", "baker", "smith", "missing"]
    assert axes.get_title() == "work" and axes.get_xlabel() == "level"
    upright = {
        (x[0], *y) for x, y in (line.get_data() for line in axes.lines) if x[0] == x[1]
    }
    assert upright == {(1, 0, 1), (2, 2, 3), (3, 0.5, 2.5)}
    assert len(draw_hierarchy(long_one()).axes[0].get_yticklabels()) == 20


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "head"), [("svg", b"<?xml"), ("png", b"\x89PNG\r\n\x1a\n")]
)
def test_pictures_are_the_same_each_time(kind, head, tmp_path):
    paths = [tmp_path / f"{i}.{kind}" for i in range(2)]
    for path in paths:
        write_picture(WORK, path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert paths[0].read_bytes().startswith(head)
    with pytest.raises(OutputError, match="exists"):
        write_picture(WORK, paths[0])
    with pytest.raises(ParameterError, match="one of 'svg', 'png'"):
        write_picture(WORK, tmp_path / "work.gif")


def test_labels_are_no_formulas(tmp_path):
    money = GeneralizationHierarchy.from_lines("$a$", [("$x$", "*"), ("$^$", "*")])
    write_picture(money, tmp_path / "m.svg")
    assert (tmp_path / "m.svg").exists()


def test_signs_that_the_font_of_a_picture_lacks_are_told(tmp_path):
    towns = GeneralizationHierarchy.from_lines("\u540d", [("\u5927", "*"), ("b", "*")])
    with pytest.warns(
        DataWarning, match="Received '\u540d', '\u5927' in column"
    ) as told:
        write_picture(towns, tmp_path / "towns.png")
    assert len(told) == 1


@pytest.mark.slow
def test_no_picture_is_empty_and_lines_begin_at_their_labels():
    flat = GeneralizationHierarchy.from_lines("n", [(str(i), "*") for i in range(99)])
    axes = draw_hierarchy(flat).axes[0]
    assert len(axes.lines) == 1 and len(axes.get_yticklabels()) == 1
    # Forty values alone until the root, beside a group of 60 that is shown as one.
    lines = [(str(i), "few" if i < 60 else str(i), "*") for i in range(100)]
    axes = draw_hierarchy(GeneralizationHierarchy.from_lines("n", lines)).axes[0]
    starts = [line.get_xdata()[0] for line in axes.lines if np.ptp(line.get_xdata())]
    assert len(starts) == 41 and set(starts) == {1}
