import io
import json
import warnings
import zipfile
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from coclust_synth import (
    CoclusterSynthesizer,
    DataWarning,
    ModelFileError,
    NotFittedError,
    OutputError,
    ParameterError,
    SchemaError,
    TableError,
    infer_schema,
    read_table,
)
from coclust_synth.generators.plain.fitting import default_k
from coclust_synth.generators.plain.synthesizer import WITHIN
from coclust_synth.tables.column import Column
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.parts.rare.released import release_values
from coclust_synth.tables.schema import Schema


def synthesizer(**options):
    asked = {"within": "independent", "n_iterations": 3, "random_state": 0}
    return CoclusterSynthesizer(**(asked | options))


def every_kind(n=240, seed=0):
    """Three groups of people, in columns of every kind, some values missing."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    hole = rng.random((8, n)) < 0.08

    def texts(*words):
        return np.array(words, dtype=object)[group]

    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(
        group * 300 + rng.integers(0, 90, n), "D"
    )
    seconds = days + pd.to_timedelta(rng.integers(0, 86_400, n), "s")
    objects = np.array([d.date() for d in days], dtype=object)
    cents = [Decimal(int(c)).scaleb(-2) for c in 100 * group + rng.integers(0, 90, n)]
    return pd.DataFrame(
        {
            "text": pd.Series(texts("b", "a", "c")).astype("str"),
            "holed text": pd.Series(texts("x", "y", "z"), dtype="str").mask(hole[0]),
            "category": pd.Categorical(texts("p", "q", "p"), ["r", "q", "p"]),
            "ordered": pd.Categorical(
                texts("lo", "mid", "hi"), ["lo", "mid", "hi", "top"], ordered=True
            ),
            "small": (group * 10 + rng.integers(0, 5, n)).astype("int8"),
            "integer": group * 1000 + 5 * rng.integers(0, 40, n),
            "holed integer": pd.Series(
                group * 7 + rng.integers(0, 3, n), dtype="Int64"
            ).mask(hole[1]),
            "money": np.where(rng.random(n) < 0.6, 0.0, rng.integers(1, 9999, n) / 100),
            "real": np.where(hole[2], np.nan, rng.normal(group, 1.0)),
            "single": rng.normal(group, 1.0).astype("float32"),
            "bool": group == 1,
            "boolean": pd.Series(group == 2, dtype="boolean").mask(hole[3]),
            "day": pd.Series(days).mask(hole[4]),
            "zoned": pd.Series(seconds).dt.tz_localize("Europe/Paris"),
            "date": objects,
            "decimal": cents,
        }
    )


@pytest.fixture(scope="module")
def table():
    return every_kind()


@pytest.fixture(scope="module")
def schema(table):
    schema = infer_schema(table)
    return schema.keep(*schema.undecided)


@pytest.fixture(scope="module", params=WITHIN)
def fitted(table, schema, request):
    return synthesizer(k=10, within=request.param).fit(table, schema)


@pytest.fixture(scope="module")
def drawn(fitted):
    return fitted.sample()


# The table that comes out


@pytest.mark.slow
def test_columns_rows_and_types_are_those_of_the_table(table, drawn):
    assert list(drawn.columns) == list(table.columns)
    assert len(drawn) == len(table)
    pd.testing.assert_series_equal(drawn.dtypes, table.dtypes)
    pd.testing.assert_index_equal(drawn.index, pd.RangeIndex(len(table)))


@pytest.mark.slow
def test_category_lists_come_back_whole_and_in_order(drawn):
    assert drawn["category"].cat.categories.tolist() == ["r", "q", "p"]
    assert not drawn["category"].cat.ordered
    assert drawn["ordered"].cat.categories.tolist() == ["lo", "mid", "hi", "top"]
    assert drawn["ordered"].cat.ordered
    assert "r" not in set(drawn["category"]) and "top" not in set(drawn["ordered"])


def test_values_are_ones_that_the_column_can_take(table, drawn):
    for name in ("text", "holed text", "category", "ordered", "bool", "boolean"):
        assert set(drawn[name].dropna()) <= set(table[name].dropna())
    assert (drawn["integer"] % 5 == 0).all()
    assert (np.round(drawn["money"], 2) == drawn["money"]).all()
    assert all(
        type(v) is Decimal and v.as_tuple().exponent == -2 for v in drawn["decimal"]
    )
    assert {type(v).__name__ for v in drawn["date"]} == {"date"}
    assert (drawn["day"].dropna() == drawn["day"].dropna().dt.normalize()).all()


def test_booleans_are_booleans(drawn):
    assert drawn["bool"].dtype == bool and set(drawn["bool"]) == {False, True}
    assert set(drawn["boolean"].dropna()) == {False, True}


def test_only_columns_with_holes_have_holes(table, drawn):
    for name in table:
        assert drawn[name].isna().any() == table[name].isna().any(), name


@pytest.mark.slow
def test_nothing_is_outside_the_bounds(table, schema):
    names = "small integer money real single day zoned date decimal".split()
    drawn = synthesizer(k=10).fit(table, schema).sample(3000, random_state=4)
    for name in ["holed integer", *names]:
        assert drawn[name].min() >= table[name].min(), name
        assert drawn[name].max() <= table[name].max(), name


@pytest.mark.parametrize("binning", ["heaped", "quantile"])
def test_bounds_given_are_kept(binning):
    table = pd.DataFrame({"age": np.random.default_rng(0).integers(20, 60, 400)})
    schema = infer_schema(table)
    (column,) = schema.columns
    column = type(column)(name="age", kind="integer", bounds=(0, 99), treatment="keep")
    fitted = synthesizer(binning=binning).fit(table, type(schema)((column,)))
    drawn = fitted.sample(2000)["age"]
    assert drawn.between(0, 99).all() and drawn.between(20, 59).mean() > 0.8
    assert fitted.model_.coding.schema["age"].bounds == (0, 99)


# What is kept of the table


@pytest.mark.slow
def test_each_part_has_its_share(table, fitted):
    coding = fitted.model_.coding
    real = table
    if fitted.within != "trees":  # whose atoms hold rare numbers
        real = release_values(table, infer_schema(table), 10).frame
    share = [np.bincount(c) / len(table) for c in coding.encode(real).T]
    many = coding.encode(fitted.sample(20_000, random_state=1)).T
    for name, real, codes in zip(coding.names, share, many, strict=True):
        synthetic = np.bincount(codes, minlength=len(real)) / 20_000
        # Exact in expectation for marginals="cluster"; the grid moves shares a little.
        assert np.abs(real - synthetic).sum() / 2 < 0.08, name


@pytest.mark.slow
def test_each_part_has_exactly_its_share_by_cluster(table, schema):
    fitted = synthesizer(k=10, marginals="cluster").fit(table, schema)
    coding, n_clusters = fitted.model_.coding, len(fitted.model_.dendrogram.row_sizes)
    real = coding.encode(table).T
    synthetic = coding.encode(fitted.sample()).T
    for one, two in zip(real, synthetic, strict=True):
        m = max(one.max(), two.max()) + 1
        difference = np.bincount(one, minlength=m) - np.bincount(two, minlength=m)
        assert np.abs(difference).max() <= n_clusters


def test_groups_are_kept(table, drawn):
    def agree(frame):
        return (
            (frame["text"].map({"b": "lo", "a": "mid", "c": "hi"}))
            .eq(frame["ordered"].astype("str"))
            .mean()
        )

    assert agree(table) == 1.0 and agree(drawn) > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("marginals", ["grid", "cluster"])
@pytest.mark.parametrize("share", [0.15, 0.6, 0.97])
def test_the_share_of_zeros_comes_back(marginals, share, rng):
    gain = np.where(rng.random(1000) < share, 0, rng.integers(1, 10**6, 1000))
    table = pd.DataFrame({"gain": gain, "side": np.array(["l", "r"])[gain % 2]})
    drawn = synthesizer(marginals=marginals).fit(table).sample()
    # The frequencies inside clusters add up; equations 3.1-3.8 only nearly so.
    close = 0.002 if marginals == "cluster" else 0.02
    assert abs((drawn["gain"] == 0).mean() - (gain == 0).mean()) < close
    heaped = table["gain"].where(table["gain"] > 0, 777)
    drawn = synthesizer(marginals=marginals).fit(table.assign(gain=heaped)).sample()
    assert abs((drawn["gain"] == 777).mean() - (heaped == 777).mean()) < close


def test_marginals_agree_where_they_must(rng):
    # One cluster: the grid knows no more than the table's frequencies either way.
    table = pd.DataFrame(
        {"a": rng.choice(list("xyz"), 99), "b": rng.choice([0, 1], 99)}
    )
    one, two = (synthesizer(marginals=m, k=99).fit(table) for m in ("grid", "cluster"))
    np.testing.assert_allclose(
        one.model_.part_probabilities(marginals="grid"),
        two.model_.part_probabilities(marginals="cluster"),
        rtol=1e-12,
    )
    pd.testing.assert_frame_equal(one.sample(), two.sample())


@pytest.mark.slow
def test_the_grid_tells_less_than_the_clusters(table, schema):
    grid = synthesizer().fit(table, schema).model_
    cluster = synthesizer(marginals="cluster").fit(table, schema).model_
    assert grid.cluster_parts is None
    assert cluster.cluster_parts.shape == (
        len(cluster.dendrogram.row_sizes),
        len(cluster.part_counts),
    )
    np.testing.assert_array_equal(
        cluster.cluster_parts.sum(axis=0), cluster.part_counts
    )


# How many rows, and from which grid


@pytest.mark.parametrize("n", [1, 2, 7, 1000])
def test_any_number_of_rows(fitted, n):
    assert len(fitted.sample(n)) == n


@pytest.mark.parametrize("n", [0, -1, 2.0, True, "5"])
def test_no_such_number_of_rows(fitted, n):
    with pytest.raises(ParameterError, match="Expected n to be a whole number from 1"):
        fitted.sample(n)


@pytest.mark.slow
def test_k_is_the_size_of_clusters(table, schema, fitted):
    sizes = {}
    for k in (1, 10, 60, 120, 240):
        model = synthesizer(k=k).fit(table, schema).model_
        assert model.smallest_cluster >= k and model.n_individuals == 240
        sizes[k] = len(model.dendrogram.row_sizes)
    assert sizes[10] > sizes[60] >= sizes[120] >= sizes[240] == 1
    # Clusters of one individual would be the table itself: k = 1 asks for nothing.
    assert sizes[1] == len(fitted.coclustering_.grid_.row_sizes)


def test_the_default_k_follows_the_number_of_individuals():
    sizes = {1: 1, 7: 7, 10: 10, 199: 10, 200: 10, 240: 12, 1999: 99, 2000: 100}
    for n_individuals, k in (sizes | {10**7: 100}).items():
        assert default_k(n_individuals) == k


@pytest.mark.slow
def test_clusters_hold_the_default_k():
    # Columns that all follow one number: small clusters are worth their cost.
    number = np.random.default_rng(0).permutation(400)
    table = pd.DataFrame({f"c{step}": number // step for step in range(10, 20)})
    with pytest.warns(DataWarning, match="clusters of 20 individuals or more"):
        best = synthesizer(k=1, bins=40).fit(table)
    assert best.model_.smallest_cluster < 20
    fitted = synthesizer(bins=40).fit(table)
    assert fitted.k is None and fitted.k_ == 20
    assert fitted.model_.smallest_cluster >= 20


@pytest.mark.slow
@pytest.mark.parametrize("k", [10, 100])
def test_without_time_there_is_a_grid_of_clusters_of_k(table, schema, k):
    fitted = synthesizer(k=k, n_iterations=50, time_limit=1e-9).fit(table, schema)
    assert fitted.coclustering_.n_iter_ == 1
    assert fitted.coclustering_.grid_.cost < fitted.model_.dendrogram.null_cost
    assert "search" in fitted.cut_short_
    assert fitted.cut_short_ == ("search", "splits")
    assert fitted.model_.smallest_cluster >= k
    assert synthesizer(k=k).fit(table, schema).cut_short_ == ()


@pytest.mark.slow
def test_k_at_sampling_is_k_at_fitting(table, schema):
    early = synthesizer(k=100).fit(table, schema).sample(50, random_state=3)
    late = synthesizer().fit(table, schema).sample(50, k=100, random_state=3)
    pd.testing.assert_frame_equal(early, late)


@pytest.mark.parametrize("k", [0, -3, 2.5, True])
def test_no_such_k(table, fitted, k):
    with pytest.raises(ParameterError, match="Expected k to be a whole number from 1"):
        synthesizer(k=k).fit(table)
    with pytest.raises(ParameterError, match="Expected k to be a whole number from 1"):
        fitted.sample(k=k)


def test_k_above_the_number_of_rows(table, fitted):
    with pytest.raises(ParameterError, match=r"number of rows, 240\. Received 241"):
        synthesizer(k=241).fit(table)
    with pytest.raises(ParameterError, match=r"from 10 to 240\. Received 241"):
        fitted.sample(k=241)


# Seeds


@pytest.mark.slow
def test_equal_seeds_give_equal_rows(table, schema, fitted, drawn):
    again = synthesizer(k=10, within=fitted.within).fit(table, schema)
    pd.testing.assert_frame_equal(again.sample(), drawn)
    pd.testing.assert_frame_equal(fitted.sample(), drawn)
    one, two = (fitted.sample(random_state=np.random.SeedSequence(9)) for _ in range(2))
    pd.testing.assert_frame_equal(one, two)
    assert not one.equals(drawn)


def test_a_generator_goes_on(fitted, rng):
    one, two = fitted.sample(20, random_state=rng), fitted.sample(20, random_state=rng)
    assert not one.equals(two)


@pytest.mark.noise
def test_no_seed_is_another_table_each_time(fitted, tmp_path):
    """Fifty rows of real numbers are drawn twice once in more than 10^100 times."""
    fitted.save(tmp_path / "m")
    free = CoclusterSynthesizer.load(tmp_path / "m")
    assert not free.sample(50).equals(free.sample(50))


def test_rows_come_in_random_order(drawn):
    # 240 rows of three groups: sorted by cluster there would be 2 changes.
    changes = (drawn["text"] != drawn["text"].shift()).sum()
    assert changes > 100


# Small and awkward tables


@pytest.mark.parametrize("k", [None, 1, 2])
def test_two_rows(k):
    table = pd.DataFrame({"a": [1.5, 2.5], "b": ["x", "y"], "c": [True, False]})
    with pytest.warns(DataWarning, match="Expected 10 individuals or more. Received 2"):
        drawn = synthesizer(k=k).fit(table).sample(50)
    assert drawn["a"].between(1.5, 2.5).all()
    # With k = 1 a value that one person has is not rare.
    assert set(drawn["b"]) <= ({"x", "y"} if k == 1 else {"(other)"})
    pd.testing.assert_series_equal(drawn.dtypes, table.dtypes)


def test_a_table_too_short():
    for rows in (0, 1):
        with pytest.raises(TableError, match="two rows"):
            synthesizer().fit(pd.DataFrame({"a": [1] * rows}))


def test_constant_and_empty_columns_are_kept_with_a_warning():
    table = pd.DataFrame(
        {
            "one": [7] * 30,
            "word": ["same"] * 30,
            "nothing": [np.nan] * 30,
            "none": pd.Series([None] * 30, dtype="str"),
            "side": list("lr") * 15,
        }
    )
    with pytest.warns(DataWarning, match="'one', 'word', 'nothing', 'none'") as caught:
        fitted = synthesizer().fit(table)
    assert len(caught) == 1
    drawn = fitted.sample(40)
    assert (drawn["one"] == 7).all() and (drawn["word"] == "same").all()
    assert drawn["nothing"].isna().all() and drawn["none"].isna().all()
    pd.testing.assert_series_equal(drawn.dtypes, table.dtypes)


def test_identifiers_are_refused_until_decided():
    table = pd.DataFrame({"id": range(5000, 5060), "side": list("lr") * 30})
    schema = infer_schema(table)
    assert schema.undecided == ("id",)
    with pytest.raises(SchemaError, match=r"'id' \(looks like an identifier"):
        synthesizer().fit(table)
    with pytest.raises(SchemaError, match="'id'"):
        synthesizer().fit(table, schema)
    assert list(synthesizer().fit(table, schema.drop("id")).sample(3)) == ["side"]
    assert list(synthesizer().fit(table, schema.keep("id")).sample(3)) == ["id", "side"]


def test_a_table_in_a_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("age,job\n" + "20,cook\n40,?\n30,nurse\n40,?\n" * 10)
    drawn = synthesizer().fit(path).sample()
    assert len(drawn) == 40 and drawn["job"].isna().sum() == 20
    pd.testing.assert_frame_equal(drawn, synthesizer().fit(*read_table(path)).sample())


@pytest.mark.slow
@pytest.mark.parametrize("binning", ["heaped", "quantile", "width"])
@pytest.mark.parametrize("marginals", ["grid", "cluster"])
def test_binnings(table, schema, binning, marginals):
    fitted = synthesizer(binning=binning, bins=4, marginals=marginals)
    drawn = fitted.fit(table, schema).sample(100)
    assert drawn.shape == (100, table.shape[1])


def gap():
    """Two far apart groups of ages: intervals of equal width between them are empty."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 400)
    age = np.where(group == 0, rng.integers(0, 10, 400), rng.integers(900, 1000, 400))
    return pd.DataFrame({"age": age, "side": np.array(["l", "r"])[group]})


def test_empty_intervals_by_cluster_are_never_drawn():
    fitted = synthesizer(binning="width", marginals="cluster").fit(gap())
    drawn = fitted.sample()
    assert not drawn["age"].between(100, 890).any()
    assert ((drawn["age"] > 500) == (drawn["side"] == "r")).all()


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_empty_intervals_are_never_drawn():
    table = gap()
    fitted = synthesizer(binning="width").fit(table)
    probabilities = fitted.model_.part_probabilities(marginals="grid")
    assert not np.isnan(probabilities).any()
    assert (probabilities[:, fitted.model_.part_counts == 0] == 0).all()
    drawn = fitted.sample()
    assert abs((drawn["age"] > 500).mean() - (table["age"] > 500).mean()) < 0.05


# Parameters


@pytest.mark.parametrize(
    "options, message",
    [
        ({"marginals": "grids"}, "marginals to be one of 'grid', 'cluster'"),
        ({"cut": "best"}, "cut to be one of 'uneven', 'even'"),
        ({"n_iterations": 0}, "n_iterations"),
        ({"time_limit": -1}, "time_limit"),
        ({"bins": 0}, "bins"),
        ({"binning": "none"}, "'none'"),
    ],
)
def test_parameters_out_of_range(options, message):
    with pytest.raises(ParameterError, match=message):
        synthesizer(**options).fit(gap())


def test_before_a_fit(tmp_path):
    for use in (synthesizer().sample, lambda: synthesizer().save(tmp_path / "m")):
        with pytest.raises(NotFittedError, match="Call fit first"):
            use()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_marginals_that_the_model_does_not_hold(table, schema, tmp_path):
    fitted = synthesizer(k=10).fit(table, schema)
    fitted.save(tmp_path / "m")
    loaded = CoclusterSynthesizer.load(tmp_path / "m", random_state=0)
    loaded.marginals = "cluster"
    with pytest.raises(ParameterError, match="Fit it again"):
        loaded.sample(3)


@pytest.mark.parametrize("option", [{"marginals": "cluster"}, {"cut": "even"}])
def test_some_options_are_of_independent_variables(table, schema, option):
    asked = synthesizer(within="trees", **option)
    with pytest.raises(ParameterError, match="Leave one of them out"):
        asked.fit(table, schema)


@pytest.mark.slow
def test_an_uneven_cut_keeps_more_of_the_table(table, schema, tmp_path):
    """Beyond the size of the smallest cluster of the best grid."""
    even, uneven = (
        synthesizer(k=90, cut=cut).fit(table, schema) for cut in ("even", "uneven")
    )
    shapes = [fitted.model_.dendrogram.cells.shape for fitted in (even, uneven)]
    assert min(fitted.model_.smallest_cluster for fitted in (even, uneven)) >= 90
    assert shapes[0][0] <= shapes[1][0] and shapes[0][1] < shapes[1][1]
    for fitted in (even, uneven):
        fitted.save(tmp_path / "m", force=True)
        loaded = CoclusterSynthesizer.load(tmp_path / "m", random_state=0)
        assert loaded.cut == fitted.cut
        coarse = loaded.model_.coarsened(120)
        assert coarse.smallest_cluster >= 120 and coarse.cut == fitted.cut
        pd.testing.assert_frame_equal(loaded.sample(k=120), fitted.sample(k=120))


def test_a_fit_that_fails_before_the_search_leaves_the_last_one(table, schema, fitted):
    again = synthesizer().fit(gap())
    with pytest.raises(SchemaError):
        again.fit(table, schema.drop(*schema.names))
    assert list(again.sample(2)) == ["age", "side"]


# The saved file


@pytest.mark.slow
@pytest.mark.parametrize("marginals", ["grid", "cluster"])
def test_a_loaded_model_draws_the_same_rows(table, schema, tmp_path, marginals):
    fitted = synthesizer(marginals=marginals).fit(table, schema)
    fitted.save(tmp_path / "m")
    loaded = CoclusterSynthesizer.load(tmp_path / "m", random_state=0)
    assert loaded.marginals == marginals and not hasattr(loaded, "coclustering_")
    for options in ({}, {"n": 77}, {"k": 100}, {"n": 5, "random_state": 12}):
        pd.testing.assert_frame_equal(
            fitted.sample(**options), loaded.sample(**options)
        )
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def test_files_that_cannot_be_read_or_written(fitted, tmp_path):
    with pytest.raises(ModelFileError, match="no such file"):
        CoclusterSynthesizer.load(tmp_path / "m")
    with pytest.raises(OutputError):
        fitted.save(tmp_path / "none" / "m")


def numbers_in(content):
    if isinstance(content, dict):
        content = list(content.values())
    if isinstance(content, list):
        return [number for item in content for number in numbers_in(item)]
    is_number = isinstance(content, (int, float)) and not isinstance(content, bool)
    return [content] if is_number else []


def arrays_in(content):
    """Lengths of all lists of a JSON document."""
    if isinstance(content, dict):
        return [n for item in content.values() for n in arrays_in(item)]
    if isinstance(content, list):
        return [len(content), *(n for item in content for n in arrays_in(item))]
    return []


@pytest.mark.slow
@pytest.mark.parametrize("marginals", ["grid", "cluster"])
@pytest.mark.parametrize("binning", ["heaped", "quantile", "width"])
def test_the_saved_file_holds_no_record(tmp_path, marginals, binning):
    n = 600
    rng = np.random.default_rng(7)
    group = rng.integers(0, 4, n)
    table = pd.DataFrame(
        {
            "job": np.array(["cook", "nurse", "smith", "clerk"])[group],
            "town": rng.choice(["Paris", "Lyon", "Brest"], n),
            # Unique, and no two next to each other on their grid.
            "wage": 7_000_003 + 1009 * rng.permutation(n) + rng.integers(0, 500, n),
            "score": rng.normal(group, 1.0),
            "debt": 1e6 * rng.random(n),
        }
    )
    unique = {name: set(table[name].tolist()) for name in ("wage", "score", "debt")}
    assert all(len(values) == n for values in unique.values())
    schema = infer_schema(table)
    schema = schema.keep(*schema.undecided)
    options = {"marginals": marginals, "binning": binning, "n_iterations": 12}
    fitted = synthesizer(**options).fit(table, schema)
    assert len(fitted.model_.dendrogram.row_sizes) > 1
    coding = TableCoding.learn(table, schema.kept, binning=binning)
    n_distinct = len(coding.distinct_rows(table)[0].counts)
    fitted.save(tmp_path / "m")

    with zipfile.ZipFile(tmp_path / "m") as file:
        members = {name: file.read(name) for name in file.namelist()}
    header = json.loads(members.pop("model.json"))
    numbers, lengths = numbers_in(header), arrays_in(header)
    for content in members.values():
        array = np.load(io.BytesIO(content), allow_pickle=False)
        numbers += array.ravel().tolist()
        lengths += array.shape
    assert not {n, n_distinct} & set(lengths)
    assert max(lengths) < n_distinct
    for name, values in unique.items():
        ends = {min(values), max(values)}
        assert set(numbers) & values <= ends, name
        # Nor as texts, such as the labels of parts.
        texts = json.dumps(header)
        assert not [v for v in values - ends if f"{v!r}" in texts], name
        shown = [f"{v:.10g}" for v in values - ends]
        assert not [text for text in shown if len(text) > 5 and text in texts], name


def test_no_value_can_be_worked_out_from_the_file():
    # 0 and 10 are values that many share, and known; one person has 7.3.
    table = pd.DataFrame({"dose": [0.0] * 500 + [10.0] * 499 + [7.3]})
    schema = Schema((Column(name="dose", kind="real", dtype="float64", missing=()),))
    (parts,) = TableCoding.learn(table, schema).parts
    ends = np.concatenate([[*law.lows, *law.highs] for law in parts.laws])
    mirrored = [2 * end - heap for end in ends for heap in (0.0, 10.0)]
    assert not np.isclose(mirrored, 7.3, rtol=1e-12).any()


def test_columns_left_out_are_not_in_the_file(tmp_path):
    table = gap().assign(name=[f"secret-{i}" for i in range(400)])
    schema = infer_schema(table).drop("name")
    synthesizer().fit(table, schema).save(tmp_path / "m")
    with zipfile.ZipFile(tmp_path / "m") as file:
        content = b"".join(file.read(name) for name in file.namelist())
    assert b"secret" not in content and b'"name": "name"' not in content


def test_no_row_is_copied_more_than_chance_would(tmp_path):
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        {
            "a": rng.normal(size=300),
            "b": rng.integers(0, 10**9, 300),
            "c": rng.random(300),
        }
    )
    schema = infer_schema(table)
    drawn = synthesizer().fit(table, schema.keep(*schema.undecided)).sample(5000)
    for name in table:
        ends = {table[name].min(), table[name].max()}
        assert set(drawn[name]) & set(table[name]) <= ends


@pytest.mark.slow
def test_warnings_are_of_the_data_only(table, schema):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        synthesizer().fit(table, schema).sample(10)


def test_one_seed_sequence_serves_many_samples(fitted):
    seed = np.random.SeedSequence(5)
    first, second = (fitted.sample(240, random_state=seed) for _ in range(2))
    pd.testing.assert_frame_equal(first, second)


def test_parameters_can_be_read_and_cloned():
    cloned = clone(synthesizer(k=7))
    assert cloned.get_params()["k"] == 7
