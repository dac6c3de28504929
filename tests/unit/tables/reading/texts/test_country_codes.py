"""NA is Namibia beside its neighbours, and missing elsewhere."""

import pandas as pd
import pytest

from coclust_synth import Column
from coclust_synth.tables.reading.infer import parse_text
from coclust_synth.tables.reading.texts.text import format_column, parse_column

COUNTRIES = "AO AT BE BW CH CI DE DK ES FR GB GH IT KE NG NL PL PT SE ZA".split()
STATES = "AL AK AZ CA CO CT DE FL GA HI ID IL IN KS KY LA NC ND NE NH NJ NY".split()


def parsed(texts, **fields):
    return parse_column(pd.Series(texts, dtype=object), Column(name="c", **fields))


def test_namibia_is_kept_and_an_empty_cell_is_missing():
    cells = [*COUNTRIES, "NA", "NA", ""]
    table = parse_text(pd.DataFrame({"c": cells}))
    column = table.schema["c"]
    assert "NA" in column.categories and column.missing == ("",)
    assert format_column(table.frame["c"], column).tolist() == cells


@pytest.mark.parametrize(
    "texts",
    [
        STATES,
        COUNTRIES[1:],  # too few
        [*(c for c in COUNTRIES if c not in ("AO", "BW")), "SK", "SI"],  # one neighbour
        [*COUNTRIES, "other"],
        [str(n) for n in range(40)],
    ],
)
def test_elsewhere_it_is_missing(texts):
    series, column = parsed([*texts, "NA"])
    assert column.missing == ("NA",) and series.isna().sum() == 1


def test_a_schema_says_otherwise():
    series, _ = parsed([*COUNTRIES, "NA"], missing=("NA",))
    assert series.isna().sum() == 1
