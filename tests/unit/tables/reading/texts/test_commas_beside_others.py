"""Numbers such as 1,234, read by signs, as other columns are, or as a schema says."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.column import Column
from coclust_synth.tables.reading.infer import parse_text
from coclust_synth.tables.reading.settling import require_decided
from coclust_synth.tables.reading.texts.text import format_column
from coclust_synth.tables.schema import Schema

NUMBERS = np.arange(83_417, 700_000, 9_713)
PARTED = [f"{n:,}" for n in NUMBERS]
POINTS = [f"{n / 7:.2f}" for n in NUMBERS]
COMMAS = [text.replace(".", ",") for text in POINTS]


def read(delimiter=",", schema=None, **columns):
    """The first column, once all that were read are written as they were."""
    table = parse_text(pd.DataFrame(columns), schema, delimiter=delimiter)
    for column in table.schema.columns:
        written = format_column(table.frame[column.name], column).tolist()
        assert written == list(columns[column.name])
    return table.schema.columns[0]


@pytest.mark.parametrize(
    "around", ["${}", "-${}", "£ {}", "US${}", "₹{}", "Rs. {}", "{} €", "€{}", "R$ {}"]
)
def test_amounts_of_money_have_thousands(around):
    column = read(pay=[around.format(text) for text in PARTED])
    assert (column.kind == "integer") == ("€" not in around and "R$" not in around)
    column = read(pay=[around.format(text[:-1] + "0") for text in PARTED])
    assert (column.kind, column.format) == (
        "integer",
        around.replace("{}", "#").removeprefix("-") + " thousands",
    )
    assert column.bounds[1] == (-83_410 if around[0] == "-" else 695_330)


@pytest.mark.parametrize(
    ("delimiter", "others", "found"),
    [
        (",", {"a": POINTS}, "integer"),
        ("\t", {"a": POINTS}, "integer"),
        (";", {"a": POINTS}, None),
        (";", {"a": COMMAS}, "real"),
        (",", {"a": COMMAS}, None),
        (";", {"a": COMMAS, "b": POINTS}, None),
        (";", {"a": [f"${text}" for text in PARTED]}, "integer"),
        (";", {"a": COMMAS, "b": [f"${text}" for text in PARTED]}, None),
        (",", {"a": [f"{n % 999:.3f}" for n in NUMBERS]}, None),
        (",", {"a": [f"0.{n % 900 + 100}1" for n in NUMBERS]}, "integer"),
    ],
)
def test_decimals_are_those_of_the_others(delimiter, others, found):
    column = read(delimiter, x=PARTED, **others)
    assert column.kind == (found or "categorical")
    if found is None:
        assert 'format = "thousands" with kind = "integer"' in column.reason
        assert 'format = "comma" with kind = "real"' in column.reason
    layout = {"integer": "thousands", "real": "comma .3f", None: None}[found]
    assert column.format == layout


def test_codes_and_few_levels_stay_as_they_are():
    assert read(icd_codes=PARTED, a=POINTS).kind == "categorical"
    few = read(x=PARTED[:10] * 5, a=POINTS[:50])
    assert (few.kind, few.treatment) == ("categorical", "keep")
    assert read(x=[f"{n // 1000:04},{n % 1000:03}" for n in NUMBERS]).format is None


def test_what_some_share_is_asked_too():
    column = read(";", x=PARTED[:25] * 40)
    assert "comma may be of thousands" in column.reason
    with pytest.raises(SchemaError, match='format = "thousands" with kind = "integer"'):
        require_decided(Schema((column,)))


@pytest.mark.parametrize(
    ("kind", "layout", "found"),
    [("integer", "thousands", "thousands"), ("real", "comma", "comma .3f")],
)
def test_what_the_message_says_can_be_done(kind, layout, found):
    # In a schema as `inspect` writes it, whose other lines stay.
    asked = parse_text(pd.DataFrame({"x": PARTED})).schema
    text = asked.to_toml().replace(
        'kind = "categorical"', f'kind = "{kind}"\nformat = "{layout}"'
    )
    assert 'dtype = "str"' in text
    schema = Schema.from_toml(text.replace('"undecided"\n', '"keep"\n'))
    column = read(x=PARTED, schema=schema)
    assert (column.kind, column.format, column.treatment) == (kind, found, "keep")


@pytest.mark.parametrize("layout", ["thousands", "$# thousands", "%d/%m/%Y"])
def test_categories_have_no_layout_of_numbers(layout):
    schema = Schema((Column(name="x", kind="categorical", format=layout),))
    with pytest.raises(SchemaError, match="leave out `dtype` and `categories`"):
        parse_text(pd.DataFrame({"x": PARTED}), schema)
