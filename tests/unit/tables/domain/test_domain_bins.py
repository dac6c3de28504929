"""Declared numbers and dates: where bins start, and what is drawn in them."""

import math

import numpy as np
import pandas as pd
import pytest

from coclust_synth.exceptions import SchemaError, TableError
from coclust_synth.tables.domain.domain import Domain
from coclust_synth.tables.domain.draft import draft_domain
from coclust_synth.tables.domain.layouts import writer_of


def one(**fields):
    return Domain.from_dict({"x": fields})


def codes_of(domain, values):
    return domain.encode(pd.DataFrame({"x": values}, dtype=object))[:, 0].tolist()


def drawn(domain, n=2000, seed=0):
    codes = np.random.default_rng(seed).integers(0, domain.sizes[0], n)
    return codes, domain.decode(codes[:, None], seed)["x"]


def test_bins_that_are_given():
    domain = one(edges=[0, 10, 100, 1000])
    assert domain["x"].labels == ("[0, 9]", "[10, 99]", "[100, 1000]")
    assert codes_of(domain, [0, 9, 10, 99, 100, 1000]) == [0, 0, 1, 1, 2, 2]
    with pytest.raises(TableError, match="Received rows outside"):
        codes_of(domain, [1001])
    reals = one(edges=[0, 0.5, 2.5])
    assert reals["x"].labels == ("[0, 0.5[", "[0.5, 2.5]")
    assert codes_of(reals, ["0.4999", "0.5", "2.5"]) == [0, 1, 1]


def test_bins_of_a_width():
    whole = one(low=0, high=100, step=25)
    assert whole["x"].labels[-2:] == ("[75, 99]", "100")
    real = one(low=0.0, high=1.0, step=0.1)
    assert real.sizes == (10,)  # ten tenths, although ten times .1 is not 1 in binary
    assert real["x"].labels[3] == "[0.3, 0.4["
    assert codes_of(real, ["0.3", "0.29999", "1"]) == [3, 2, 9]


def test_logarithmic_bins_have_equal_ratios():
    real = one(low=0.01, high=1000.0, bins=10, scale="log")["x"]
    ratios = real.binned.starts[1:] / real.binned.starts[:-1]
    assert np.allclose(ratios, math.sqrt(10), rtol=1e-4)
    whole = one(low=1, high=1000, bins=30, scale="log")["x"]
    # Ratios of 1.26: 2 to 3 has no room for three bins.
    assert whole.labels[:4] == ("1", "2", "3", "[4, 5]")
    assert whole.size < 30 and whole.labels[-1].endswith(", 1000]")


@pytest.mark.parametrize("low, first", [(0, "]0, 0.5["), (0.25, "[0.25, 0.5[")])
def test_zero_has_a_bin_of_its_own(low, first):
    domain = one(edges=[low, 0.5, 5.0], zero=True, clamp=True)
    assert domain["x"].labels == ("0", first, "[0.5, 5]")
    assert codes_of(domain, ["0", "0.0", "-3", "1e-9", "0.3", "7"]) == [
        0,
        0,
        0,
        1,
        1,
        2,
    ]
    codes, values = drawn(domain)
    assert (values[codes == 0] == 0).all() and (values[codes > 0] >= low).all()
    assert (values[codes == 1] > 0).all()


def test_whole_numbers_beside_zero():
    domain = one(low=0, high=20, bins=2, zero=True)
    assert domain["x"].labels == ("0", "[1, 9]", "[10, 20]")
    amounts = one(low=10, high=1000, bins=2, scale="log", zero=True)
    assert amounts["x"].labels == ("0", "[10, 99]", "[100, 1000]")
    assert codes_of(amounts, [0, 10, 1000]) == [0, 1, 2]
    with pytest.raises(TableError, match="Received rows outside"):
        codes_of(amounts, [5, -5, 0])


@pytest.mark.parametrize(
    "fields, unit",
    [
        ({"low": 0, "high": 100000, "bins": 7, "unit": 500}, 500),
        ({"low": 0.0, "high": 1.0, "bins": 3, "unit": 0.1}, 0.1),
        ({"low": 0.3, "high": 9.7, "bins": 5, "unit": 0.25}, 0.25),
        ({"low": 0.05, "high": 5e4, "bins": 9, "scale": "log", "unit": 0.01}, 0.01),
        ({"low": 120, "high": 10**7, "bins": 20, "scale": "log", "unit": 50}, 50),
        ({"edges": [0, 1, 10], "unit": 0.5}, 0.5),
    ],
)
def test_what_is_drawn_is_a_multiple_of_the_unit(fields, unit):
    domain = one(**fields)
    codes, values = drawn(domain)
    assert codes_of(domain, values) == codes.tolist()
    # As it is written: .3, not .30000000000000004.
    multiples = {round(round(value / unit) * unit, 6) for value in values.tolist()}
    assert set(values.tolist()) == multiples


def test_types_of_what_is_drawn():
    whole = {"low": 0, "high": 100, "bins": 4}
    assert drawn(one(**whole, unit=5))[1].dtype == "int64"
    assert drawn(one(**whole, scale="linear", zero=True))[1].dtype == "int64"
    assert drawn(one(**whole, unit=0.5))[1].dtype == "float64"
    assert drawn(one(low=0.0, high=100.0, bins=4, unit=5))[1].dtype == "float64"
    assert drawn(one(**whole, missing=""))[1].dtype == "Int64"


def test_logarithms_are_drawn_evenly():
    # Mean of a law whose logarithm is uniform on [low, high]: 9 / log 10 = 3.909 for
    # 1 to 10; drawn evenly it would be 5.5. 100,000 draws have a standard error of
    # .008, and the seed is fixed.
    domain = one(low=1.0, high=10.0, bins=1, scale="log")
    values = domain.decode(np.zeros((100_000, 1), dtype=int), 1)["x"]
    assert abs(values.mean() - 9 / math.log(10)) < 0.04
    # Of whole numbers, x has the share log(1 + 1 / x) / log(10) of 1 to 9.
    whole = one(low=1, high=9, bins=1, scale="log")
    counts = whole.decode(np.zeros((100_000, 1), dtype=int), 1)["x"].value_counts()
    expected = np.log10(1 + 1 / np.arange(1, 10))
    assert np.abs(counts.sort_index() / 100_000 - expected).max() < 0.01


def test_dates_are_read_and_drawn_within_their_month():
    domain = one(low="2020-01-15", high="2021-12-31", step="month", missing="")
    assert domain.sizes == (25,)
    assert domain["x"].labels[:2] == (
        "[2020-01-15, 2020-01-31]",
        "[2020-02-01, 2020-02-29]",
    )
    texts = ["2020-01-15", "2020-02-29", "2020-02-29T23:59:59", "2021-12-31", None]
    assert codes_of(domain, texts) == [0, 1, 1, 23, 24]
    stamps = pd.Series(pd.to_datetime(["2020-01-31", "2020-02-01", None]))
    assert domain.encode(pd.DataFrame({"x": stamps}))[:, 0].tolist() == [0, 1, 24]
    codes, values = drawn(domain)
    assert values.dtype.kind == "M" and (values.isna() == (codes == 24)).all()
    assert codes_of(domain, values.dt.strftime("%Y-%m-%d")) == codes.tolist()


@pytest.mark.parametrize("text", ["2019-12-31", "2022-01-01T00:00"])
def test_dates_outside(text):
    fields = {"low": "2020-01-01", "high": "2021-12-31", "step": "year"}
    with pytest.raises(TableError, match="Received rows outside"):
        codes_of(one(**fields), ["2020-05-05", text])
    edge = 0 if text < "2020" else 1
    assert codes_of(one(**fields, clamp=True), [text]) == [edge]


def test_what_is_no_date():
    fields = {"low": "2020-01-01", "high": "2021-12-31", "bins": 3}
    with pytest.raises(TableError, match=r"dates such as 2024-12-31.*Received rows of"):
        codes_of(one(**fields), ["31/12/2020", "2020-12-31", "20201231"])
    counted = one(**fields, missing="?", coerce=True)
    assert codes_of(counted, ["31/12/2020", "?", None]) == [3, 3, 3]


def test_times_of_day():
    domain = one(low="2020-01-01T00:00:00", high="2020-01-01T23:59:59", bins=24)
    assert codes_of(domain, ["2020-01-01", "2020-01-01 13:59:59.9"]) == [0, 13]
    codes, values = drawn(domain)
    assert (values.dt.hour == codes).all() and values.dt.second.nunique() == 60


def test_the_calendar_in_toml():
    text = """
    [[column]]
    name = "d"
    low = 2020-01-01
    high = 2024-12-31
    step = "year"
    [[column]]
    name = "t"
    edges = [2020-01-01T00:00:00, 2020-01-01T12:00:00, 2020-01-02T00:00:00]
    """
    domain = Domain.from_toml(text)
    assert domain.sizes == (5, 2)
    assert Domain.from_toml(domain.to_toml()) == domain


@pytest.mark.parametrize(
    "fields, match",
    [
        ({"low": 1, "high": 9, "bins": 2, "step": 3}, "`bins` to be given, or"),
        ({"edges": [1, 9], "bins": 2}, "`bins` to be left out beside `edges`"),
        ({"edges": [1, 9, 9]}, "in increasing order"),
        ({"edges": [1]}, "at least two"),
        ({"edges": 3}, "at least two"),
        ({"edges": [1, "2020-01-01"]}, "of one kind"),
        ({"edges": [1, math.inf]}, "not infinite"),
        ({"low": -1e308, "high": 1e308, "bins": 4}, "less `low` is a finite number"),
        ({"edges": [-1e308, 1e308]}, "of finite distances"),
        ({"low": "2020-01-01", "high": 5, "bins": 1}, "of one kind"),
        ({"low": "2020-01-01", "high": "2020-01-02T10:00", "bins": 1}, "of one kind"),
        ({"low": "2020-02-01", "high": "2020-01-02", "bins": 1}, "above `low`"),
        ({"low": "2020-01-01", "high": "2020-01-03", "bins": 4}, "at most 3, a date"),
        ({"low": "2020-01-01", "high": "2020-01-03", "step": "quarter"}, "month, year"),
        ({"low": "2020-01-01", "high": "2020-01-03", "step": 0.5}, "of days"),
        ({"low": "2020-01-01", "high": "2020-01-03", "bins": 1, "unit": 2}, "dates"),
        ({"low": "2020-01-01", "high": "2020-01-03", "bins": 1, "zero": True}, "dates"),
        ({"low": "2020-01-01T10:00Z", "high": "2021-01-01", "bins": 1}, "a date such"),
        ({"low": 0, "high": 9, "step": "month"}, "above 0"),
        ({"low": 0, "high": 9, "step": 0}, "above 0"),
        ({"low": 0, "high": 10**9, "step": 1}, "at most 1,000,000"),
        ({"low": 0, "high": 9, "bins": 2, "scale": "log"}, "`low` above 0"),
        ({"low": 1, "high": 9, "step": 2, "scale": "log"}, "give `bins`"),
        ({"low": 1, "high": 9, "bins": 2, "scale": "cubic"}, "'linear' or 'log'"),
        ({"low": -1, "high": 9, "bins": 2, "zero": True}, "below 0"),
        ({"low": 1, "high": 9, "bins": 2, "zero": 1}, "true or false"),
        ({"low": 1, "high": 9, "bins": 2, "unit": 0}, "above 0"),
        ({"low": 1, "high": 9, "bins": 4, "unit": 5}, "hold no multiple"),
        ({"low": 0.0, "high": 1e9, "bins": 4, "unit": 1e-9}, "16 digits"),
        ({"categories": ["a"], "edges": [1, 2]}, "left out beside `categories`"),
        ({"categories": ["a"], "zero": True}, "left out beside `categories`"),
    ],
)
def test_declarations_that_contradict_themselves(fields, match):
    with pytest.raises(SchemaError, match=match):
        one(**fields)


def heavy_tail(n, seed):
    rng = np.random.default_rng(seed)
    amounts = np.round(np.exp(rng.normal(7, 1.5, n)), 2)
    return np.where(rng.random(n) < 0.3, 0, amounts)


def test_a_heavy_tail_is_taken_from_the_rows_by_logarithms():
    amounts = heavy_tail(4000, 0)
    domain = Domain.from_frame(pd.DataFrame({"x": amounts}), bins=20)
    column = domain["x"]
    assert (column.scale, column.zero, column.unit) == ("log", True, 0.01)
    codes = domain.encode(pd.DataFrame({"x": amounts}))
    again = domain.decode(codes, 0)["x"]
    assert abs(again.mean() / amounts.mean() - 1) < 0.05
    assert abs(again.median() / np.median(amounts) - 1) < 0.1
    assert ((again == 0) == (amounts == 0)).all()


@pytest.mark.parametrize(
    "values, expected",
    [
        ([32.787931799133496, 95.8123456], (32.0, 96.0)),
        ([1228, 7060, 118, 5555], (100, 7100)),
        ([-87.5, -3.25, 10.75], (-88.0, 11.0)),
        ([0.00123456789, 0.00456789123], (0.0012, 0.0046)),
        ([1963, 2015, 1999], (1963, 2015)),
        ([3, 1234567, 700000], (0, 1300000)),
    ],
)
def test_bounds_from_the_rows_are_short_numbers(values, expected):
    column = Domain.from_frame(pd.DataFrame({"x": values}), bins=3)["x"]
    assert (column.low, column.high) == expected
    assert type(column.low) is type(expected[0])


@pytest.mark.parametrize(
    "texts, low, high",
    [
        (["1931-03-14", "2001-07-30", "1999-02-03"], "1931-01-01", "2001-12-31"),
        (["2020-03-14", "2022-07-30"], "2020-03-01", "2022-07-31"),
        (["2020-03-14", "2020-04-20"], "2020-03-14", "2020-04-20"),
        (
            ["2020-03-14T10:11", "2022-07-30T00:00"],
            "2020-03-01T00:00:00",
            "2022-07-31T23:59:59",
        ),
    ],
)
def test_dates_from_the_rows_are_whole_periods(texts, low, high):
    frame = pd.DataFrame({"x": pd.to_datetime(texts)})
    column = Domain.from_frame(frame)["x"]
    assert (column.low.isoformat(), column.high.isoformat()) == (low, high)
    assert Domain((column,)).encode(frame).min() >= 0


@pytest.mark.parametrize(
    "texts, layout",
    [
        (["20140502T000000", "20150131T000000"], "%Y%m%dT000000"),
        (["05/02/2014 00:00", "01/31/2015 00:00"], "%m/%d/%Y 00:00"),
        (["5/2/2014 12:00 AM", "1/31/2015 12:00 AM"], "%-m/%-d/%Y 12:00 AM"),
    ],
)
def test_midnights_in_a_layout_with_hours_are_days(texts, layout):
    frame = pd.DataFrame({"x": texts * 15})
    column = draft_domain(frame).to_domain()["x"]
    assert (column.low.isoformat(), column.format) == ("2014-05-02", layout)
    domain = Domain((column,))
    codes = domain.encode(frame)
    again = domain.decode(codes, 0)
    assert (domain.encode(again) == codes).all()
    assert (again["x"] == again["x"].dt.normalize()).all()
    assert writer_of(column)("2014-05-02") == texts[0]


def test_amounts_on_both_sides_of_zero_are_cut_more_finely_near_it():
    amounts = heavy_tail(4000, 0)
    for sign, n_bins in ((-1, 12), (np.repeat([1, -1], [3000, 1000]), 12)):
        column = Domain.from_frame(pd.DataFrame({"x": sign * amounts}), bins=12)["x"]
        edges = np.array(column.edges)
        assert len(edges) <= n_bins + 1
        counts = np.histogram(sign * amounts, edges)[0]
        assert counts.max() < 0.4 * len(amounts)  # three in ten are zeros
        assert not np.signbit(edges[edges == 0]).any()


@pytest.mark.parametrize("highest", [1.88, 2.3, 9.95])
@pytest.mark.parametrize("sign", [1, -1])
def test_edges_on_both_sides_of_zero_hold_the_farthest_numbers(highest, sign):
    """Their ends have no digits that floats lack: 1.9 is no number below 1.9."""
    many = [*[-highest / 2] * 20, *[highest] * 20]  # no slips
    values = sign * np.array([*np.arange(-40, 80) / 500, *many])
    frame = pd.DataFrame({"x": values})
    column = Domain.from_frame(frame, bins=10)["x"]
    assert column.edges is not None
    assert column.edges[0] <= values.min() and values.max() <= column.edges[-1]
    assert Domain((column,)).encode(frame).min() >= 0


@pytest.mark.parametrize("n_codes", [700, 60])
@pytest.mark.parametrize(("code", "unit"), [(-1, 1), (-200, 1), (-200, 0.1)])
def test_a_code_below_zero_has_an_interval_to_itself(code, unit, n_codes):
    """Of -1, for who was not asked, and scores, none is drawn between the two."""
    scores = np.random.default_rng(0).integers(130, 620, 300) * unit
    frame = pd.DataFrame({"x": [*[code] * n_codes, *scores.round(1)]})
    domain = Domain.from_frame(frame)
    assert domain["x"].edges[:2] == (code, code + unit)
    drawn = domain.decode(domain.encode(frame), 0)["x"]
    assert (drawn[:n_codes] == code).all() and (drawn[n_codes:] >= 0).all()


def test_zeros_between_numbers_of_either_sign_have_an_interval_to_themselves():
    sizes = np.ceil(heavy_tail(4000, 0) * 100) / 100
    amounts = sizes * np.repeat([1, -1], [3000, 1000])
    frame = pd.DataFrame({"x": amounts})
    domain = Domain.from_frame(frame, bins=12)
    drawn = domain.decode(domain.encode(frame), 0)["x"]
    assert np.mean(amounts == 0) > 0.2
    assert ((drawn == 0) == (amounts == 0)).all()


def test_one_number_next_to_zero_leaves_the_edges_where_the_others_are():
    values = np.random.default_rng(0).standard_t(1.5, 2000)
    with_one = pd.DataFrame({"x": np.append(values, 1e-9)})
    columns = [
        Domain.from_frame(f)["x"] for f in (pd.DataFrame({"x": values}), with_one)
    ]
    assert columns[0].edges == columns[1].edges
    assert np.sort(np.abs(columns[0].edges))[1] > 0.05


@pytest.mark.parametrize(("n_halves", "unit"), [(1, 1.0), (20, 0.1)])
def test_decimals_that_few_numbers_have_are_not_drawn(n_halves, unit):
    days = np.random.default_rng(0).integers(20, 41, 60).astype(float)
    days[:n_halves] += 0.5
    column = Domain.from_frame(pd.DataFrame({"x": days}))["x"]
    assert column.unit == unit


def test_small_amounts_keep_decimals_that_large_ones_do_without():
    amounts = [0.005, 0.02, 0.04, 0.07, *range(1, 60), *[900, 1000] * 10]
    column = Domain.from_frame(pd.DataFrame({"x": amounts}))["x"]
    assert (column.scale, column.low, column.unit) == ("log", 0.005, 0.001)


def test_a_unit_is_no_finer_than_the_digits_of_the_largest_number():
    others = [n + 0.875000001 for n in range(40)]
    frame = pd.DataFrame({"x": [*others, *[16020000.0] * 20]})
    column = Domain.from_frame(frame)["x"]
    assert column.unit is None and column.high >= 16020000


def test_bounds_are_those_of_numbers_that_are_no_slips():
    """Slips are counted with the numbers nearest to them."""
    rng = np.random.default_rng(0)
    ages, slips = rng.integers(18, 95, 500), [1962, 1962, -700]
    frame = pd.DataFrame({"x": [*ages, *slips]})
    domain = Domain.from_frame(frame)
    column = domain["x"]
    bounds = column.low, column.high, column.scale, column.clamp, column.missing
    assert bounds == (ages.min(), ages.max(), "linear", True, None)
    codes = domain.encode(frame)[-3:, 0].tolist()
    assert codes == [column.bins - 1, column.bins - 1, 0]
    # Of an amount that some have much more of than others no number is a slip.
    amounts = np.round(rng.lognormal(3, 2, 500), 2)
    column = Domain.from_frame(pd.DataFrame({"x": amounts}))["x"]
    assert column.high >= amounts.max() and not column.clamp


def test_a_code_above_all_others_is_the_mark_of_what_is_missing():
    hours = np.random.default_rng(0).integers(0, 60, 500)
    frame = pd.DataFrame({"x": [*hours, *[999] * 40]})
    domain = Domain.from_frame(frame)
    column = domain["x"]
    assert (column.low, column.high, column.missing) == (0, 59, "999")
    assert (domain.encode(frame)[-40:, 0] == column.size - 1).all()
    assert domain.encode(frame.astype(float)).max() == column.size - 1
    assert domain.decode(domain.encode(frame), 0)["x"].isna().sum() == 40
    counts = [*[0, 1, 2] * 50, 9]
    assert Domain.from_frame(pd.DataFrame({"x": counts}))["x"].missing is None
    many = Domain.from_frame(pd.DataFrame({"x": [*counts, *[9] * 20]}))["x"]
    assert (many.missing, many.low, many.high) == ("9", 0, 2)
    # Not of two, nor beside what is missing otherwise: that would be another answer.
    two = Domain.from_frame(pd.DataFrame({"x": [*hours, *[998, 999] * 20]}))["x"]
    missing = [*hours, *[999] * 40, None]
    other = Domain.from_frame(pd.DataFrame({"x": missing}))["x"]
    assert two.high >= 999 and two.missing is None
    assert other.high >= 999 and other.missing == ""


def test_few_values_have_a_bin_each():
    frame = pd.DataFrame({"x": [0.0, 0.1, 0.4] * 10, "n": [3, 5, 4] * 10})
    domain = Domain.from_frame(frame)
    assert domain.encode(frame)[:3].tolist() == [[0, 0], [1, 2], [4, 1]]
    assert domain.decode([[3, 0]], 0).iloc[0].tolist() == [0.3, 3]
    assert domain["n"].labels == ("3", "4", "5")


def test_a_refusal_says_whether_the_domain_is_of_whole_numbers():
    """By its declaration alone: ends written without decimals."""
    with pytest.raises(TableError, match="it holds whole numbers"):
        codes_of(one(low=0, high=2, bins=3), [0.0, 0.5, 1.0])
    reals = one(low=0.0, high=2.0, bins=2)
    assert codes_of(reals, [0, 0.5, 1.0]) == [0, 0, 1]
    with pytest.raises(TableError) as error:
        codes_of(reals, [5])
    assert "whole numbers" not in str(error.value)


def test_a_large_number_of_a_list_is_known_as_it_is_written_and_by_all_its_digits():
    domain = one(categories=[-1e300, 0.5, 1e23])
    assert codes_of(domain, ["-1e300", "1e23", 1e23, "0.5", -1e300]) == [0, 2, 2, 1, 0]
    assert domain.encode(domain.decode(np.arange(3)[:, None], 0)).ravel().tolist() == [
        0,
        1,
        2,
    ]
