"""MDAV-generic on tables of all kinds of columns."""

import math
from collections import Counter
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from coclust_synth.baselines import class_labels
from coclust_synth.baselines.mdav import anonymizer as mdav
from coclust_synth.baselines.mdav.anonymizer import MDAVAnonymizer
from coclust_synth.exceptions import (
    CoclustSynthError,
    DataWarning,
    ParameterError,
    TableError,
)
from coclust_synth.tables.column import Column
from coclust_synth.tables.schema import Schema
from tests.naive import mdav as naive

LEVELS = ("none", "school", "college", "master", "doctor")


def people(n=60, seed=0):
    rng = np.random.default_rng(seed)
    pets = rng.choice(["cat", "dog", None], n, p=[0.5, 0.4, 0.1])
    return pd.DataFrame(
        {
            "age": rng.integers(20, 60, n),
            "wage": rng.gamma(2, 1000, n),
            "level": rng.choice(LEVELS[:4], n),
            "pet": pets,
            "born": pd.Timestamp("1960-01-01")
            + pd.to_timedelta(rng.integers(0, 15_000, n), "D"),
            "boss": rng.random(n) < 0.2,
            "illness": rng.choice(["flu", "cold"], n),
        }
    )


def fit(table, k=4, **options):
    level = Column(name="level", kind="ordinal", categories=LEVELS)
    schema = Schema(
        tuple(level if name == "level" else Column(name=name) for name in table)
    )
    names = [name for name in table if name != "illness"]
    return MDAVAnonymizer(
        k, quasi_identifiers=names, sensitive=["illness"], **options
    ).fit(table, schema)


def z_scores(values):
    mean = math.fsum(values) / len(values)
    spread = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / len(values))
    return [(v - mean) / spread for v in values]


def naive_rows(table):
    days = (table["born"] - pd.Timestamp("1960-01-01")).dt.days
    numbers = [z_scores(own.tolist()) for own in (table["age"], table["wage"], days)]
    ranks = [[LEVELS.index(level) for level in table["level"]]]
    # Categories in their order, missing last.
    pets = table["pet"].map({"cat": 0, "dog": 1}).fillna(2).astype(int)
    names = [pets.tolist(), table["boss"].astype(int).tolist()]
    parts = [list(zip(*part, strict=True)) for part in (numbers, ranks, names)]
    return list(zip(*parts, strict=True))


@pytest.mark.parametrize("ordinal", ["median", "convex"])
@pytest.mark.parametrize("end_rule", ["literature", "sdcmicro"])
def test_classes_are_those_of_the_text(ordinal, end_rule):
    table = people()
    expected = np.empty(len(table), dtype=np.int64)
    options = {"n_categories": (len(LEVELS),), "convex": ordinal == "convex"}
    for group, rows in enumerate(naive.mdav(naive_rows(table), 4, end_rule, **options)):
        expected[rows] = group
    fitted = fit(table, end_rule=end_rule, ordinal=ordinal)
    np.testing.assert_array_equal(fitted.classes_, expected)


@pytest.mark.parametrize("ordinal", ["median", "convex"])
def test_centroids_are_means_medians_and_modes(ordinal):
    table = people()
    fitted = fit(table, ordinal=ordinal)
    for group, rows in table.groupby(fitted.classes_):
        centre = fitted.centroids_.loc[group]
        ranks = [LEVELS.index(level) for level in rows["level"]]
        pets = rows["pet"].fillna("missing").tolist()
        median = naive.median(ranks, len(LEVELS), convex=ordinal == "convex")
        assert centre["age"] == pytest.approx(rows["age"].mean(), rel=1e-12)
        assert centre["wage"] == pytest.approx(rows["wage"].mean(), rel=1e-12)
        assert centre["level"] == LEVELS[median]
        assert centre.fillna("missing")["pet"] == naive.mode(pets)
        assert centre["boss"] == naive.mode(rows["boss"].tolist())
        gap = abs(centre["born"] - rows["born"].mean())
        assert gap <= pd.Timedelta(hours=12)


def test_sets_are_the_values_of_each_class():
    table = people()
    fitted = fit(table)
    assert fitted.report_.covered_cells == 1
    for column in fitted.release_.columns:
        sizes = Counter(fitted.classes_)
        expected = Counter()
        for group, own in table[column.name].groupby(fitted.classes_):
            expected[frozenset(column.leaf_codes(own).tolist())] += sizes[group]
        found = Counter()
        for label, n_rows in Counter(column.codes.tolist()).items():
            found[frozenset(np.flatnonzero(column.members[label]).tolist())] += n_rows
        assert found == expected


def test_released_centroids_are_rounded_to_what_the_column_holds():
    table = people().assign(price=[Decimal(i) / 100 for i in range(60)])
    table["seen"] = table["born"].dt.tz_localize("Europe/Paris")
    fitted = fit(table, release="centroids")
    centroids, released = fitted.centroids_, fitted.release_
    held = {
        c.name: {c.leaves[i] for i in c.members.argmax(1)} for c in released.columns
    }
    assert all((column.sizes == 1).all() for column in released.columns)
    assert held["age"] == set(np.rint(centroids["age"]).astype(int))
    assert held["wage"] == set(centroids["wage"])
    assert held["level"] == set(centroids["level"])
    assert held["price"] == {Decimal(f"{p:.2f}") for p in centroids["price"]}
    assert held["born"] == set(centroids["born"])
    assert held["seen"] == set(centroids["seen"])
    assert released.class_sizes.min() >= 4


def test_microaggregation_keeps_means_and_rescaling_variances():
    table = people()[["wage", "illness"]]
    plain, moved = (
        MDAVAnonymizer(
            5, release="centroids", rescale=rescale, sensitive=["illness"]
        ).fit(table)
        for rescale in (False, True)
    )

    def values(fitted):
        (column,) = fitted.release_.columns
        return np.array(column.leaves)[column.members.argmax(axis=1)[column.codes]]

    wage = table["wage"].to_numpy()
    assert values(plain).mean() == pytest.approx(wage.mean(), rel=1e-12)
    assert values(moved).mean() == pytest.approx(wage.mean(), rel=1e-12)
    assert values(plain).std() < 0.999 * wage.std()
    assert values(moved).std() == pytest.approx(wage.std(), rel=1e-12)
    # The centroids are the means in both cases.
    pd.testing.assert_frame_equal(plain.centroids_, moved.centroids_)
    share = plain.sse_ / plain.sst_
    assert values(plain).var() == pytest.approx(wage.var() * (1 - share), rel=1e-9)


@pytest.mark.parametrize("dtype", ["uint8", "Int64", "float32", "int16", "Float64"])
def test_rescaled_values_may_leave_the_range_of_their_type(dtype):
    # Classes go by b alone: means are far inside, and some are moved out again.
    table = pd.DataFrame({"a": np.repeat([0, 255, 128, 127], [40, 40, 10, 10])})
    table["b"] = np.random.default_rng(0).normal(size=len(table)) * 1e6
    fitted = MDAVAnonymizer(8, release="centroids", rescale=True, scale="none").fit(
        table.astype({"a": dtype})
    )
    column = fitted.release_["a"]
    values = np.array(column.leaves)[column.members.argmax(axis=1)[column.codes]]
    assert values.mean() == pytest.approx(table["a"].mean(), abs=0.51)
    assert values.std() == pytest.approx(table["a"].std(ddof=0), rel=0.01)
    assert values.min() < 0 or values.max() > 255


def test_without_a_scale_the_widest_column_decides():
    table = pd.DataFrame({"age": [20, 20, 60, 60], "wage": [1.0, 9000.0, 2.0, 9001.0]})
    plain = MDAVAnonymizer(2, scale="none").fit(table)
    assert plain.classes_[0] == plain.classes_[2] != plain.classes_[1]


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"improve": True}, {"release": "centroids"}])
def test_the_order_of_the_rows_does_not_matter(options):
    table = people()
    released = fit(table, **options).release_.to_frame()
    shuffled = table.sample(frac=1, random_state=3)
    pd.testing.assert_frame_equal(
        fit(shuffled, **options).release_.to_frame(), released
    )


def test_ranges_make_columns_equal():
    table = people()[["age", "wage"]]
    ready = (table - table.min()) / np.ptp(table.to_numpy(float), axis=0)
    expected = MDAVAnonymizer(3, scale="none").fit(ready).classes_
    found = MDAVAnonymizer(3, scale="range").fit(table).classes_
    np.testing.assert_array_equal(found, expected)
    assert (found != MDAVAnonymizer(3).fit(table).classes_).any()


def test_a_constant_counts_nothing():
    table = people()[["age", "wage", "illness"]]
    alone = fit(table)
    with pytest.warns(DataWarning, match="'year'"):
        beside = fit(table.assign(year=0.1))
    np.testing.assert_array_equal(alone.classes_, beside.classes_)
    assert (beside.centroids_["year"] == 0.1).all()
    assert beside.sst_ == pytest.approx(alone.sst_, rel=1e-12)


def test_numbers_beyond_floats_keep_their_differences():
    far = 2**62
    table = pd.DataFrame({"id": [far, far + 1, far + 100, far + 101] * 2})
    schema = Schema((Column(name="id", kind="integer"),))
    fitted = MDAVAnonymizer(4, quasi_identifiers=["id"]).fit(table, schema)
    assert fitted.classes_[0] == fitted.classes_[1] != fitted.classes_[2]


@pytest.mark.filterwarnings("ignore::coclust_synth.exceptions.DataWarning")
@settings(deadline=None, max_examples=examples(30))
@given(st.data())
def test_each_combination_of_labels_is_held_by_k_rows(data):
    n = data.draw(st.integers(4, 40))
    table = pd.DataFrame(
        {
            "a": data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)),
            "b": data.draw(st.lists(st.sampled_from("xyz"), min_size=n, max_size=n)),
            "c": data.draw(st.lists(st.floats(0, 9), min_size=n, max_size=n)),
        }
    )
    k = data.draw(st.integers(2, n))
    options = {
        "release": data.draw(st.sampled_from(mdav.RELEASES)),
        "end_rule": data.draw(st.sampled_from(mdav.END_RULES)),
    }
    fitted = MDAVAnonymizer(k, quasi_identifiers=[*"abc"], **options).fit(table)
    assert fitted.release_.class_sizes.min() >= k
    assert np.bincount(fitted.classes_).min() >= k


def holed(share=0.2):
    """The people, some without a value of each ordered column."""
    table = people().convert_dtypes()
    lacks = np.random.default_rng(1).random((4, len(table))) < share
    for name, own in zip(("age", "wage", "born", "level"), lacks, strict=True):
        table[name] = table[name].mask(own)
    return table


def naive_rows_of_holed(table):
    """Missing: the mean or median of the others, and a category beside."""
    days = (table["born"] - pd.Timestamp("1960-01-01")).dt.days
    numbers = (own.astype(float) for own in (table["age"], table["wage"], days))
    whole = [own.fillna(own.mean()).tolist() for own in numbers]
    ranks = table["level"].map({level: i for i, level in enumerate(LEVELS)})
    middle = naive.median(ranks.dropna().astype(int).tolist(), len(LEVELS))
    pets = table["pet"].map({"cat": 0, "dog": 1}).fillna(2).astype(int)
    names = [pets.tolist(), table["boss"].astype(int).tolist()]
    names += [table[n].isna().tolist() for n in ("age", "wage", "level", "born")]
    parts = (map(z_scores, whole), [ranks.fillna(middle).astype(int).tolist()], names)
    return list(zip(*(list(zip(*p, strict=True)) for p in parts), strict=True))


def test_missing_is_a_value_of_ordered_columns_too():
    table = holed()
    expected = np.empty(len(table), dtype=np.int64)
    groups = naive.mdav(naive_rows_of_holed(table), 4, n_categories=(len(LEVELS),))
    for group, rows in enumerate(groups):
        expected[rows] = group
    fitted = fit(table)
    np.testing.assert_array_equal(fitted.classes_, expected)
    assert fitted.report_.covered_cells == 1
    assert fitted.release_.class_sizes.min() >= 4


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"rescale": True}, {"improve": True}])
def test_a_centre_is_missing_where_most_of_its_class_are(options):
    table = holed(share=0.45)
    fitted = fit(table, k=5, release="centroids", **options)
    n_missing = 0
    for group, rows in table.groupby(fitted.classes_):
        centre = fitted.centroids_.loc[group]
        for name in ("age", "wage", "born", "level"):
            most = rows[name].isna().mean() > 0.5
            assert pd.isna(centre[name]) == most
            n_missing += most
            if not most and name in ("age", "wage"):
                assert centre[name] == pytest.approx(rows[name].mean(), rel=1e-12)
            elif not most and name == "level":
                ranks = [LEVELS.index(level) for level in rows[name].dropna()]
                assert centre[name] == LEVELS[naive.median(ranks, len(LEVELS))]
    assert n_missing > 0
    released = fitted.release_.to_frame()
    assert (released["age"] == "missing").any() and len(released) == len(table)


def test_a_column_without_any_value_counts_nothing():
    table = people()[["age", "wage", "illness"]]
    with pytest.warns(DataWarning, match="'year'"):
        beside = fit(table.assign(year=np.nan), release="centroids")
    np.testing.assert_array_equal(fit(table).classes_, beside.classes_)
    assert beside.centroids_["year"].isna().all()


@pytest.mark.parametrize(
    ("table", "options"),
    [
        (people(1), {}),
        (people(0), {}),
        (people(3), {}),
        (people().assign(wage=np.inf), {}),
        (people(), {"release": "means"}),
        (people(), {"end_rule": "none"}),
        (people(), {"ordinal": "mean"}),
        (people(), {"rescale": True}),
        (people(), {"rescale": "yes", "release": "centroids"}),
        (people(), {"scale": "variance"}),
        (people(), {"k": 1}),
    ],
)
def test_refuses_what_cannot_be_released(table, options):
    with pytest.raises(CoclustSynthError, match="Received"):
        fit(table, **options)


def test_refuses_more_labels_than_fit_in_memory(monkeypatch):
    monkeypatch.setattr(class_labels, "MAX_CELLS", 100)
    with pytest.raises(ParameterError, match="'wage', of 60 values and up to 15"):
        fit(people())


def test_refuses_numbers_whose_squares_are_beyond_the_largest_float():
    table = people().assign(wage=np.linspace(-1e200, 1e200, 60))
    with pytest.raises(TableError, match=r"Received -1e\+200 and 1e\+200\. Cor"):
        fit(table)


def test_means_of_integers_of_all_64_bits():
    limits = np.iinfo(np.int64)
    table = pd.DataFrame({"x": [limits.min] * 2 + [limits.max] * 2, "y": list("aabb")})
    released = MDAVAnonymizer(2, release="centroids").fit_transform(table).to_frame()
    assert released["x"].tolist() == [str(limits.min)] * 2 + [str(limits.max)] * 2


def test_numbers_without_a_variance_are_not_rescaled():
    table = pd.DataFrame({"x": [0.0, 5e-324] * 10, "y": list("ab") * 10})
    found = MDAVAnonymizer(5, release="centroids", rescale=True).fit(table)
    assert set(found.centroids_["x"]) <= {0.0, 5e-324}
