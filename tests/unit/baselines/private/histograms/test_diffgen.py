"""DiffGen: its scores, what it splits, and the check of its paper."""

import numpy as np
import pandas as pd
import pytest
from naive import private_histograms as naive
from support.private_noise import forbid_noise, repeat_noise, silence_noise

from coclust_synth.baselines.private.histograms import diffgen
from coclust_synth.baselines.private.histograms.diffgen import (
    DiffGen,
    Node,
    cut_scores,
    majority_rows,
    top_node,
)
from coclust_synth.exceptions import ParameterError, SchemaError
from coclust_synth.tables.domain.domain import Domain
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy

PEOPLE = {
    "job": ["cook", "baker", "smith", "welder", "clerk"],
    "age": {"low": 0, "high": 39, "bins": 40, "missing": "?"},
    "class": ["no", "yes"],
}
JOBS = GeneralizationHierarchy.from_lines(
    "job",
    [
        ("cook", "food", "*"),
        ("baker", "food", "*"),
        ("smith", "metal", "*"),
        ("welder", "metal", "*"),
        ("nurse", "health", "*"),
        ("clerk", "office", "*"),
    ],
)


def workers(n=3000, seed=0):
    """Metal or 25 years make the class, but for a tenth."""
    rng = np.random.default_rng(seed)
    job, age = rng.choice(PEOPLE["job"], n), rng.integers(0, 40, n)
    yes = np.isin(job, ["smith", "welder"]) | (age >= 25)
    yes ^= rng.random(n) < 0.1
    age = np.where(rng.random(n) < 0.02, "?", age.astype(str))
    return pd.DataFrame({"job": job, "age": age, "class": np.where(yes, "yes", "no")})


def is_old(frame):
    return pd.to_numeric(frame["age"], errors="coerce").fillna(0) >= 25


def codes_of(nodes):
    return [node.codes.tolist() for node in nodes]


def test_values_are_split_along_their_hierarchy():
    column = Domain.from_dict(PEOPLE)["job"]
    top = top_node(column, JOBS)
    # Nodes of one category are it, of none are left out.
    assert codes_of(top.children) == [[0, 1], [2, 3], [4]]
    assert codes_of(top.children[0].children) == [[0], [1]]
    assert not top.children[2].children
    assert codes_of(top_node(column).children) == [[0], [1], [2], [3], [4]]
    assert not top_node(Domain.from_dict(PEOPLE)["age"]).children


@pytest.mark.parametrize("seed", range(20))
def test_scores_are_of_the_largest_classes_and_a_row_changes_them_by_one(seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, (6, 3), (30, 2))
    counts = np.zeros((6, 3), dtype=np.int64)
    np.add.at(counts, tuple(rows.T), 1)
    run = Node(np.arange(1, 6))
    node = run.cut(2)
    groups = codes_of(node.children)
    assert groups == [[1, 2], [3, 4, 5]]
    assert majority_rows(counts, node) == naive.majority_rows(rows.tolist(), groups)
    expected = [
        naive.majority_rows(rows.tolist(), codes_of(run.cut(place).children))
        for place in range(1, 5)
    ]
    assert cut_scores(counts, run).tolist() == expected
    for cell in np.ndindex(counts.shape):
        more = counts.copy()
        more[cell] += 1
        most = int(cell[0] > 0)  # 0 is no value of the run
        assert 0 <= majority_rows(more, node) - majority_rows(counts, node) <= most
        assert abs(cut_scores(more, run) - cut_scores(counts, run)).max() <= most


def test_what_tells_of_the_class_is_kept(monkeypatch):
    silence_noise(monkeypatch)
    hierarchies = {"job": JOBS}
    options = {"targets": ["class"], "hierarchies": hierarchies, "n_specializations": 2}
    generator = DiffGen(1.0, PEOPLE, **options).fit(workers())
    jobs = [codes.tolist() for codes in generator.values_["job"]]
    ages = [codes.tolist() for codes in generator.values_["age"]]
    assert jobs == [[0, 1], [2, 3], [4]]
    assert ages == [[*range(25)], [*range(25, 40)], [40]]  # 40: missing
    table, drawn = workers(), generator.sample(random_state=0)
    for own in (table, drawn):
        own["metal"] = own["job"].isin(["smith", "welder"])
        own["old"] = is_old(own)
    groups = [own[["metal", "old", "class"]].value_counts() for own in (table, drawn)]
    assert abs(groups[0] - groups[1]).max() <= 1


@pytest.mark.slow
def test_a_release_tells_the_class_the_better_the_more_epsilon_it_has(monkeypatch):
    """The paper's figures: accuracy of what is learnt from the release, by epsilon."""
    repeat_noise(monkeypatch)
    table = workers(8000)
    cells = ["job", "old"]
    real = table.assign(old=is_old(table))
    accuracy = []
    for epsilon in (0.01, 0.1, 1.0):
        found = []
        for _ in range(4):
            generator = DiffGen(epsilon, PEOPLE, targets=["class"], n_specializations=3)
            drawn = generator.fit(table).sample(8000, random_state=0)
            drawn["old"] = is_old(drawn)
            guess = drawn.groupby(cells)["class"].agg(lambda own: own.mode()[0])
            guessed = real.join(guess.rename("guess"), on=cells)["guess"]
            found.append((guessed.fillna("no") == real["class"]).mean())
        accuracy.append(np.mean(found))
    # Nine tenths are told by both columns, six without any.
    assert accuracy[0] < accuracy[1] and accuracy[2] > 0.88


def test_nothing_is_split_that_there_is_no_room_for(monkeypatch):
    silence_noise(monkeypatch)
    monkeypatch.setattr(diffgen, "_MAX_CELLS", 24)
    generator = DiffGen(1.0, PEOPLE, targets=["class"]).fit(workers())
    assert generator.counts_.size <= 24 and generator.ledger_.remaining == 0.0
    monkeypatch.setattr(diffgen, "_MAX_CELLS", 3)
    with pytest.raises(ParameterError, match="at most 3 cells"):
        DiffGen(1.0, PEOPLE, targets=["class"]).plan(10)


@pytest.mark.parametrize("targets", [None, [], ["class", "job"], "class"])
def test_a_class_is_named(targets):
    with pytest.raises(ParameterError, match="one target"):
        DiffGen(1.0, PEOPLE, targets=targets).plan(10)


def test_wrong_names_and_hierarchies_are_refused(monkeypatch):
    forbid_noise(monkeypatch)
    asked = {"targets": ["class"]}
    with pytest.raises(ParameterError, match="'klass'"):
        DiffGen(1.0, PEOPLE, targets=["klass"]).plan(10)
    with pytest.raises(ParameterError, match="'jobs'"):
        DiffGen(1.0, PEOPLE, hierarchies={"jobs": JOBS}, **asked).plan(10)
    with pytest.raises(ParameterError, match="n_specializations"):
        DiffGen(1.0, PEOPLE, n_specializations=0, **asked).plan(10)
    lacking = GeneralizationHierarchy.from_lines("job", [("cook", "*")])
    with pytest.raises(SchemaError, match="'baker'"):
        DiffGen(1.0, PEOPLE, hierarchies={"job": lacking}, **asked).fit(workers())
