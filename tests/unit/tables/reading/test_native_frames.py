"""Frames of polars, pyarrow and others: their cells come in and go out as they are."""

import datetime
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from support.evaluations import make_quick, people

from coclust_synth import (
    CoclusterSynthesizer,
    Domain,
    DPCocGen,
    HybridKAnonymizer,
    IndependentMargins,
    MODLCoclustering,
    MODLDataGrid,
    bound_rows,
    check_release,
    infer_schema,
)
from coclust_synth.evaluation import Scenario, evaluate
from coclust_synth.exceptions import TableError
from coclust_synth.tables.reading.native import as_pandas, in_library, library_of
from coclust_synth.tables.reading.table import as_table

pl = pytest.importorskip("polars", reason="needs polars: pip install polars")


class Interchange:
    """A frame of which nothing is known but the protocol."""

    def __init__(self, frame):
        self.frame = frame

    def __dataframe__(self, *args, **kwargs):
        return self.frame.__dataframe__(*args, **kwargs)


class Stream:
    """A frame of which nothing is known but that it gives an Arrow stream."""

    def __init__(self, frame):
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema=None):
        return self.frame.__arrow_c_stream__(requested_schema)


CELLS = {
    "whole": [1, None, 2**53 + 1],
    "yes": [True, None, False],
    "text": ["a", None, " b, c"],
    "day": [datetime.date(2020, 2, 29), None, datetime.date(1500, 1, 1)],
    "time": [datetime.datetime(2020, 1, 1, 13, 5), None, datetime.datetime(2021, 1, 1)],
    "real": [0.1, None, -2.5],
    "money": [Decimal("1.50"), None, Decimal("20.00")],
}
KINDS = {
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "interchange": lambda cells: Interchange(
        pa.table({name: cells[name] for name in ("whole", "text", "real")})
    ),
    "stream": lambda cells: Stream(pa.table(cells)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_cells_come_in_as_they_are(kind):
    frame = as_pandas(KINDS[kind](CELLS))
    for name in frame:
        cells = [None if pd.isna(cell) else cell for cell in frame[name]]
        assert cells == CELLS[name]
    assert frame["whole"].dtype == "Int64"  # 2^53 + 1 is no float


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_no_cell_changes_how_another_is_read(library):
    full = KINDS[library]({"n": [1, 2], "b": [True, False]})
    holes = KINDS[library]({"n": [1, None], "b": [True, None]})
    assert (as_pandas(full).dtypes == as_pandas(holes).dtypes).all()


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_frames_go_out_as_they_came(library):
    given = KINDS[library](CELLS)
    assert library_of(given) == library
    again = in_library(as_pandas(given), library)
    assert type(again) is type(given)
    if library == "polars":
        of = {n: t for n, t in given.schema.items() if n != "money"}
        assert of == {n: t for n, t in again.schema.items() if n != "money"}
        assert again.equals(given)  # the digits of decimals are as many as needed
    else:
        assert again.to_pylist() == given.to_pylist()


def test_categories_with_an_order_keep_it_in_polars():
    sizes = pl.Enum(["small", "large"])
    given = pl.DataFrame({"size": pl.Series(["large", None, "small"], dtype=sizes)})
    again = in_library(as_pandas(given), "polars")
    assert again.schema == given.schema and again.equals(given)
    no_order = pl.DataFrame({"drug": pl.Series(["b", "a"], dtype=pl.Categorical)})
    assert in_library(as_pandas(no_order), "polars").schema == no_order.schema


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_rows_of_few_digits_and_of_many_are_of_one_type(library):
    few, many = (
        in_library(pd.DataFrame({"paid": [Decimal(text)]}), library)
        for text in ("1.50", "12345.00")
    )
    assert few.schema == many.schema


def test_names_that_repeat_are_refused():
    frame = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    for function in (as_pandas, library_of):
        with pytest.raises(TableError, match="names that are different"):
            function(frame)


def test_what_is_no_frame_passes():
    for thing in ("a.csv", None, [1], np.eye(2), pd.DataFrame({"x": [1]})):
        assert as_pandas(thing) is thing and library_of(thing) is None
    assert in_library(CELLS, None) is CELLS
    assert library_of(Stream(pa.table(CELLS))) is None


@pytest.mark.parametrize(
    "thing", [pl.DataFrame(CELLS).lazy(), pl.Series([1, 2]), pd.Series([1, 2]), 3]
)
def test_what_does_not_convert_is_refused(thing):
    with pytest.raises(TableError, match=r"Expected a frame .*pandas.DataFrame"):
        as_table(thing)


# --- estimators and functions -----------------------------------------------------

REAL = people(60, 0)


def both_ways(library, frame=REAL):
    """The same rows as a DataFrame, and as a frame of another library."""
    other = in_library(frame, library)
    return as_pandas(other), other


@pytest.mark.slow
@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_co_clusterings_are_those_of_the_same_rows(library):
    ours, other = both_ways(library, REAL[["age", "ward", "drug"]])
    for estimator in (MODLCoclustering, MODLDataGrid):
        fitted = [
            estimator(n_iterations=1, random_state=0).fit(own) for own in (ours, other)
        ]
        assert list(fitted[1].feature_names_in_) == list(ours)
        assert fitted[0].grid_.cost == fitted[1].grid_.cost
    labels = [MODLCoclustering(n_iterations=1, random_state=0).fit(ours)] * 2
    found = [own.predict(rows) for own, rows in zip(labels, (ours, other), strict=True)]
    np.testing.assert_array_equal(*found)


@pytest.mark.slow
@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_synthetic_rows_are_of_the_library_that_was_fitted(library):
    ours, other = both_ways(library)
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0)
    expected = synthesizer.fit(ours).sample(30)
    found = synthesizer.fit(other).sample(30)
    assert library_of(found) == library
    pd.testing.assert_frame_equal(as_pandas(found), expected)
    if library == "polars":
        assert found.schema == other.schema
    again = pickle.loads(pickle.dumps(synthesizer)).sample(30)
    assert library_of(again) == library
    assert library_of(synthesizer.fit(ours).sample(30)) is None


@pytest.mark.slow
def test_a_k_anonymous_table_can_be_had_in_the_same_library():
    ours, other = both_ways("polars", REAL[["age", "ward", "drug"]])
    anonymizer = HybridKAnonymizer(
        k=5, quasi_identifiers=["age", "ward"], sensitive=["drug"], n_iterations=1
    )
    released = anonymizer.set_params(random_state=0).fit_transform(other)
    again = anonymizer.fit_transform(ours)
    pd.testing.assert_frame_equal(released.to_frame(), again.to_frame())
    frame = released.to_frame(like=other)
    assert isinstance(frame, pl.DataFrame) and frame.height == 60
    assert check_release(frame, ["age", "ward"], ["drug"], k=5).holds


DOMAIN = {
    "whole": {"low": 0, "high": 2**53 + 9, "bins": 4, "missing": ""},
    "yes": {"categories": ["true", "false"], "missing": ""},
    "text": {"categories": ["a", "b, c"], "missing": ""},
    "day": {"low": "1400-01-01", "high": "2030-01-01", "bins": 3, "missing": ""},
}


@pytest.mark.parametrize("kind", ["polars", "pyarrow", "stream"])
def test_private_generators_read_the_same_cells(kind):
    domain = Domain.from_dict(DOMAIN)
    cells = pd.DataFrame({n: pd.Series(CELLS[n], dtype=object) for n in DOMAIN})
    np.testing.assert_array_equal(
        domain.encode(KINDS[kind](CELLS)), domain.encode(cells)
    )
    outside = KINDS[kind](CELLS | {"text": ["a", None, "z"]})
    with pytest.raises(TableError) as refused:
        domain.encode(outside)
    with pytest.raises(TableError) as expected:
        domain.encode(cells.assign(text=["a", None, "z"]))
    assert str(refused.value) == str(expected.value)


@pytest.mark.slow
@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_private_rows_are_of_the_library_that_was_fitted(library):
    domain = {"ward": sorted(set(REAL["ward"])), "drug": ["a", "b", "c", "d"]}
    _, other = both_ways(library)
    # So much that noise leaves no drug without rows.
    for generator in (DPCocGen(100.0, domain), IndependentMargins(100.0, domain)):
        assert library_of(generator.fit(other).sample(9)) == library
        rows = generator.sample(9, given="drug=a")
        assert set(as_pandas(rows)["drug"]) == {"a"}
        assert library_of(generator.fit(REAL).sample(9)) is None
    kept = bound_rows(other, "ward", 2)
    assert library_of(kept) == library and len(as_pandas(kept)) == 6


@pytest.mark.slow
@pytest.mark.parametrize(
    "library", ["polars", pytest.param("pyarrow", marks=pytest.mark.slow)]
)
def test_evaluations_are_those_of_the_same_rows(library, monkeypatch):
    make_quick(monkeypatch, trees=1)
    released = people(60, 2)
    population = people(100, 3)
    scenario = Scenario(["ward", "age"], population=population)
    expected = evaluate(REAL, released, scenario=scenario)
    others = [both_ways(library, own)[1] for own in (REAL, released, population)]
    scenario = Scenario(["ward", "age"], population=others[2])
    found = evaluate(*others[:2], scenario=scenario)
    pd.testing.assert_frame_equal(found.to_frame(), expected.to_frame())
    assert infer_schema(others[0]).names == infer_schema(REAL).names
