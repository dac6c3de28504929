"""Numbers as files lay them out: thousands, decimal commas, currencies, per cents."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coclust_synth import CoclusterSynthesizer, Column, infer_schema
from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.domain.draft import draft_domain
from coclust_synth.tables.reading.infer import parse_text
from coclust_synth.tables.reading.texts.layouts import NumberLayout, find_layout
from coclust_synth.tables.reading.texts.text import format_column, parse_column
from coclust_synth.tables.schema import Schema

HUNDREDS = [str(n) for n in range(111, 333, 10)]
MANY = [f"{number:,}" for number in range(400, 5000, 100)]
BOOKED = [f"${n},{n + 100}.50" for n in range(1, 20)]

LAYOUTS = st.builds(
    NumberLayout,
    st.sampled_from(
        ["#", "$#", "$-#", "# €", "#%", "£ #", "#\u00a0€", "# kg", "Rs. #", "US $#"]
    ),
    st.booleans(),
    st.sampled_from(
        [
            *("", "thousands", "lakhs", "spaces", "hard-spaces"),
            *("apostrophes", "curly-apostrophes"),
        ]
    ),
    st.sampled_from(["", "short", ".2f", "short .2f", ".7g", "double", "short double"]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["", "plus", "plus-zero"]),
    st.sampled_from(["", "0.00E+00", "0.0##e-0 beyond 1e-4..1e11", "0e+00 shorter"]),
)


@given(LAYOUTS)
def test_the_text_of_a_layout_says_all_of_it(layout):
    assert NumberLayout.parse(str(layout)) == layout


@given(LAYOUTS, st.lists(st.integers(-(10**9), 10**9), min_size=1, unique=True))
def test_what_is_written_is_read(layout, cents):
    plain = [f"{cent / 100:.2f}" for cent in cents]
    written = [layout.write(text) for text in plain]
    assert layout.read(written) == plain
    found = find_layout(written)
    # Where it can be more than one, none is taken, or one that reads the same.
    assert found is None or [float(t) for t in found.read(written)] == [
        float(text) for text in plain
    ]


@pytest.mark.parametrize(
    ("cells", "kind", "layout"),
    [
        (MANY, "integer", "thousands"),
        (["1,234,567", "5"], "integer", "thousands"),
        (["1,39,900", "1,499", "5"], "integer", "lakhs"),
        (["₹1,10,39,900.50", "₹1,499.00", "₹0.50"], "real", "₹# lakhs .2f"),
        ([*HUNDREDS, "1,234"], "integer", "thousands"),
        ([*HUNDREDS, "7", "-1,234", "1,571"], "integer", "thousands"),
        ([*HUNDREDS, "8.25", "1,234"], "real", "thousands short"),
        (["1,234.50", "7.25"], "real", "thousands .2f"),
        (["83.70%", "61%", "9.40%", "-2.25%"], "real", "#% short .2f"),
        (["1,200", "1,200.50", "3.25"], "real", "thousands short .2f"),
        (["+1.50", "-7.25", "0.00"], "real", "plus .2f"),
        (["+3", "-7", "+12"], "integer", "plus"),
        (["-1,234.5", "7"], "real", "thousands short"),
        (["1.234,50", "7,25"], "real", "comma thousands .2f"),
        (["1.234.567", "12"], "integer", "comma thousands"),
        (["$1,234.50", "-$3.00"], "real", "$# thousands .2f"),
        (["$1,234.50", "$-3.00"], "real", "$-# thousands .2f"),
        (["12%", "5%"], "integer", "#%"),
        (["0,5 %", "12,25 %"], "real", "# % comma"),
        (["1.234,5 €", "7,0 €"], "real", "# € comma thousands"),
        (["1 234,50", "7,25"], "real", "comma spaces .2f"),
        (["1\u00a0234,5\u00a0€", "7,0\u00a0€"], "real", "#\u00a0€ comma hard-spaces"),
        (["-1\u202f234\u202f567", "12"], "integer", "thin-spaces"),
        (["1'234.50", "999.00"], "real", "apostrophes .2f"),
        (["1\u2019234\u2019567", "-5"], "integer", "curly-apostrophes"),
        (["₹1,499", "-₹99"], "integer", "₹# thousands"),
        ([f"Rs. {n},250" for n in range(1, 30)], "integer", "Rs. # thousands"),
        ([f"US ${n},250" for n in range(1, 30)], "integer", "US $# thousands"),
        ([f"USD {n}.50" for n in range(30)], "real", "USD # .2f"),
        ([f"R$ {n}.234,50" for n in range(1, 30)], "real", "R$ # comma thousands .2f"),
        ([f"{n}.50 zł" for n in range(30)], "real", "# zł .2f"),
        ([text.replace(",", " ") for text in MANY], "integer", "spaces"),
        ([f"{number} kg" for number in range(40, 80)], "integer", "# kg"),
        ([f"{n / 10:.1f}°C" for n in range(350, 420)], "real", "#°C"),
        ([f"{n},50 mg/dl" for n in range(30)], "real", "# mg/dl comma .2f"),
        ([*BOOKED, "($48.00)"], "real", "$# brackets thousands .2f"),
        ([*BOOKED, "$(1,048.00)"], "real", "$-# brackets thousands .2f"),
        ([*map(str, range(19)), "(48)"], "integer", "brackets"),
        (
            [*(f"{n},50 €" for n in range(30)), "(2,00 €)"],
            "real",
            "# € brackets comma .2f",
        ),
        ([f"{n}.50" for n in range(30)] + ["3.125"], "real", ".2f+"),
        (["0.25", "3.125"], "real", None),
        (["1", "-2"], "integer", None),
        (["0.001", "2.5"], "real", None),
    ],
)
def test_a_layout_is_found_and_written_back(cells, kind, layout):
    table = parse_text(pd.DataFrame({"x": cells}))
    column = table.schema["x"]
    assert (column.kind, column.format) == (kind, layout)
    assert format_column(table.frame["x"], column).tolist() == cells
    # Those of another file are read as the schema says.
    again = parse_text(pd.DataFrame({"x": cells}), Schema((column,)))
    assert again.frame["x"].tolist() == table.frame["x"].tolist()


@pytest.mark.parametrize(
    "cells",
    [
        ["1,234", "5,678"],  # of decimals or of thousands
        ["1,234", "567"],  # too few to say
        [*HUNDREDS[:19], "1,234"],  # the same
        [*HUNDREDS, *(f"{n},234" for n in range(1, 6))],  # too many
        [*HUNDREDS, "1,234", "1000"],
        [*HUNDREDS, "144,101", "1,234"],  # two codes
        ["1.2.3", "4.5.6"],
        ["1,2,3", "4"],
        ["$5", "6"],
        ["$5", "6 €"],
        [f"USD {n}" for n in range(19)],  # too few to say
        [f"R$ {n},599" for n in range(1, 40)],  # litres have three decimals
        [f"PL {n}" for n in range(100)],
        [f"B2$ {n}" for n in range(100)],
        ["-$5", "$-6"],
        ["-$-5", "$6"],
        ["0,123,456", "1"],
        ["1,234.5", "1234.5"],
        ["1 234", "5 678"],  # or codes
        ["48.00", "(48.00)"],  # too few to say
        [f"({n})" for n in range(40)],  # footnotes
        [*(f"({n})" for n in range(40)), "5", "-5"],
        [*map(str, range(40)), "(48) €"],
        [*map(str, range(40)), "(48", "48)"],
        [*BOOKED, "($48.00)", "$(48.00)"],
        ["1 234,5", "1'234,5"],
        ["1 234,5", "1.234,5"],
        ["1 23,5", "4,5"],
        ["612 34 56", "1 234 567"],
        ["4 B", "1 234 567"],
        ["36 months", "60 months"],  # as likely names of levels
        [*(f"{n} kg" for n in range(40)), "12 lb"],
        [f"{n} of 50" for n in range(40)],
        [f"{n} comma" for n in range(40)],
        [f"Day {n}" for n in range(40)],
    ],
)
def test_what_is_not_sure_stays_a_text(cells):
    _, column = parse_column(pd.Series(cells), Column(name="x"))
    assert column.kind == "categorical"


def test_a_schema_settles_it():
    cells = pd.Series(["1,234", "567"])
    hint = Column(name="x", kind="integer", format="thousands")
    assert parse_column(cells, hint)[0].tolist() == [1234, 567]
    hint = Column(name="x", kind="real", format="comma")
    assert parse_column(cells, hint)[0].tolist() == [1.234, 567.0]
    with pytest.raises(SchemaError, match="expected cells of kind real"):
        parse_column(cells, Column(name="x", kind="real", format="# € comma"))


def test_another_layout_is_one_of_python():
    layout = NumberLayout.parse(".3e")
    assert layout.is_plain and str(layout) == ".3e"
    column = Column(name="x", kind="real", dtype="float64", format=".3e")
    assert format_column(pd.Series([12.5]), column).tolist() == ["1.250e+01"]


def test_no_zero_stands_before_the_point():
    cells = pd.Series([".5", "-.25", "12.5", "0", "7"])
    values, column = parse_column(cells, Column(name="x"))
    assert column.format == "no-zero short"
    assert values.tolist() == [0.5, -0.25, 12.5, 0.0, 7.0]
    assert format_column(values, column).tolist() == cells.tolist()
    assert parse_column(pd.Series([".5", "0.25"]), Column(name="x"))[1].format is None


@pytest.mark.parametrize("digits", [6, 7, 15])
def test_numbers_have_as_many_digits_wherever_the_point_is(digits, rng):
    """As Stata writes single precision, and R and C numbers of any size."""
    cells = [f"{x:.{digits}g}" for x in 10 ** rng.uniform(-2, 4, 400)]
    values, column = parse_column(pd.Series(cells), Column(name="x"))
    assert column.format == f".{digits}g"
    assert format_column(values, column).tolist() == cells
    finer = pd.Series([0.123456789012345678, 1234567890.0, 1e-7, 2.0])
    written = format_column(finer, column)
    assert written[3] == "2" and "e" not in "".join(written)


def test_numbers_have_as_many_digits_where_a_few_have_an_exponent(rng):
    cells = [f"{x:.12g}" for x in 10 ** rng.uniform(-5, 1, 400)]
    assert any("e" in cell for cell in cells)
    values, column = parse_column(pd.Series(cells), Column(name="x"))
    assert NumberLayout.parse(column.format).digits == ".12g"
    assert format_column(values, column).tolist() == cells
    others = pd.Series([*cells, "1.5E-05"])
    assert parse_column(others, Column(name="x"))[1].format is None


def test_decimals_have_no_number_of_digits(rng):
    cells = [f"{x:g}" for x in rng.integers(1, 10**7, 3000) / 100]
    assert parse_column(pd.Series(cells), Column(name="x"))[1].format != ".7g"
    cents = [str(x) for x in rng.integers(1, 10**7, 3000) / 100]
    assert parse_column(pd.Series(cents), Column(name="x"))[1].format is None


def test_tiny_numbers_have_no_exponent():
    layout = NumberLayout.parse("# %")
    assert layout.write(str(0.00001)) == "0.00001 %"


@pytest.mark.slow
def test_rows_are_drawn_in_the_layout_of_the_table(rng):
    pay = 500 * rng.integers(1, 400, 900)
    share = np.round(100 * rng.random(900), 1)
    cells = pd.DataFrame(
        {
            "pay": [f"${p:,}" for p in pay],
            "share": [f"{s:.1f}%" for s in share],
            "sex": rng.choice(["F", "M"], 900),
        }
    )
    table = parse_text(cells)
    synthesizer = CoclusterSynthesizer(n_iterations=1, random_state=0)
    rows = synthesizer.fit(table.frame, table.schema).sample(200)
    written = format_column(rows["pay"], table.schema["pay"])
    assert all(
        text.startswith("$") and int(text[1:].replace(",", "")) for text in written
    )
    assert all(
        t.endswith("%") for t in format_column(rows["share"], table.schema["share"])
    )
    assert abs(rows["pay"].mean() / pay.mean() - 1) < 0.1


def test_such_numbers_are_declared_with_their_layout():
    cells = pd.DataFrame({"pay": MANY, "x": [*map(str, range(len(MANY)))]})
    assert draft_domain(cells).columns["pay"].format == "thousands"


def test_last_digits_that_doubles_lose_are_written_as_they_were():
    cells = ["17.261699999999998", "3.45234", "0.30000000000000004", "2.0"]
    frame = pd.DataFrame({"x": np.array(cells, dtype=np.float64)})
    column, values = infer_schema(frame)["x"], frame["x"]
    assert column.step == 1e-5
    assert format_column(values, column).tolist() == cells
    assert format_column(pd.Series([1 / 3]), column).tolist() == ["0.33333"]
