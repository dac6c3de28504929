import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from coclust_synth.exceptions import SchemaError, TableError
from coclust_synth.tables.column import Column
from coclust_synth.tables.reading.infer import infer_schema
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.values.columns import canonical_bounds, to_values
from coclust_synth.tables.values.series import from_values

DAYS = ["2020-02-29", "1969-12-31", "9999-12-31"]
SECONDS = ["2020-02-29 10:00:00", "1969-12-31 23:59:59", "2020-02-29 10:00:01"]


def dates(texts, dtype):
    return pd.Series(np.array(texts, dtype="M8[us]")).astype(dtype)


def zoned(texts, zone, unit="us"):
    return dates(texts, f"datetime64[{unit}]").dt.tz_localize("UTC").dt.tz_convert(zone)


SERIES = {
    "object": pd.Series(["b", "a", "b"], dtype=object),
    "object None": pd.Series(["b", None, "a"], dtype=object),
    "object nan": pd.Series(["b", np.nan, "a"], dtype=object),
    "object NA": pd.Series(["b", pd.NA, "a"], dtype=object),
    "object bool": pd.Series([True, None, False], dtype=object),
    "object integer": pd.Series([3, None, 10**15], dtype=object),
    "object real": pd.Series([0.25, None, 2.0], dtype=object),
    "object date": pd.Series(
        [datetime.date(2020, 2, 29), None, datetime.date(1, 1, 1)], dtype=object
    ),
    "object Decimal": pd.Series([Decimal("1.50"), None, Decimal("2.25")]),
    "object time": pd.Series([datetime.time(1), None, datetime.time(2)], dtype=object),
    "mixed": pd.Series([1, "a", 2.5, None], dtype=object),
    "text": pd.Series(["b", None, 'été, \n"?']),
    "string python": pd.Series(["b", None, "a"], dtype="string[python]"),
    "string pyarrow": pd.Series(["b", None, "a"], dtype="string[pyarrow]"),
    "arrow text": pd.Series(["b", None, "a"], dtype="large_string[pyarrow]"),
    "category": pd.Series(pd.Categorical(["b", None, "a"], ["c", "b", "a"])),
    "ordered": pd.Series(pd.Categorical(["b", "a"], ["c", "b", "a"], ordered=True)),
    "category of integers": pd.Series(pd.Categorical([2, 1, 2], [3, 2, 1])),
    "category of int8": pd.Series(pd.Categorical(np.array([2, 1, 2], dtype="int8"))),
    "category of reals": pd.Series([0.5, None, 1.5]).astype("category"),
    "category of dates": dates(DAYS, "datetime64[us]").astype("category"),
    "category of intervals": pd.cut(pd.Series([1.0, 2.0, 7.5, None]), 3),
    "bool": pd.Series([True, False, True]),
    "boolean": pd.Series([True, None, False], dtype="boolean"),
    "arrow bool": pd.Series([True, None, False], dtype="bool[pyarrow]"),
    "Int64": pd.Series([1, None, -(2**62)], dtype="Int64"),
    "UInt8": pd.Series([1, None, 255], dtype="UInt8"),
    "arrow integer": pd.Series([1, None, 7], dtype="int64[pyarrow]"),
    "float32": pd.Series([0.1, None, 3.75], dtype="float32"),
    "float64": pd.Series([0.1, None, np.pi]),
    "Float64": pd.Series([0.1, None, 2.5], dtype="Float64"),
    "arrow real": pd.Series([0.1, None, 2.5], dtype="double[pyarrow]"),
    "dates s": dates(DAYS, "datetime64[s]"),
    "dates ms": dates(SECONDS, "datetime64[ms]"),
    "dates us": dates([*SECONDS, "NaT"], "datetime64[us]"),
    "dates ns": dates(SECONDS, "datetime64[ns]"),
    "nanoseconds": pd.Series(np.array([1, 10**18], dtype="M8[ns]")),
    "UTC": zoned(SECONDS, "UTC"),
    "Paris": zoned([*SECONDS, "NaT"], "Europe/Paris", "ns"),
    "offset": zoned(SECONDS, "UTC+02:00"),
    "arrow date": dates(DAYS, "date32[day][pyarrow]"),
    "arrow timestamp": dates([*SECONDS, "NaT"], "timestamp[us][pyarrow]"),
    "arrow zoned": zoned(SECONDS, "UTC").astype("timestamp[us, tz=UTC][pyarrow]"),
    "all missing reals": pd.Series([np.nan, np.nan]),
    "all missing objects": pd.Series([None, None], dtype=object),
    "all missing texts": pd.Series([None, None], dtype="string"),
    "all missing dates": pd.Series([pd.NaT, pd.NaT]),
    "constant": pd.Series([7, 7]),
} | {
    name: pd.Series([0, 1, np.iinfo(name).max if name != "uint64" else 9], dtype=name)
    for name in (
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
    )
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::coclust_synth.exceptions.DataWarning")
@pytest.mark.parametrize("name", SERIES)
def test_values_come_back_as_they_went_in(name):
    series = SERIES[name].rename("x")
    schema = infer_schema(series.to_frame())
    for column in (schema["x"], Schema.from_dict(schema.to_dict())["x"]):
        values, missing = to_values(series, column)
        assert values.dtype == (np.float64 if column.kind == "real" else np.int64)
        assert missing.tolist() == series.isna().tolist()
        assert not values[missing].any()
        back = from_values(values, missing, column)
        pd.testing.assert_series_equal(back, series)


def test_codes_follow_the_categories():
    column = Column(name="x", kind="categorical", dtype="str", categories=("b", "a"))
    values, missing = to_values(pd.Series(["a", "b", None]), column)
    assert values.tolist() == [1, 0, 0]
    assert missing.tolist() == [False, False, True]


def test_a_boolean_may_have_its_own_spelling():
    column = Column(name="x", kind="boolean", dtype="object", categories=("no", "yes"))
    series = pd.Series(["yes", "no", None], dtype=object, name="x")
    values, missing = to_values(series, column)
    assert values.tolist() == [1, 0, 0]
    pd.testing.assert_series_equal(from_values(values, missing, column), series)


def test_integers_may_be_categories():
    column = Column(name="x", kind="categorical", dtype="int8", categories=(3, 1, 2))
    series = pd.Series([1, 3, 1], dtype="int8", name="x")
    values, missing = to_values(series, column)
    assert values.tolist() == [1, 0, 1]
    pd.testing.assert_series_equal(from_values(values, missing, column), series)


def test_whole_reals_may_be_integers():
    column = Column(name="x", kind="integer", dtype="float64")
    series = pd.Series([1.0, None, 3.0], name="x")
    values, missing = to_values(series, column)
    assert values.tolist() == [1, 0, 3]
    pd.testing.assert_series_equal(from_values(values, missing, column), series)
    with pytest.raises(SchemaError, match=r"'x': expected integers\. Received 1\.5"):
        to_values(pd.Series([1.5]), column)


def test_dates_count_their_unit_in_utc():
    column = Column(name="x", kind="datetime", dtype="datetime64[us]", unit="D")
    values, _ = to_values(pd.to_datetime(pd.Series(["1970-01-03"])), column)
    assert values.tolist() == [2]
    series = zoned(["1970-01-01 00:00:07"], "Asia/Tokyo")
    column = Column(name="x", kind="datetime", dtype=str(series.dtype), unit="s")
    assert to_values(series, column)[0].tolist() == [7]
    with pytest.raises(SchemaError, match="finer `unit`"):
        to_values(series, Column(name="x", kind="datetime", dtype="object", unit="D"))


def test_bounds_of_dates_are_texts():
    column = Column(
        name="x",
        kind="datetime",
        dtype="datetime64[us]",
        unit="D",
        bounds=("1970-01-01", "1970-01-11"),
    )
    assert canonical_bounds(column) == (0, 10)
    with pytest.raises(SchemaError, match=r"1970-01-11\. Received 1970-01-12 \(1 rows"):
        to_values(pd.to_datetime(pd.Series(["1970-01-12"])), column)


def test_bounds_that_are_no_dates_are_refused():
    column = Column(
        name="x", kind="datetime", dtype="datetime64[us]", unit="D", bounds=("1", "x")
    )
    with pytest.raises(SchemaError, match=r"that are ISO dates.*Received \('1', 'x'\)"):
        canonical_bounds(column)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_values_are_refused(value):
    frame = pd.DataFrame({"income": [1.0, value, value]})
    with pytest.raises(TableError, match=r"'income': expected finite.*Received 2 inf"):
        infer_schema(frame)


def test_values_outside_the_domain_are_refused():
    listed = Column(name="x", kind="categorical", dtype="str", categories=("a", "b"))
    with pytest.raises(SchemaError, match=r"2 categories, 'a', 'b'.*'c' \(2 rows\)"):
        to_values(pd.Series(["a", "c", "c"]), listed)
    bounded = Column(name="x", kind="integer", dtype="int64", bounds=(0, 9))
    with pytest.raises(SchemaError, match=r"from 0 to 9\. Received 10, -1 \(2 rows\)"):
        to_values(pd.Series([10, 5, -1]), bounded)


def test_values_of_another_kind_are_refused():
    column = Column(name="x", kind="integer", dtype="int64")
    with pytest.raises(SchemaError, match=r"kind integer\. Received 'a'"):
        to_values(pd.Series(["a"]), column)


def test_a_dtype_without_missing_values_is_told():
    column = Column(name="x", kind="integer", dtype="int64")
    with pytest.raises(SchemaError, match="the dtype int64 has none"):
        to_values(pd.Series([1, None], dtype="Int64"), column)
    with pytest.raises(SchemaError, match="the dtype int64 has none"):
        from_values(np.array([1, 0]), np.array([False, True]), column)


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([datetime.timedelta(1), datetime.timedelta(2)]),
        pd.Series([1j, 2j]),
        pd.Series([[1], [2]]),
        pd.Series([b"a", b"b"], dtype=object),
        pd.Series(pd.period_range("2020", periods=2)),
        pd.Series([0, 1], dtype="Sparse[int64]"),
        pd.Series([2**64, 1], dtype=object),
    ],
)
def test_other_types_are_refused(series):
    with pytest.raises(TableError, match=r"'x': expected .*Received"):
        infer_schema(series.to_frame("x"))
