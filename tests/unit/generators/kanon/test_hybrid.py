"""The k-anonymous generator: what it refuses, and what it does with each column."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from support.anonymizers import COCLUSTERED
from support.releases import class_sizes

from coclust_synth import CoclusterSynthesizer, MODLCoclustering, infer_schema
from coclust_synth.evaluation import information_loss, mean_joint_hellinger
from coclust_synth.exceptions import (
    CoclustSynthError,
    DataWarning,
    ParameterError,
    SchemaError,
)
from coclust_synth.generators.individual_clusters import record_clusters
from coclust_synth.generators.kanon.classes import forming, starting
from coclust_synth.generators.kanon.classes.forming import class_problem, form_classes
from coclust_synth.generators.kanon.classes.starting import _blocks
from coclust_synth.generators.kanon.hybrid import HybridKAnonymizer
from coclust_synth.privacy import (
    AlphaK,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveLDiversity,
    TCloseness,
)
from coclust_synth.tables.generalized import leaf_coding
from coclust_synth.tables.generalized.leaf_coding import MAX_SINGLE, LeafCoding
from coclust_synth.tables.generalized.table import GeneralizedTable
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.people.roles import Roles
from coclust_synth.tables.rows import collapse
from coclust_synth.validation import check_share


def people(n=60, seed=0):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    return pd.DataFrame(
        {
            "job": np.array(["cook", "nurse", "smith"])[group],
            "age": 20 + 10 * group + rng.integers(0, 5, n),
            "ill": np.array(["flu", "cold"])[rng.integers(0, 2, n)],
        }
    )


JOBS = GeneralizationHierarchy.from_lines(
    "job", [("cook", "food", "*"), ("nurse", "care", "*"), ("smith", "metal", "*")]
)
NO_SMITH = GeneralizationHierarchy.from_lines("job", [("cook", "*"), ("nurse", "*")])
QI = dict(quasi_identifiers=["job", "age"])
BOTH = dict(QI, sensitive=["ill"])


@pytest.fixture(scope="module")
def saved():
    """A model that was saved: it knows no rows."""
    synthesizer = CoclusterSynthesizer(k=5, n_iterations=2, random_state=0)
    return synthesizer.fit(people()[["job", "age"]]).model_


# Bad input


@pytest.fixture
def no_search(monkeypatch):
    def fail(*_, **__):
        raise AssertionError("the search began")

    monkeypatch.setattr(MODLCoclustering, "fit", fail)


REFUSED = {
    "k above n": (dict(k=61), ("up to the number of rows, 60", "61", "smaller k")),
    "k of 1": (dict(k=1), ("k to be a whole number from 2", "1", "Choose")),
    "k of half": (dict(k=2.5), ("whole number from 2", "2.5", "Choose")),
    "k of text": (dict(k="5"), ("whole number from 2", "'5'", "Choose")),
    "share": (dict(max_suppressed=1.5), ("share from 0 to 1", "1.5", "0.01")),
    "share of text": (dict(max_suppressed="a"), ("share from 0 to 1", "'a'", "Give")),
    "bins": (dict(bins=0), ("bins to be a whole number", "0", "Choose")),
    "iterations": (dict(n_iterations=0), ("n_iterations to be", "0", "Choose")),
    "seconds": (dict(time_limit=-1), ("positive number of seconds", "-1", "Give")),
    "jobs": (dict(n_jobs=0), ("other than 0", "0", "Give")),
    "seed": (dict(random_state=-1), ("whole number from 0", "-1", "Give")),
    "unknown column": (
        dict(quasi_identifiers=["job", "agee"]),
        ("'job', 'age', 'ill'", "'agee'", "Did you mean 'age'"),
    ),
    "unknown sensitive": (
        dict(QI, sensitive=["il"]),
        ("'job', 'age', 'ill'", "'il'", "Did you mean 'ill'"),
    ),
    "both roles": (
        dict(quasi_identifiers=["job", "ill"], sensitive=["ill"]),
        ("either a quasi-identifier or sensitive", "'ill' as both", "Choose one"),
    ),
    "twice": (
        dict(quasi_identifiers=["job", "job"]),
        ("name each column once", "'job' more than once", "Remove"),
    ),
    "a text": (
        dict(quasi_identifiers="job"),
        ("list of names", "the text 'job'", "Put it in a list"),
    ),
    "no quasi-identifier": (
        dict(quasi_identifiers=[]),
        ("at least one quasi-identifier", "none", "Name the columns"),
    ),
    "others": (dict(others="hide"), ("'drop', 'keep'", "'hide'", "Choose")),
    "sensitive values": (
        dict(BOTH, sensitive_values="hide"),
        ("'keep', 'shuffle', 'class', 'table'", "'hide'", "Choose"),
    ),
    "sensitive values of another": (
        dict(BOTH, sensitive_values={"age": "keep"}),
        ("of the sensitive columns 'ill'", "'age'", "Name it as sensitive"),
    ),
    "model without sensitive": (
        dict(QI, models=[(None, DistinctLDiversity(2))]),
        ("a sensitive column for distinct 2-diversity", "none", "Name the columns"),
    ),
    "model of another": (
        dict(BOTH, models=[("job", AlphaK(0.5))]),
        ("largest share 0.5 on one of the sensitive columns 'ill'", "'job'", "Name it"),
    ),
    "ordered text": (
        dict(BOTH, models=[("ill", TCloseness(0.2, "ordered"))]),
        ("has an order for 0.2-closeness (ordered)", "'ill'", "Declare it ordinal"),
    ),
    "distinct": (
        dict(BOTH, models=[("ill", DistinctLDiversity(3))]),
        ("'ill' can satisfy", "distinct 3-diversity; the whole", "distinct l = 2"),
    ),
    "entropy": (
        dict(BOTH, models=[("ill", EntropyLDiversity(2.5))]),
        ("'ill' can satisfy", "entropy 2.5-diversity; the", "entropy l = 1.9"),
    ),
    "recursive": (
        dict(BOTH, models=[(None, RecursiveLDiversity(2, 3))]),
        ("'ill' can satisfy", "recursive (2, 3)-diversity; the", "c = inf"),
    ),
    "alpha": (
        dict(BOTH, models=[("ill", AlphaK(0.1))]),
        ("'ill' can satisfy", "largest share 0.1; the", "largest share = 0.5"),
    ),
    "presence alone": (
        dict(QI, models=[(None, DeltaPresence(0.1, 0.5))]),
        ("a population with DeltaPresence", "the model alone", "Give both"),
    ),
    "population alone": (
        dict(QI, population=people()),
        ("a population with DeltaPresence", "a population alone", "Give both"),
    ),
    "population of others": (
        dict(
            QI,
            models=[(None, DeltaPresence(0.1, 0.5))],
            population=people()[["job", "ill"]],
        ),
        ("'job', 'age'", "without 'age'", "Give the same columns"),
    ),
    "hierarchy of a leaf less": (
        dict(QI, hierarchies={"job": NO_SMITH}),
        ("'job'", "'smith'", "."),
    ),
    "hierarchy of another": (
        dict(quasi_identifiers=["age"], hierarchies={"job": JOBS}),
        ("hierarchies of the columns 'age'", "'job'", "Leave it out"),
    ),
    "model of another kind": (
        dict(QI, model="people.model"),
        ("a PlainModel or a fitted MODLCoclustering", "type str", "Fit or load"),
    ),
    "unfitted model": (
        dict(QI, model=MODLCoclustering()),
        ("a fitted MODLCoclustering", "MODLCoclustering", "Fit or load"),
    ),
}


def refused(expected, received, advice, **options):
    with pytest.raises(CoclustSynthError) as caught:
        HybridKAnonymizer(**dict(dict(k=5), **options)).fit(people())
    message = str(caught.value)
    parts = re.search("(.*) Received (.*)", message, re.DOTALL)
    assert parts, message
    assert expected in message and received in parts[2] and advice in parts[2], message


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_before_any_search(no_search, case):
    options, parts = REFUSED[case]
    refused(*parts, **options)


@pytest.mark.parametrize("n", [50, 60])
def test_models_of_other_tables_are_refused(n):
    model = MODLCoclustering(n_iterations=1, random_state=0).fit(people(n)[["job"]])
    if n == 50:
        parts = "of 60 rows", "one of 50", "Fit it again"
        refused(*parts, quasi_identifiers=["job"], model=model)
    parts = "'job', 'age'", "without 'age'", "Fit it on a table that has them"
    refused(*parts, model=model, **QI)


def test_coc_refuses_values_that_the_saved_model_has_no_part_for(saved):
    table = people()
    other = table.assign(job=table["job"].replace("cook", "baker"))
    expected = re.escape("'cook', 'nurse', 'smith'. Received 'baker'")
    for method in ("coc", "coc_hg"):
        anonymizer = COCLUSTERED[method](5, model=saved, **QI)
        with pytest.raises(CoclustSynthError, match=expected):
            anonymizer.fit(other)


def test_a_population_is_read_as_the_table_is(tmp_path):
    table = people(60)
    table["job"] = table["job"].map({"cook": "1", "nurse": "2", "smith": "3"})
    everybody = pd.concat([table, table, table])
    everybody.to_csv(tmp_path / "everybody.csv", index=False)  # jobs read as numbers
    asked = dict(QI, models=[(None, DeltaPresence(0, 0.5))], n_iterations=2)
    HybridKAnonymizer(5, population=tmp_path / "everybody.csv", **asked).fit(table)
    everybody["age"] = everybody["age"].astype(str).replace("20", "twenty")
    with pytest.raises(SchemaError, match="'age': expected values of kind integer"):
        HybridKAnonymizer(5, population=everybody, **asked).fit(table)


def test_shares_are_checked():
    for share in (0, 1, 0.5, np.float64(0.1)):
        check_share("share", share)
    for share in (-0.1, 1.1, None, "1", float("nan")):
        with pytest.raises(CoclustSynthError, match=r"share from 0 to 1\. Received"):
            check_share("share", share)


# Saved models on other rows


def test_coc_passes_over_parts_that_no_row_has(saved):
    table = people()
    fewer = table[table["job"] != "cook"]
    for method in ("coc", "coc_hg"):
        release = COCLUSTERED[method](5, model=saved, **QI).fit(fewer).release_
        assert class_sizes(release, ["job", "age"]).min() >= 5
        assert "cook" not in release["job"].leaves


def test_values_unknown_to_a_saved_model_are_released_all_the_same(saved):
    table = people()
    other = table.assign(job=table["job"].replace("cook", "baker"))
    with pytest.warns(DataWarning, match="baker"):
        release = (
            HybridKAnonymizer(5, model=saved, random_state=0, **QI).fit(other).release_
        )
    assert class_sizes(release, ["job", "age"]).min() >= 5
    assert "baker" in release["job"].leaves


@pytest.mark.parametrize("method", ["coc", "coc_hg"])
def test_the_thesis_needs_values_that_the_model_knows(saved, method):
    table = people()
    other = table.assign(job=table["job"].replace("cook", "baker"))
    anonymizer = COCLUSTERED[method](5, model=saved, **QI)
    with pytest.raises(SchemaError, match="Received 'baker'"):
        anonymizer.fit(other)


@pytest.mark.parametrize("method", ["hybrid", "coc", "coc_hg"])
def test_rare_values_that_a_saved_model_pools_are_released(method):
    table = people()
    job = table["job"].astype(object)
    job.iloc[:12] = [f"rare {i % 4}" for i in range(12)]
    table = table.assign(job=job)
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=3, random_state=0)
    model = synthesizer.fit(table).model_
    assert not any("rare 0" in label for label in model.coding.part_labels)
    release = COCLUSTERED[method](5, model=model, **QI).fit(table).release_
    assert class_sizes(release, ["job", "age"]).min() >= 5
    assert "rare 0" in release["job"].leaves


# Roles


def roles(table, quasi_identifiers=None, sensitive=None, others="drop", **of_columns):
    schema = infer_schema(table)
    columns = [replace(c, role=of_columns.get(c.name, c.role)) for c in schema.columns]
    return Roles.of(
        replace(schema, columns=tuple(columns)), quasi_identifiers, sensitive, others
    )


def test_roles_are_settled():
    table = people()
    assert roles(table) == Roles(("job", "age", "ill"), (), (), ())
    assert roles(table, sensitive=["ill"]) == Roles(("job", "age"), ("ill",), (), ())
    assert roles(table, ["age"]) == Roles(("age",), (), (), ("job", "ill"))
    kept = roles(table, ["age"], ["ill"], "keep")
    assert kept == Roles(("age",), ("ill",), ("job",), ())
    # The order is that of the table.
    assert roles(table, ["age", "job"]).quasi_identifiers == ("job", "age")
    # Those of the schema, where nothing is asked.
    said = dict(ill="sensitive", age="quasi-identifier")
    assert roles(table, **said) == Roles(("age",), ("ill",), (), ("job",))
    assert roles(table, ["ill"], **said) == Roles(("ill",), (), (), ("job", "age"))
    # Identifiers are dropped, whatever is asked of others.
    found = roles(table, ["age"], others="keep", job="identifier")
    assert found == Roles(("age",), (), ("ill",), ("job",))


def test_columns_are_released_in_the_order_of_the_table():
    release = HybridKAnonymizer(
        5,
        quasi_identifiers=["age"],
        sensitive=["ill"],
        others="keep",
        n_iterations=1,
        random_state=0,
    ).fit_transform(people())
    assert list(release.to_frame()) == ["job", "age", "ill"]
    assert release.names == ("age",)


# Hierarchies


def test_labels_are_nodes_of_the_hierarchies_given():
    work = GeneralizationHierarchy.from_lines(
        "job",
        [
            ("cook", "service", "*"),
            ("smith", "metal", "*"),
            ("nurse", "service", "*"),
            ("monk", "church", "*"),
        ],
    )
    table = people(100)
    for truthful in (True, False):
        release = HybridKAnonymizer(
            30,
            truthful=truthful,
            hierarchies={"job": work},
            n_iterations=2,
            random_state=0,
            **QI,
        ).fit_transform(table)
        known = {label for level in work.labels for label in level}
        assert set(release["job"].labels) <= known
        assert release["job"].leaves == ("cook", "smith", "nurse", "monk")
        assert class_sizes(release, ["job", "age"]).min() >= 30
        for label, members in zip(
            release["job"].labels, release["job"].members, strict=True
        ):
            level = next(n for n, labels in enumerate(work.labels) if label in labels)
            node = work.labels[level].index(label)
            np.testing.assert_array_equal(members, work.node_of(level) == node)


def test_missing_values_have_a_label_under_a_hierarchy(tmp_path):
    table = people(40)
    table["job"] = table["job"].where(table["job"] != "smith", None)
    work = GeneralizationHierarchy.from_lines(
        "job",
        [("cook", "*"), ("nurse", "*"), ("", "*")],
        leaves=("cook", "nurse", None),
    )
    release = HybridKAnonymizer(
        5, hierarchies={"job": work}, n_iterations=2, random_state=0, **QI
    ).fit_transform(table)
    assert "missing" in release["job"].labels
    release.save(tmp_path / "released.csv")
    loaded = GeneralizedTable.load(tmp_path / "released.csv")
    pd.testing.assert_frame_equal(loaded.to_frame(), release.to_frame())


# Columns of very many values


@pytest.mark.parametrize("with_missing", [True, False])
def test_very_many_numbers_are_coded_by_groups(with_missing, rng):
    n = 3000
    pay = np.round(rng.gamma(2, 100, n), 2)
    table = pd.DataFrame({"pay": pay, "job": np.where(pay > 200, "a", "b")})
    if with_missing:
        table.loc[::50, "pay"] = np.nan
    coding = LeafCoding.learn(table, infer_schema(table))
    group = coding.groups[0]
    assert coding.is_grouped.tolist() == [True, False]
    assert len(coding.leaves[0].leaves) > 1000 > MAX_SINGLE
    # Groups of neighbours, as many as may be, missing apart, rows nearly equal.
    assert (np.diff(group) >= 0).all() and set(np.diff(group)) <= {0, 1}
    assert MAX_SINGLE * 0.9 <= group.max() <= MAX_SINGLE
    if with_missing:
        assert (group == group[-1]).sum() == 1 and coding.leaves[0].leaves[-1] is None
    rows = np.bincount(group, coding.leaves[0].counts)
    if with_missing:
        assert rows[-1] == n / 50
        rows = rows[:-1]
    assert rows.max() <= 2 * (n / MAX_SINGLE)
    leaves = coding.leaves[0].leaves
    assert [leaves[code] for code in coding.leaf_codes[1:50, 0]] == list(
        table["pay"][1:50]
    )


def pays(n=2000):
    """Amounts that hardly two people share, missing here and there, and a job."""
    rng = np.random.default_rng(0)
    pay = np.round(rng.gamma(2, 100, n), 2)
    table = pd.DataFrame({"pay": pay, "job": np.where(pay > 200, "a", "b")})
    table.loc[::50, "pay"] = np.nan
    return table


@pytest.mark.slow
@pytest.mark.parametrize("intervals", [False, True])
def test_labels_of_very_many_numbers_are_of_the_values_of_their_class(intervals):
    table = pays()
    anonymizer = HybridKAnonymizer(
        20, intervals=intervals, n_iterations=2, random_state=0
    )
    release = anonymizer.fit_transform(table)
    assert class_sizes(release, ["pay", "job"]).min() >= 20
    leaves = np.array([leaf or np.nan for leaf in release["pay"].leaves])
    stands_for = set()
    for _, own in table.groupby(anonymizer.classes_)["pay"]:
        values = np.isin(leaves, own)
        if intervals:
            values = (leaves >= own.min()) & (leaves <= own.max())
        values[np.isnan(leaves)] = own.isna().any()
        stands_for.add(tuple(values))
    assert stands_for == set(map(tuple, release["pay"].members))


@pytest.mark.slow
def test_labels_of_more_values_than_fit_are_of_groups(monkeypatch):
    monkeypatch.setattr(leaf_coding, "_MAX_HELD", 1)
    table = pays()
    coding = LeafCoding.learn(table, infer_schema(table))
    release = HybridKAnonymizer(20, n_iterations=2, random_state=0).fit_transform(table)
    starts = np.flatnonzero(np.diff(coding.groups[0])) + 1
    for members in release["pay"].members:
        assert all(len(set(own)) == 1 for own in np.split(members, starts))


# What the classes begin with


@pytest.mark.slow
def test_the_loss_is_less_where_the_first_cut_sees_it(rng):
    """A number of many values, of which a few more lose little, and two yes or no."""
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 98, 3000),
            "sex": rng.choice(["m", "f"], 3000),
            "smokes": rng.choice(["yes", "no"], 3000),
        }
    )
    model = MODLCoclustering(n_iterations=2, random_state=0).fit(table)

    def loss(objective):
        anonymizer = HybridKAnonymizer(
            10, objective=objective, model=model, random_state=0
        )
        return information_loss(anonymizer.fit_transform(table))

    assert loss("both") < 0.6 * loss("distance")
    assert loss("loss") < 0.6 * loss("distance")


def test_an_objective_is_one_of_three():
    with pytest.raises(ParameterError, match="Expected objective to be one of 'both'"):
        HybridKAnonymizer(10, objective="nearest").fit(pays())


def test_codes_of_another_table():
    table = pd.DataFrame(
        {"a": ["x", None, "y"], "b": [1, 5, 5], "c": pd.to_datetime(["2024-01-01"] * 3)}
    )
    with pytest.warns(DataWarning):
        coding = LeafCoding.learn(table, infer_schema(table).keep("a", "b", "c"))
    other = pd.DataFrame(
        {
            "b": [5, 2, 1],
            "c": pd.to_datetime(["2024-01-01", "2024-01-01", "2025-01-01"]),
            "a": ["z", None, "y"],
        }
    )
    found = coding.population_codes(other)
    # x, y, missing; 1, 5; the day.
    assert found.tolist() == [[-1, 4, 5], [2, -1, 5], [1, 3, -1]]


def test_equal_rows_of_two_clusters_leave_none_below_k():
    """Clusters of three; equal rows go where the first is, and too few to the rest."""
    table = pd.DataFrame({"a": [0, 0, 1, 1, 1, 1]})
    coding = LeafCoding.learn(table, infer_schema(table))
    clusters = np.array([0, 1, 1, 0, 0, 1])
    assert record_clusters(clusters, coding, 2).tolist() == [0, 1]
    assert record_clusters(clusters, coding, 3).tolist() == [1, 1]


# Classes of k where equal rows, or k, are very many


def test_few_rows_join_very_many_equal_ones():
    table = pd.DataFrame({"a": ["x"] * 10_000 + ["y"] * 3})
    release = HybridKAnonymizer(5, n_iterations=1, random_state=0).fit_transform(table)
    assert release.class_sizes.tolist() == [10_003]


@pytest.mark.parametrize("k", [5, 4000, 8000, 8192, 8193, 9000, 20_000])
def test_blocks_of_records_hold_k(k):
    rng = np.random.default_rng(k)
    weight = np.minimum(rng.geometric(1 / 40, 2000), k - 1)
    weight[rng.integers(0, 2000, 5)] = k - 1
    members = rng.permutation(2000)
    blocks = _blocks(members, weight, k)
    np.testing.assert_array_equal(np.concatenate(blocks), members)
    assert min(weight[block].sum() for block in blocks) >= k


def test_classes_of_more_rows_than_a_block(rng):
    records, _ = collapse(rng.integers(0, 9, (18_000, 2)), [9, 9])
    k = 8500
    problem = class_problem(
        records, k, is_interval=np.array([False, True]), is_truthful=np.zeros(2, bool)
    )
    formed = form_classes(problem, np.zeros(len(records.counts), dtype=int), seed=0)
    sizes = np.bincount(formed.label, records.counts)
    assert sizes.tolist() and sizes.min() >= k


def test_dates_read_as_their_file_writes_them_and_missing_by_its_mark():
    table = pd.DataFrame(
        {
            "born": pd.to_datetime(["1981-03-03", "1981-04-19", None] * 4),
            "sex": ["F", "M", "M"] * 4,
        }
    )
    release = HybridKAnonymizer(4, n_iterations=2, random_state=0).fit_transform(table)
    shown = set(release.to_frame()["born"])
    assert shown == {"1981-03-03", "1981-04-19", "missing"}


def test_a_model_of_more_columns_serves_some_of_them():
    table = people().assign(more=lambda frame: frame.index % 5)
    schema = infer_schema(table)
    names = [name for name in table.columns if name != "more"]
    kept = schema.keep(*table.columns)
    model = CoclusterSynthesizer(n_iterations=2, random_state=0).fit(table, kept).model_
    release = HybridKAnonymizer(5, quasi_identifiers=names, model=model).fit_transform(
        table, kept
    )
    assert release.class_sizes.min() >= 5 and set(release.names) == set(names)


def test_more_counts_than_fit_in_memory_are_refused(monkeypatch):
    monkeypatch.setattr("coclust_synth.generators.kanon.coclustered._MAX_COUNTS", 100)
    with pytest.raises(CoclustSynthError, match=r"values\. Leave it out"):
        HybridKAnonymizer(2, n_iterations=1).fit(people())


@pytest.mark.noise
def test_shuffled_values_have_no_seed():
    """Two runs shuffle 60 different values alike once in 10^81 times."""
    table = pd.DataFrame({"sex": ["F", "M"] * 30, "pay": range(60), "debt": range(60)})
    schema = infer_schema(table).keep("pay", "debt")
    made = [
        HybridKAnonymizer(
            60,
            quasi_identifiers=["sex"],
            sensitive=["pay", "debt"],
            sensitive_values="shuffle",
            n_iterations=1,
            random_state=0,
        )
        .fit_transform(table, schema)
        .to_frame()
        for _ in range(2)
    ]
    assert not made[0].equals(made[1])
    assert sorted(made[0]["debt"]) == sorted(made[1]["debt"]) == list(range(60))


# Models


@pytest.mark.slow
def test_a_small_k_loses_no_more_than_a_large_one_under_a_model():
    """Merged until it holds, classes of three rows would be larger than need be."""
    rng = np.random.default_rng(1)
    town = rng.integers(0, 40, 1500)
    table = pd.DataFrame(
        {
            "town": town,
            "age": rng.integers(20, 60, 1500),
            "ill": (town + rng.integers(0, 30, 1500)) % 60,
        }
    )
    model = MODLCoclustering(n_iterations=2, random_state=0).fit(table[["town", "age"]])

    def loss(k):
        anonymizer = HybridKAnonymizer(
            k,
            quasi_identifiers=["town", "age"],
            sensitive=["ill"],
            models=[("ill", TCloseness(0.25))],
            model=model,
            random_state=0,
        )
        return information_loss(anonymizer.fit_transform(table))

    assert loss(3) <= loss(192) < 0.6


# Columns of very many values


def residents(n=1200):
    """Pay that hardly anybody shares, and columns that go with nothing."""
    rng = np.random.default_rng(0)
    columns = {"pay": rng.lognormal(8, 1, n).round(2)}
    for name, size in (("town", 200), ("job", 3), ("sex", 2)):
        columns[name] = rng.choice([f"{name} {i}" for i in range(size)], n)
    return pd.DataFrame(columns)


@pytest.mark.slow
def test_different_values_are_no_reason_to_mix_other_columns(monkeypatch):
    table = residents()
    coarse = table.assign(pay=table["pay"] // 1000)
    repeats = LeafCoding.learn(table, infer_schema(table)).repeats
    assert repeats.tolist() == pytest.approx([0.1, 1, 1, 1], abs=0.02)
    assert LeafCoding.learn(coarse, infer_schema(coarse)).repeats.tolist() == [1] * 4

    def distance(**options):
        anonymizer = HybridKAnonymizer(k=5, n_iterations=2, random_state=0, **options)
        return mean_joint_hellinger(table, anonymizer.fit(table).release_)

    def from_clusters(problem, clusters, objective):
        worth = starting.cut_worth(problem, objective)
        return [starting._first_classes(problem, clusters, worth)]

    monkeypatch.setattr(forming, "first_labels", from_clusters)
    found = [distance(), distance(intervals=True)]
    monkeypatch.setattr(forming, "_influence", lambda repeats, k: np.ones(len(repeats)))
    near = [distance(), distance(intervals=True)]
    assert found[0] < 0.98 * near[0]
    # Labels that are wider than the values of a class want these near each other.
    assert found[1] == near[1]
