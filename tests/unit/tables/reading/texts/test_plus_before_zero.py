"""Whether 0 has a plus where other numbers have one."""

from decimal import Decimal

import pandas as pd
import pytest

from coclust_synth.tables.reading.infer import parse_text
from coclust_synth.tables.reading.texts.layouts import (
    find_layout,
    is_number_layout,
    number_writer,
)
from coclust_synth.tables.reading.texts.text import format_column

CHANGES = ["-9,6 %", "+3,3 %", "+29,0 %", "-0,4 %"]


@pytest.mark.parametrize(
    ("zero", "layout"),
    [
        (["+0,0 %"], "# % plus-zero comma"),
        (["0,0 %"], "# % plus comma"),
        (["+0,0 %", "0,0 %"], "# % plus comma"),
        ([], "# % plus comma"),
    ],
)
def test_zero_has_a_plus_where_it_is_written_so(zero, layout):
    assert str(find_layout([*CHANGES, *zero])) == layout
    assert is_number_layout(layout)
    written = number_writer(layout, ".1f")(str(Decimal(0)))
    assert written == ("+0,0 %" if "zero" in layout else "0,0 %")


def test_zeros_come_back_with_their_plus():
    cells = [*CHANGES, "+0,0 %", "", "-0,0 %"]
    table = parse_text(pd.DataFrame({"change": cells}))
    (column,) = table.schema.columns
    assert column.format == "# % plus-zero comma"
    written = format_column(table.frame["change"], column).tolist()
    assert written[:-1] == cells[:-1]  # of -0 no sign is known
    assert written[-1] == "+0,0 %"
