"""Mondrian: against the paper's example, against its description, and bad input."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import mondrian as naive
from support.examples import examples
from support.hierarchies import hierarchy_lines
from support.releases import class_sizes, covered, mixed_table

from coclust_synth.baselines import class_labels
from coclust_synth.baselines.mondrian.anonymizer import MondrianAnonymizer
from coclust_synth.exceptions import CoclustSynthError
from coclust_synth.privacy import (
    AlphaK,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveLDiversity,
    TCloseness,
)
from coclust_synth.tables.column import Column
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.reading.infer import infer_schema
from coclust_synth.tables.schema import Schema

# LeFevre, DeWitt and Ramakrishnan (2006), figure 1.
PATIENTS = pd.DataFrame(
    {
        "age": [25, 25, 26, 27, 27, 28],
        "sex": ["Male", "Female", "Male", "Male", "Female", "Male"],
        "zip": [53711, 53712, 53711, 53710, 53712, 53711],
        "ill": ["flu", "hepatitis", "bronchitis", "broken arm", "aids", "hang nail"],
    }
)
QI = ["job", "age", "pay", "away", "day", "size"]
JOBS = GeneralizationHierarchy.from_lines(
    "job",
    [
        ("cook", "food", "*"),
        ("baker", "food", "*"),
        ("nurse", "care", "*"),
        ("smith", "metal", "*"),
    ],
)


def partition(classes):
    return {frozenset(np.flatnonzero(classes == own)) for own in np.unique(classes)}


def test_the_example_of_the_paper():
    release = MondrianAnonymizer(k=2, sensitive=["ill"]).fit_transform(PATIENTS)
    found = release.to_frame().set_index("ill").loc[PATIENTS["ill"]]
    assert found.agg(list, axis=1).tolist() == [
        ["[25, 26]", "Male", "53711"],
        ["[25, 27]", "Female", "53712"],
        ["[25, 26]", "Male", "53711"],
        ["[27, 28]", "Male", "[53710, 53711]"],
        ["[25, 27]", "Female", "53712"],
        ["[27, 28]", "Male", "[53710, 53711]"],
    ]


def test_values_of_the_median_go_where_there_is_room_for_more_classes():
    values = [1] * 5 + [2] * 4 + [3] * 8  # the median is 2: 5 | 12 or 9 | 8 rows
    # At k = 4 both have room for four classes.
    anonymizer = MondrianAnonymizer(k=4).fit(pd.DataFrame({"x": values}))
    assert sorted(map(len, partition(anonymizer.classes_))) == [4, 5, 8]
    # At k = 5 the first has room for 1 + 2 classes, the second for 1 + 1.
    anonymizer = MondrianAnonymizer(k=5).fit(pd.DataFrame({"x": values}))
    assert sorted(map(len, partition(anonymizer.classes_))) == [5, 12]


def test_relaxed_deals_ties_to_both_sides():
    table = pd.DataFrame({"x": [1, 2, 2, 2, 2, 2, 2, 3], "y": list("aaaabbbb")})
    strict = MondrianAnonymizer(k=4, quasi_identifiers=["x"]).fit(table)
    relaxed = MondrianAnonymizer(k=4, quasi_identifiers=["x"], relaxed=True).fit(table)
    assert strict.release_.to_frame()["x"].tolist() == ["*"] * 8
    assert relaxed.release_.to_frame()["x"].tolist() == ["[1, 2]"] * 4 + ["[2, 3]"] * 4


def test_values_of_equal_means_are_in_their_own_order():
    """p, r and s have the mean 2.1, which sums of floats do not give alike."""
    table = pd.DataFrame(
        {"x": list("pppqqrrss"), "y": [2.0, 2.2, 2.1, 9.3, 9.1, 1.9, 2.3, 2.1, 2.1]}
    )
    options = dict(split="lsd", target="y", quasi_identifiers=["x"])
    classes = MondrianAnonymizer(k=2, **options).fit(table).classes_
    assert partition(classes) == {
        *(frozenset([0, 1, 2]), frozenset([3, 4]), frozenset([5, 6])),
        frozenset([7, 8]),
    }
    classes = MondrianAnonymizer(k=4, **options).fit(table).classes_
    # q first, then p, r, s: the first cut that both sides hold four at.
    assert partition(classes) == {frozenset(range(5)), frozenset(range(5, 9))}


def test_missing_values_are_parted_first():
    """As far from all values as can be: width 1, and one side of the cut."""
    table = pd.DataFrame({"x": [1.0, 2, 3, None, None, None, None]})
    release = MondrianAnonymizer(k=3).fit_transform(table)
    labels = release.to_frame()["x"].value_counts().to_dict()
    assert labels == {"[1.0, 3.0]": 3, "missing": 4}


def test_a_hierarchy_is_cut_into_its_children():
    jobs = ["cook", "baker", "nurse", "smith", "smith", "cook", "nurse"]
    table = pd.DataFrame({"job": jobs})
    release = MondrianAnonymizer(k=2, hierarchies={"job": JOBS}).fit_transform(table)
    labels = release.to_frame()["job"].value_counts().to_dict()
    assert labels == {"food": 3, "nurse": 2, "smith": 2}
    # One smith alone: the root has no cut whose sides all hold two.
    release = MondrianAnonymizer(k=2, hierarchies={"job": JOBS}).fit_transform(
        table[:4]
    )
    assert release.to_frame()["job"].tolist() == ["*"] * 4


def test_information_gain_cuts_what_tells_of_the_target():
    table = pd.DataFrame(
        {
            "wide": [0, 9, 1, 8, 2, 7, 3, 6],
            "tells": [1, 1, 1, 1, 1, 2, 2, 2],
            "ill": list("nnnnnyyy"),
        }
    )
    names = dict(quasi_identifiers=["wide", "tells"], sensitive=["ill"])
    anonymizer = MondrianAnonymizer(k=3, split="infogain", target="ill", **names)
    assert partition(anonymizer.fit(table).classes_) == {
        frozenset(range(5)),
        frozenset(range(5, 8)),
    }


def test_least_deviance_cuts_what_tells_of_the_target():
    table = pd.DataFrame(
        {
            "wide": [0, 9, 1, 8, 2, 7, 3, 6],
            "job": ["cook", "nurse", "cook", "smith"] * 2,
            "pay": [10.0, 99, 11, 98, 12, None, 13, 96],
        }
    )
    names = dict(quasi_identifiers=["wide", "job"])
    anonymizer = MondrianAnonymizer(k=4, split="lsd", target="pay", **names)
    assert partition(anonymizer.fit(table).classes_) == {
        frozenset([0, 2, 4, 6]),
        frozenset([1, 3, 5, 7]),
    }


# Against the description

TREE = [("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("d", "z", "*")]


@st.composite
def tables(draw):
    """Rows of up to four columns: of each kind, some missing."""
    n = draw(st.integers(2, 40))
    kinds = draw(st.lists(st.sampled_from(["ordered", "nominal", "tree"]), max_size=4))
    columns = []
    for kind in kinds or ["ordered"]:
        if kind == "tree":
            lines = draw(hierarchy_lines(st.sampled_from("abcdef"), max_leaves=5))
            values = [line[0] for line in lines]
        else:
            some = (
                [1, 2, 4, 8, None] if kind == "ordered" else ["p", "q", "r", "s", None]
            )
            values, lines = some, None
        cells = draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))
        columns.append((kind, cells, lines))
    return columns


def public_and_naive(columns, seed):
    """A frame, schema and hierarchies, and the same for the naive twin."""
    frame, kinds, hierarchies, content = {}, [], {}, []
    for j, (kind, cells, lines) in enumerate(columns):
        name = f"c{j}"
        if kind == "tree":
            hierarchies[name] = GeneralizationHierarchy.from_lines(name, lines)
            content.append((kind, lines))
        else:
            present = sorted({v for v in cells if v is not None})
            content.append((kind, [*present, *[None] * (None in cells)]))
        kinds.append(
            Column(name=name, kind="integer" if kind == "ordered" else "categorical")
        )
        frame[name] = pd.array(cells, dtype="Int64" if kind == "ordered" else "object")
    rng = np.random.default_rng(seed)
    n = len(cells)
    frame["word"] = rng.choice(["u", "v", "w"], n).astype(object)
    frame["number"] = rng.integers(0, 9, n).astype(float)
    kinds += [
        Column(name="word", kind="categorical"),
        Column(name="number", kind="real"),
    ]
    names = [f"c{j}" for j in range(len(columns))]
    rows = list(zip(*(cells for _, cells, _ in columns), strict=True))
    return pd.DataFrame(frame), Schema(tuple(kinds)), names, hierarchies, rows, content


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Expected columns of at least two values")
@given(
    tables(),
    st.integers(2, 5),
    st.sampled_from(["strict", "relaxed", "infogain", "lsd"]),
    st.booleans(),
    st.integers(0, 99),
)
@settings(max_examples=examples(300), deadline=None)
def test_regions_are_those_of_the_description(columns, k, how, diverse, seed):
    frame, schema, names, hierarchies, rows, content = public_and_naive(columns, seed)
    k = min(k, len(frame))
    target = {"infogain": "word", "lsd": "number"}.get(how)
    diverse &= frame["word"].nunique() > 1
    anonymizer = MondrianAnonymizer(
        k,
        relaxed=how == "relaxed",
        split=how if target else "median",
        target=target,
        hierarchies=hierarchies,
        models=[("word", DistinctLDiversity(2))] if diverse else [],
        quasi_identifiers=names,
        sensitive=["word"],
    ).fit(frame, schema)
    words = frame["word"].tolist()
    expected = naive.regions(
        rows,
        content,
        k,
        relaxed=how == "relaxed",
        target=frame[target].tolist() if target else None,
        holds=lambda ids: not diverse or len({words[i] for i in ids}) > 1,
    )
    assert partition(anonymizer.classes_) == expected


# What always holds


@pytest.mark.slow
@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_classes_hold_k_and_labels_cover(seed, relaxed):
    table = mixed_table(np.random.default_rng(seed), 300)
    anonymizer = MondrianAnonymizer(
        k=7, relaxed=relaxed, quasi_identifiers=QI, sensitive=["pin"]
    ).fit(table, infer_schema(table).keep("pin"))
    assert class_sizes(anonymizer.release_, QI).min() >= 7
    assert covered(table, anonymizer.release_, "pin").all(axis=None)
    assert anonymizer.report_.n_perturbed == anonymizer.report_.n_suppressed == 0
    sizes = np.bincount(anonymizer.classes_)
    assert len(sizes) > 15
    if relaxed:
        assert sizes.max() <= 2 * 7 - 1


@pytest.mark.parametrize("seed", range(5))
def test_strict_regions_are_disjoint(seed):
    """In some column no value of one is between, or among, those of the other."""
    table = mixed_table(np.random.default_rng(seed), 200)
    columns = MondrianAnonymizer(k=5, quasi_identifiers=QI).fit_transform(table).columns
    sets = np.unique(np.column_stack([c.codes for c in columns]), axis=0)
    meet = np.ones((len(sets), len(sets)), dtype=bool)
    for column, label in zip(columns, sets.T, strict=True):
        members = column.members[label].astype(int)
        meet &= members @ members.T > 0
    assert len(sets) > 15
    assert (meet == np.eye(len(sets), dtype=bool)).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    [
        DistinctLDiversity(3),
        EntropyLDiversity(2.2),
        RecursiveLDiversity(2.5, 2),
        AlphaK(0.6),
        TCloseness(0.25),
    ],
    ids=str,
)
@pytest.mark.parametrize("relaxed", [False, True])
def test_models_hold_in_every_class(model, relaxed):
    table = mixed_table(np.random.default_rng(3), 300)
    names = dict(quasi_identifiers=QI, sensitive=["ill"], relaxed=relaxed)
    free = MondrianAnonymizer(k=5, **names).fit(table)
    bound = MondrianAnonymizer(k=5, models=[(None, model)], **names).fit(table)

    def holds(classes):
        counts = pd.crosstab(classes, table["ill"]).to_numpy()
        return model.holds(counts, counts.sum(axis=0))

    assert not holds(free.classes_).all()
    assert holds(bound.classes_).all()
    assert len(np.unique(bound.classes_)) > 5


@pytest.mark.slow
def test_equal_tables_give_equal_classes_in_any_order_of_rows():
    table = mixed_table(np.random.default_rng(0), 200)
    shuffled = table.sample(frac=1, random_state=1)
    one, other = (
        MondrianAnonymizer(k=5, quasi_identifiers=QI).fit_transform(own).to_frame()
        for own in (table, shuffled)
    )
    pd.testing.assert_frame_equal(one, other)


# Bad input, and tables that cannot be cut


@pytest.mark.filterwarnings("ignore:Expected columns of at least two values")
def test_a_target_that_is_missing_everywhere_says_nothing():
    table = pd.DataFrame({"x": [1, 2, 3, 4, 5], "y": np.full(5, np.nan)})
    schema = Schema((Column(name="x", kind="integer"), Column(name="y", kind="real")))
    options = dict(quasi_identifiers=["x"], target="y")
    for split in ("infogain", "lsd"):
        anonymizer = MondrianAnonymizer(2, split=split, **options).fit(table, schema)
        assert partition(anonymizer.classes_) == {
            frozenset([0, 1]),
            frozenset([2, 3, 4]),
        }


@pytest.mark.filterwarnings("ignore:Expected columns of at least two values")
def test_a_table_that_cannot_be_cut_is_one_class():
    table = pd.DataFrame({"x": [1] * 9, "y": [None] * 9}, dtype="Int64")
    schema = Schema(
        (Column(name="x", kind="integer"), Column(name="y", kind="integer"))
    )
    for relaxed in (False, True):
        release = MondrianAnonymizer(k=2, relaxed=relaxed).fit_transform(table, schema)
        assert release.class_sizes.tolist() == [9]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(k=1), "k to be a whole number from 2"),
        (dict(k=99), "number of rows, 60"),
        (dict(split="mean"), "'median', 'infogain', 'lsd'"),
        (dict(relaxed="yes"), "relaxed to be one of"),
        (dict(split="infogain"), "Expected a target"),
        (dict(target="ill"), "Expected a target"),
        (dict(split="lsd", target="pin", relaxed=True), "relaxed with"),
        (dict(split="infogain", target="illl"), "Did you mean 'ill'"),
        (dict(split="infogain", target="job"), "no quasi-identifier"),
        (dict(split="lsd", target="ill"), "numeric target"),
        (dict(hierarchies={"ill": JOBS}), "hierarchies of the columns"),
        (dict(hierarchies={"job": JOBS}), "leaves"),
        (dict(models=[("ill", DistinctLDiversity(9))]), "distinct 9-diversity"),
        (dict(models=[("pin", AlphaK(0.5))]), "sensitive columns"),
        (dict(models=DistinctLDiversity(2)), "models as a list of (column or None"),
        (dict(models=[DistinctLDiversity(2)]), "models as a list of (column or None"),
        (dict(models=[("ill", 2)]), "models as a list of (column or None"),
        (dict(models=[(None, DeltaPresence(0.1, 0.5))]), "which is of a population"),
        (dict(hierarchies=JOBS), "a mapping of column names to"),
        (dict(hierarchies={"job": "food"}), "Received an object of type str"),
        (dict(split="infogain", target=["ill"]), "the name of a column"),
        (dict(quasi_identifiers=5), "a list of names"),
        (dict(sensitive_values=None), "a word or a mapping"),
        (dict(split=["median"]), "Received ['median']"),
        (dict(sensitive=["job"]), "either a quasi-identifier or sensitive"),
        (dict(others="hide"), "'drop', 'keep'"),
    ],
)
def test_bad_input_is_refused(options, message):
    table = mixed_table(np.random.default_rng(0), 60)
    options = dict(k=3, quasi_identifiers=QI, sensitive=["ill"]) | options
    with pytest.raises(CoclustSynthError, match=re.escape(message)):
        MondrianAnonymizer(**options).fit(table)


def test_numbers_whose_range_is_beyond_the_largest_float():
    far = pd.DataFrame({"x": [-1.7e308, -1.6e308, 0.0, 1.6e308, 1.7e308, 1.7e308]})
    near = far / 1e308
    found = [
        MondrianAnonymizer(k=2).fit(table.assign(job=list("aabbaa"))).classes_.tolist()
        for table in (far, near)
    ]
    assert found[0] == found[1] and max(found[0]) > 0


def test_refuses_more_labels_than_fit_in_memory(monkeypatch):
    monkeypatch.setattr(class_labels, "MAX_CELLS", 70)
    table = pd.DataFrame({"x": np.arange(20), "job": ["cook", "nurse"] * 10})
    with pytest.raises(CoclustSynthError, match="'x', of 20 values and up to 4 labels"):
        MondrianAnonymizer(k=5).fit(table)
    MondrianAnonymizer(k=10).fit(table)
    # A label of a hierarchy stands for leaves that no row holds, too.
    lines = [(job, "*") for job in ("cook", "nurse", *map(str, range(40)))]
    jobs = GeneralizationHierarchy.from_lines("job", lines)
    with pytest.raises(CoclustSynthError, match="'job', of 42 values"):
        MondrianAnonymizer(k=10, hierarchies={"job": jobs}).fit(table)


def test_one_row_is_refused():
    with pytest.raises(CoclustSynthError, match="Received one row"):
        MondrianAnonymizer(k=2).fit(pd.DataFrame({"x": ["a"], "y": ["b"]}))
