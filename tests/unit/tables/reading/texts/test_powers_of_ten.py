"""Numbers with powers of ten are written as the program of the file wrote them."""

import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer
from coclust_synth.tables.column import Column
from coclust_synth.tables.domain.draft import draft_domain
from coclust_synth.tables.reading.infer import parse_text
from coclust_synth.tables.reading.texts.layouts import NumberLayout
from coclust_synth.tables.reading.texts.powers import Powers
from coclust_synth.tables.reading.texts.text import format_column, parse_column

SPELLINGS = {
    # A spreadsheet: where it opened the numbers of a file, and where it made them.
    "0.00E+00 beyond 1e-4..1e11": [
        "-8.96E-06",
        "8.30E-07",
        "0.0001231112",
        "-1.73",
        "0",
    ],
    "0.#####E+00 beyond 1e-4..1e11": ["1.23765E+18", "4E+11", "99999999999", "0.5"],
    "0e+00 shorter": ["1e+05", "3e+05", "123456", "99999", "0.00012", "1e-04"],  # R
    "0.0##E-0 beyond 1e-3..1e7": ["1.0E-4", "2.125E7", "0.001", "9999999.5"],  # Java
    "0.##e+0 beyond 1e-6..1e21": ["1.25e-7", "2e+21", "123456789012345680000"],
    "0.####e+00 beyond 1e-4..1e6": ["1.2346e+06", "5e-05", "999999", "2.5"],  # C
    "0.000e+00": ["1.500e+02", "-2.250e-01", "0.000e+00", "1.000e+00"],
    "0E+0": ["1E+5", "2E+0", "7E-3"],
}


def many(cells):
    """The same, and others with each power that begin with another digit."""
    more = [
        sign + first + cell.lstrip("-")[1:]
        for cell in cells
        if "e" in cell.lower()
        for sign in ("", "-")
        for first in "123456789"
    ]
    return list(dict.fromkeys([*cells, *more]))


@pytest.mark.parametrize("layout", SPELLINGS)
def test_numbers_keep_their_powers_of_ten(layout):
    cells = many(SPELLINGS[layout])
    values, column = parse_column(pd.Series(cells), Column(name="x"))
    assert column.kind == "real"
    assert NumberLayout.parse(column.format).powers == layout
    assert str(Powers.parse(layout)) == layout
    assert values.tolist() == [*map(float, cells)]
    assert format_column(values, column).tolist() == cells


def test_others_are_rounded_and_spelt_so():
    cells = pd.Series(many(["-8.96E-06", "8.30E-05", "0.0001231112", "173.5"]))
    _, column = parse_column(cells, Column(name="x"))
    others = pd.Series([5.5642e-5, 4.7e-5, 1e-4, 0.5, 0.0, 3.14159e12, 1e15])
    written = ["5.56E-05", "4.70E-05", "0.0001", "0.5", "0.0", "3.14E+12", "1.00E+15"]
    assert format_column(others, column).tolist() == written


def test_powers_stand_beside_other_words():
    cells = pd.Series([*(f"0,{i}25 %" for i in range(1, 30)), "-8,96E-06 %"])
    assert parse_column(cells, Column(name="x"))[1].kind == "categorical"
    cells = pd.Series(many(["8,96E-06", "1,5E-07", "0,25", "12,5"]))
    values, column = parse_column(cells, Column(name="x"))
    assert column.format == "comma 0.##E+00 beyond 1e-4..1e11"
    assert format_column(values, column).tolist() == cells.tolist()
    cells = pd.Series([f"{i % 9 + 1},{i:03}E+0{i % 10}" for i in range(40)])
    values, column = parse_column(cells, Column(name="x"))
    assert (column.kind, column.format) == ("real", "comma 0.000E+00")
    assert format_column(values, column).tolist() == cells.tolist()


@pytest.mark.parametrize(
    "cells",
    [
        ["1.5E-05", "2.5e-06"],
        ["1.5E-05", "2.5E-6"],
        ["1.50E-05", "2.5E-06"],
        ["1.5E-05", "0.00002"],
        ["15E-06", "0.1"],
        ["1E-999999999", "0.1"],
        ["1.5e-05", "2e+16", "0.25"],  # as Python writes them
    ],
)
def test_no_other_numbers_have_such_a_layout(cells):
    cells = many([*cells, *cells[:1]])
    _, column = parse_column(pd.Series(cells), Column(name="x"))
    assert column.kind == "real" and not NumberLayout.parse(column.format).powers


@pytest.mark.parametrize(("n", "layout"), [(19, ""), (20, "0E+00 beyond 1e-4..1e11")])
def test_few_of_many_say_nothing(n, layout):
    cells = pd.Series([*(f"{i}E-05" for i in range(1, 10)), "0.5", "2.25"])
    cells = [*cells, *(f"-{i}E-06" for i in range(1, 10)), "3E+11", "4E+11"]
    cells = pd.Series(cells[: n + 2])
    assert cells.str.contains("E").sum() == n
    _, column = parse_column(cells, Column(name="x"))
    assert NumberLayout.parse(column.format).powers == layout


def test_a_schema_says_how(rng):
    cells = pd.Series(["1.5E-05", "0.25"])
    hint = Column(name="x", kind="real", format="short")
    assert parse_column(cells, hint)[1].format == "short"
    hint = Column(name="x", kind="real", format="0.00e+00")
    values, column = parse_column(cells, hint)
    assert format_column(values, column).tolist() == ["1.50e-05", "2.50e-01"]


def test_a_domain_has_no_powers():
    cells = pd.DataFrame({"x": [f"{i}.5E-05" for i in range(1, 9)] * 9})
    assert draft_domain(cells).columns["x"].format is None


def test_drawn_rows_have_them(rng):
    numbers = rng.random(900) ** 9
    cells = pd.DataFrame(
        {
            "id": ["1.23765E+18", "1.23766E+18"] * 450,
            "shift": [f"{x:.2E}" if x < 1e-4 else f"{x:.6f}" for x in numbers],
        }
    )
    table = parse_text(cells)
    model = CoclusterSynthesizer(n_iterations=1, random_state=0)
    rows = model.fit(table.frame, table.schema).sample(300)
    written = {c: format_column(rows[c], table.schema[c]).tolist() for c in rows}
    assert set(written["id"]) == {"1.23765E+18", "1.23766E+18"}
    small = [t for t in written["shift"] if abs(float(t)) < 1e-4]
    assert len(small) > 30 and all(len(t) == len("1.50E-05") for t in small)
