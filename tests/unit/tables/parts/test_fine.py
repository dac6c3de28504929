import json

import numpy as np
import pandas as pd
import pytest

from coclust_synth.exceptions import ParameterError, SchemaError
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.parts.fine import (
    MAX_FINE_INTERVALS,
    coarser_coding,
    fine_coding,
)
from coclust_synth.tables.parts.parts import GroupParts
from coclust_synth.tables.reading.infer import infer_schema


def people(n=400):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "job": rng.choice(list("abcde"), n),
            "age": rng.integers(20, 60, n),
            "wage": rng.gamma(2.0, 900.0, n),
            "since": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(rng.integers(0, 90, n), "D"),
        }
    )
    frame["age"] = frame["age"].astype("Int64").mask(rng.random(n) < 0.1)
    return frame


def fine_of(frame):
    schema = infer_schema(frame)
    return fine_coding(frame, schema.keep(*schema.names))


@pytest.fixture(scope="module")
def table():
    return people()


@pytest.fixture(scope="module")
def fine(table):
    return fine_of(table)


def test_every_value_of_a_column_of_few_is_a_part(fine, table):
    codes = fine.encode(table)
    for name in ("job", "age", "since"):
        column = codes[:, fine.names.index(name)]
        expected = pd.factorize(table[name], sort=True)[0]
        np.testing.assert_array_equal(column, expected)


def test_a_column_of_many_values_has_fine_intervals_of_equal_frequency(fine, table):
    codes = fine.encode(table)[:, 2]
    sizes = np.bincount(codes)
    assert len(sizes) == MAX_FINE_INTERVALS and sizes.max() <= 2 and sizes.min() >= 1
    order = np.argsort(table["wage"].to_numpy())
    assert (np.diff(codes[order]) >= 0).all()


def test_increasing_maps_change_no_code(table):
    frame = table[["age"]].astype("Float64")
    codes = fine_of(frame).encode(frame)
    for mapped in (frame * 3 - 7.5, np.exp(frame / 10), frame**3):
        np.testing.assert_array_equal(fine_of(mapped).encode(mapped), codes)


def test_a_column_without_values_is_one_part():
    frame = pd.DataFrame({"a": [None, None, None], "b": [1, 2, 3]})
    with pytest.warns(UserWarning, match="'a'"):
        fine = fine_of(frame)
    assert fine.n_parts_per_variable.tolist() == [1, 3]


@pytest.fixture(scope="module")
def coarse(fine, table):
    n_job, n_age, n_wage, n_since = fine.n_parts_per_variable
    assert n_job == 5
    part = np.concatenate(
        [
            [0, 1, 0, 0, 0],
            2 + (np.arange(n_age) >= 10),
            np.full(n_wage, 4),
            5 + np.arange(n_since) // 40,
        ]
    )
    return coarser_coding(fine, part, table), part


def test_parts_are_put_together(coarse, fine, table):
    coding, part = coarse
    codes, fine_codes = coding.encode(table), fine.encode(table)
    starts = np.cumsum(fine.n_parts_per_variable) - fine.n_parts_per_variable
    first = [0, 2, 4, 5]
    expected = np.where(fine_codes >= 0, part[fine_codes + starts] - first, -1)
    np.testing.assert_array_equal(codes, expected)
    assert (codes == -1).sum() == table["age"].isna().sum() > 0


def test_labels_of_groups_and_intervals(coarse):
    labels = coarse[0].part_labels
    assert labels[:2] == ("job={a, c, d, ...}", "job=b")
    assert labels[2:4] == ("age=[20, 29]", "age=]29, 59]")
    assert labels[5].startswith("since=[2020-01-01, 2020-02-")


def test_what_is_drawn_is_in_its_part_and_as_frequent(coarse, table):
    coding = coarse[0]
    codes = coding.encode(table)
    drawn = coding.decode(np.repeat(codes, 50, axis=0), np.random.default_rng(0))
    np.testing.assert_array_equal(coding.encode(drawn), np.repeat(codes, 50, axis=0))
    share = drawn["job"].value_counts(normalize=True)
    expected = table["job"].value_counts(normalize=True)
    np.testing.assert_allclose(share.sort_index(), expected.sort_index(), atol=0.02)


def test_saved_groups_are_the_same(coarse, table):
    coding = coarse[0]
    again = TableCoding.from_dict(json.loads(json.dumps(coding.to_dict())))
    assert isinstance(again.parts[0], GroupParts)
    assert again.part_labels == coding.part_labels
    np.testing.assert_array_equal(again.encode(table), coding.encode(table))
    codes = coding.encode(table)
    draws = [c.decode(codes, np.random.default_rng(3)) for c in (again, coding)]
    pd.testing.assert_frame_equal(*draws)


def test_a_category_never_seen_is_refused(coarse, table):
    with pytest.raises(SchemaError, match=r"'job'.*'z'"):
        coarse[0].encode(table.assign(job="z"))


def test_as_many_new_parts_as_fine_ones_are_expected(fine, table):
    with pytest.raises(ParameterError, match="Received 3"):
        coarser_coding(fine, np.array([0, 1, 2]), table)


@pytest.mark.slow
def test_missing_values_can_be_a_part_beside_the_groups():
    table = people().assign(job=lambda t: t["job"].mask(t["job"] == "a"))
    fine = fine_of(table)
    n_jobs, n_others = fine.parts[0].n_parts, fine.n_parts_per_variable[1:]
    part = np.concatenate(
        [np.arange(n_jobs) // 2, *(np.full(n, 2 + i) for i, n in enumerate(n_others))]
    )
    coding = coarser_coding(fine, part, table, keep_missing=True)
    (jobs, ages, wages, _) = coding.parts
    assert jobs.labels == ("{b, c}", "{d, e}", "missing")
    assert ages.with_missing and not wages.with_missing
    codes = coding.encode(table)
    np.testing.assert_array_equal(codes[:, 0] == 2, table["job"].isna())
    drawn = coding.decode(codes, np.random.default_rng(0))
    np.testing.assert_array_equal(drawn["job"].isna(), table["job"].isna())
    again = TableCoding.from_dict(json.loads(json.dumps(coding.to_dict())))
    np.testing.assert_array_equal(again.encode(table), codes)


def test_heaped_fine_intervals_hold_20_rows(table):
    schema = infer_schema(table)
    fine = fine_coding(table, schema.keep(*schema.names), binning="heaped")
    codes = fine.encode(table)
    for k in (1, 2, 3):
        assert np.bincount(codes[codes[:, k] >= 0, k]).min() >= 20
