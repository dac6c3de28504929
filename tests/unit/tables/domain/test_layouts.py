"""Layouts of declared columns: texts read one by one, and written as they were."""

import datetime
from datetime import timedelta

import numpy as np
import pandas as pd
import pytest

from coclust_synth import Domain, DPCocGen, SchemaError, TableError
from coclust_synth.tables.column import Column
from coclust_synth.tables.domain.draft import draft_domain
from coclust_synth.tables.domain.guess import guess_column
from coclust_synth.tables.domain.rows import declared_table
from coclust_synth.tables.reading.texts.cells import cell_texts
from coclust_synth.tables.writing import released_bytes

AMOUNT = {"low": 0.0, "high": 5000.0, "bins": 5, "unit": 0.01}
DAYS = {"low": "2020-01-01", "high": "2020-12-31", "step": "month"}
MOMENTS = {"low": "2020-01-01T00:00", "high": "2020-12-31T23:59", "bins": 4}
HOURS = {"low": "06:00", "high": "21:59", "bins": 16}


def column_of(**fields):
    return Domain.from_dict({"c": fields})["c"]


@pytest.mark.parametrize(
    "fields, texts, codes",
    [
        (AMOUNT | {"format": "comma"}, ["1500", "999,99", "4000,0", "0"], [1, 0, 4, 0]),
        (AMOUNT | {"format": "comma thousands"}, ["1.500", "999,9"], [1, 0]),
        (AMOUNT | {"format": "thousands .2f"}, ["1,500.00", "999.9"], [1, 0]),
        (AMOUNT | {"format": "$# thousands"}, ["$1,500.00", "$999.9"], [1, 0]),
        (AMOUNT | {"format": "# % comma"}, ["1500 %", "0,5 %"], [1, 0]),
        (
            AMOUNT | {"low": -5000.0, "format": "$# brackets thousands"},
            ["($1,500.00)", "$999.9"],
            [1, 2],
        ),
        (DAYS | {"format": "%d.%m.%Y"}, ["31.12.2020", "1.2.2020"], [11, 1]),
        (DAYS | {"format": "%m/%d/%Y"}, ["12/31/2020", "2020-02-01"], [11, 1]),
        (DAYS | {"format": "%-m/%-d/%Y"}, ["12/31/2020", "2/1/2020"], [11, 1]),
        (MOMENTS | {"format": "%d.%m.%Y %H:%M"}, ["31.12.2020 23:59"], [3]),
        (MOMENTS | {"format": "%-m/%-d/%Y %-I:%M %p"}, ["12/31/2020 11:59 PM"], [3]),
        (HOURS, ["06:00", "7:00", "21:59:00", "08:30:05"], [0, 1, 15, 2]),
        (HOURS | {"format": "hh:mm"}, ["06:00", "7:00", "21:59"], [0, 1, 15]),
        (HOURS | {"format": "h:mm AM"}, ["6:00 AM", "07:00am", "9:59 PM"], [0, 1, 15]),
        ({"low": "0:00", "high": "99:59", "step": "12:00"}, ["11:59", "12:00"], [0, 1]),
        ({"edges": ["00:00", "08:00", "23:59:59"]}, ["07:59", "08:00"], [0, 1]),
    ],
)
def test_each_text_is_read_by_the_layout(fields, texts, codes):
    column = column_of(**fields)
    assert column.encode(pd.Series(texts, name="c")).tolist() == codes
    for text, code in zip(texts, codes, strict=True):
        assert column.encode(pd.Series([text], name="c")).tolist() == [code]


@pytest.mark.parametrize(
    "fields, text, match",
    [
        (AMOUNT | {"format": "comma"}, "1.5", "numbers, laid out as 'comma'"),
        (AMOUNT | {"format": "comma thousands"}, "1,234.5", "rows of something else"),
        (AMOUNT | {"format": "# %"}, "12", "laid out as '# %'"),
        (DAYS | {"format": "%d.%m.%Y"}, "12/31/2020", "laid out as '%d.%m.%Y'"),
        (DAYS | {"format": "%d.%m.%Y"}, "30.02.2020", "laid out as"),
        (DAYS | {"format": "%d.%m.%Y"}, "٣١.12.2020", "laid out as"),
        (HOURS, "8.30", "times such as 08:30"),
        (HOURS | {"format": "h:mm AM"}, "13:30 PM", "laid out as 'h:mm AM'"),
        (AMOUNT | {"format": "brackets"}, "(5", "laid out as 'brackets'"),
        (HOURS, "08:61", "times such as 08:30"),
        (HOURS, "05:59", "Received rows outside"),
    ],
)
def test_other_texts_are_refused_and_not_shown(fields, text, match):
    column = column_of(**fields)
    with pytest.raises(TableError, match=match) as error:
        column.encode(pd.Series([text], name="c"))
    assert text not in str(error.value)
    lenient = column_of(**fields, missing="", coerce=True, clamp=True)
    codes = lenient.encode(pd.Series([text, ""], name="c"))
    assert codes[1] == lenient.size - 1 and codes[0] in (0, lenient.size - 1)


@pytest.mark.parametrize(
    "fields, match",
    [
        (AMOUNT | {"format": "commas"}, "a layout of numbers"),
        (AMOUNT | {"format": "comma .2e"}, "a layout of numbers"),
        (AMOUNT | {"format": "thousands comma"}, "a layout of numbers"),
        (AMOUNT | {"format": 2}, "a text"),
        (DAYS | {"format": "%d.%m.%y"}, "each once"),
        (
            DAYS | {"format": "%d.%m.%Y %H:%M"},
            "of %Y, %m, %d \\(or no %d\\), each once",
        ),
        (
            MOMENTS | {"format": "%d.%m.%Y"},
            "%H or %I and %p, %M and, if wanted, %S, each once",
        ),
        (DAYS | {"format": "hh:mm"}, "each once"),
        (HOURS | {"format": "%H:%M"}, "one of hh:mm"),
        (HOURS | {"high": "24:00", "format": "h:mm AM"}, "below 24:00"),
        (HOURS | {"unit": 60}, "left out of a column of dates or times"),
        (HOURS | {"bins": None, "step": 15}, "a time above 00:00"),
        (HOURS | {"bins": None, "step": "00:00"}, "a time above 00:00"),
        (HOURS | {"bins": 1000, "format": "hh:mm"}, "coarser"),
        (
            HOURS | {"bins": None, "step": "00:00:30", "format": "hh:mm"},
            "coarser: some bins hold no whole minute",
        ),
        (HOURS | {"high": "2020-01-01"}, "of one kind"),
        (DAYS | {"step": "00:15"}, "one of day, week"),
        ({"low": "00:00", "high": "9999:00", "step": "00:00:01"}, "wider"),
        ({"categories": ["a"], "format": "comma"}, "left out beside `categories`"),
    ],
)
def test_a_layout_that_does_not_suit_is_refused(fields, match):
    with pytest.raises(SchemaError, match=match):
        column_of(**fields)


@pytest.mark.parametrize(
    "fields",
    [
        *(AMOUNT | {"format": f} for f in ("comma", "comma thousands .2f", "# %")),
        *(AMOUNT | {"format": f} for f in ("€ # comma", "$# thousands", "short")),
        {"low": 0, "high": 9999, "bins": 5, "format": "thousands"},
        {"low": -99, "high": 9999, "bins": 5, "format": "brackets thousands"},
        HOURS | {"format": "h:mm:ss am"},
        DAYS | {"format": "%d.%m.%Y"},
        MOMENTS | {"format": "%d.%m.%Y %H:%M"},
        MOMENTS | {"format": "%m/%d/%Y %H:%M:%S"},
        DAYS | {"format": "%-d.%-m.%Y"},
        MOMENTS | {"format": "%-m/%-d/%Y %-H:%M:%S"},
        MOMENTS | {"format": "%m/%d/%Y %I:%M%P"},
        *(HOURS | {"format": f} for f in ("hh:mm", "h:mm", "h:mm:ss", None)),
        {"low": "0:00:00", "high": "125:00:00", "bins": 7, "format": "h:mm:ss"},
    ],
)
def test_what_is_released_is_read_again(fields):
    domain = Domain.from_dict({"c": fields | {"missing": "-"}, "other": ["x"]})
    assert Domain.from_toml(domain.to_toml()) == domain
    assert Domain.from_dict(domain.to_dict()) == domain
    codes = np.arange(domain.sizes[0]).repeat(30)
    codes = np.column_stack([codes, np.zeros_like(codes)])
    frame = domain.decode(codes, np.random.default_rng(0))
    assert np.array_equal(domain.encode(frame), codes)
    content = released_bytes(frame, "o.csv", delimiter=";", lay_out=domain.lay_out())
    lines = content.decode().splitlines()[1:]
    texts = pd.DataFrame([line.split(";") for line in lines], columns=["c", "other"])
    assert np.array_equal(domain.encode(texts), codes)


def test_files_have_the_declared_layout():
    domain = Domain.from_dict(
        {
            "cost": AMOUNT | {"format": "# € comma thousands"},
            "weight": AMOUNT | {"unit": 0.5, "format": "comma"},
            "born": DAYS | {"format": "%d.%m.%Y"},
            "at": HOURS | {"format": "hh:mm"},
        }
    )
    frame = pd.DataFrame(
        {
            "cost": [1234.5],
            "weight": [72.0],
            "born": [pd.Timestamp("2020-03-01")],
            "at": ["08:30"],
        }
    )
    content = released_bytes(frame, "o.tsv", lay_out=domain.lay_out()).decode()
    assert content.splitlines()[1] == "1.234,50 €\t72,0\t01.03.2020\t08:30"


def test_what_is_written_is_compared():
    fields = {
        "cost": AMOUNT | {"format": "comma thousands"},
        "born": DAYS | {"format": "%d.%m.%Y"},
    }
    texts = pd.DataFrame({"cost": ["1.234,5", "2"], "born": ["01.03.2020"] * 2})
    frame = declared_table(Domain.from_dict(fields), texts).frame
    assert frame["cost"].tolist() == [1234.5, 2.0]
    assert frame["born"].dt.month.tolist() == [3, 3]


def test_numbers_that_are_no_texts_are_themselves():
    column = column_of(**(AMOUNT | {"format": "comma thousands"}))
    mixed = pd.Series([1.234, "1.234", 2500, None, np.nan], dtype=object, name="c")
    (_, parsed), parse = column.texts_of(mixed), column.parser()
    assert [str(parse(text)) for text in parsed] == ["1.234", "1234", "2500"]
    assert column.encode(pd.Series([1.234, 1234.0], name="c")).tolist() == [0, 1]
    assert cell_texts(pd.Series(["1.234"]))[1] == ["1.234"]


def test_times_are_texts_in_frames():
    domain = Domain.from_dict({"at": HOURS | {"format": "hh:mm"}})
    frame = domain.decode(np.array([[0], [15]]), np.random.default_rng(0))
    assert frame["at"].str.fullmatch("[0-2][0-9]:[0-5][0-9]").all()
    written = pd.DataFrame({"at": ["8:30", "21:00"]})
    assert declared_table(domain, written).frame["at"].tolist() == ["08:30", "21:00"]
    times = pd.DataFrame({"at": [datetime.time(8, 30), datetime.time(21)]})
    assert np.array_equal(domain.encode(times), domain.encode(written))
    assert domain["at"].labels[:2] == ("[06:00, 06:59]", "[07:00, 07:59]")
    assert domain["at"].ends == (timedelta(hours=6), timedelta(hours=21, minutes=59))


@pytest.mark.slow
def test_files_of_numbers_hold_no_texts_to_be_laid_out(tmp_path):
    domain = Domain.from_dict({"c": AMOUNT | {"format": "comma thousands"}})
    release = DPCocGen(100.0, domain)
    path = tmp_path / "typed.parquet"
    pd.DataFrame({"c": [1.234, 2.5]}).to_parquet(path)
    for table in (path, tmp_path):
        with pytest.raises(TableError, match=r"Received numbers, of type .* `format`"):
            release.fit(table)
    pd.DataFrame({"c": ["1.234", "2,5"]}).to_parquet(path)
    assert release.fit(path).ledger_.spent > 0


@pytest.mark.parametrize(
    "layout, expected",
    [
        ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S"),
        ("%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M"),
        ("%Y-%m-%d 00:00:00", "%Y-%m-%d 00:00:00"),
        ("%Y-%m-%dT%H:%M:%S", None),
        ("%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M"),
        ("%Y-%m-%dT00:00:00", "%Y-%m-%dT00:00:00"),
        ("%Y-%m-%d", None),
        ("%Y-%m-%d %H:%M:%S.250", None),
    ],
)
def test_a_guess_has_the_layout_of_moments(layout, expected):
    moments = pd.date_range("2020-01-01 06:30:10", periods=200, freq="7h31min")
    texts = pd.DataFrame({"at": moments.strftime(layout)})
    domain = Domain(draft_domain(texts).to_domain().columns)
    assert domain.columns[0].format == expected
    released = DPCocGen(5.0, domain).fit(texts).sample(20)
    content = released_bytes(released, "out.csv", lay_out=domain.lay_out())
    line = content.decode().splitlines()[1]
    # Of fractions of a second nothing is released.
    of_line = layout.replace(" %H:%M:%S.250", "T%H:%M:%S")
    assert datetime.datetime.strptime(line, of_line).year == 2020


def test_a_guess_has_no_digits_of_double_precision():
    column = Column(
        name="c",
        kind="real",
        dtype="float32",
        format="comma short double",
        missing=(),
        bounds=(0.0, 2.5),
        step=0.1,
    )
    assert guess_column(column, 5).format == "comma short"
