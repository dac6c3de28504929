"""What sums up the rows of a person: found, drawn, and told from what was drawn."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.generators.plain.persons.kept.person_summaries import (
    Summary,
    find_summaries,
)
from coclust_synth.generators.plain.persons.learning.from_table import (
    find_told_by_row_before,
)
from coclust_synth.generators.plain.persons.persons import PersonStructure
from coclust_synth.tables.rules.kept import Rules

SUMMARIES = ("mean_score", "worst", "lowest", "last_state", "last_visit")


def patients(n=400, seed=0):
    """Visits of patients, and what these come to."""
    rng = np.random.default_rng(seed)
    size = 1 + rng.poisson(2.5, n)
    who = np.repeat(np.arange(n), size)
    able = rng.normal(50, 12, n)[who]
    table = pd.DataFrame({"patient": who})
    day = rng.integers(0, 1500, n)[who] + 60 * table.groupby("patient").cumcount()
    day += rng.integers(0, 50, len(who))
    table["visit"] = pd.Timestamp("2015-01-01") + pd.to_timedelta(day, unit="D")
    table["score"] = np.rint(able + rng.normal(0, 8, len(who))).clip(0, 100).astype(int)
    table["severity"] = rng.poisson(1.5 + (able < 50)).clip(0, 6)
    table["state"] = rng.choice(["well", "ill", "worse"], len(who), p=[0.5, 0.3, 0.2])
    groups = table.groupby("patient")
    table["mean_score"] = groups["score"].transform("mean").round(1)
    table["worst"] = groups["severity"].transform("max")
    table["lowest"] = groups["score"].transform("min")
    table["last_state"] = groups["state"].transform("last")
    table["last_visit"] = groups["visit"].transform("max")
    return table


def found(table, constants=SUMMARIES, k=20):
    changing = ("visit", "score", "severity", "state")
    who = table["patient"].to_numpy()
    evidence = evidence_of(table[[*changing, *constants]], who)
    rows = np.argsort(who, kind="stable")
    told = find_summaries(evidence, rows, constants, changing, k)
    return [str(own) for own in told]


def are_so(drawn):
    """In what share of the persons each column is what it says."""
    groups = drawn.groupby("patient")
    first = groups.first()
    means = groups["score"].mean() - first["mean_score"]
    return [
        (means.abs() <= 0.05 + 1e-9).mean(),
        (groups["severity"].max() == first["worst"]).mean(),
        (groups["score"].min() == first["lowest"]).mean(),
        (groups["state"].last() == first["last_state"]).mean(),
        (groups["visit"].max() == first["last_visit"]).mean(),
    ]


@pytest.fixture(scope="module")
def fitted():
    synthesizer = CoclusterSynthesizer(
        k=20, person_id="patient", n_iterations=1, random_state=0
    )
    return synthesizer.fit(patients())


def test_each_kind_is_found():
    assert found(patients()) == [
        "mean_score = mean of score",
        "worst = maximum of severity",
        "lowest = minimum of score",
        "last_state = state of the last row of a person",
        "last_visit = maximum of visit",
    ]


def test_the_last_of_rows_in_no_order_is_not_the_highest():
    table = patients()
    table["last_score"] = table.groupby("patient")["score"].transform("last")
    told = found(table, ("last_score",))
    assert told == ["last_score = score of the last row of a person"]


@pytest.mark.slow
def test_a_look_at_the_table_tells_them():
    table = patients()
    evidence = evidence_of(table.drop(columns="patient"), table["patient"])
    told = find_told_by_row_before(evidence, Rules(()), 20)
    assert told[:5] == tuple(found(table))
    single = table.drop_duplicates("patient").reset_index(drop=True)
    evidence = evidence_of(single.drop(columns="patient"), single["patient"])
    assert find_told_by_row_before(evidence, Rules(()), 20) == ()


def test_what_few_persons_have_otherwise_is_one_still():
    table = patients()
    table.loc[table["patient"] == 7, "worst"] += 1
    assert found(table, ("worst",)) == ["worst = maximum of severity"]
    table.loc[table["patient"] < 20, "worst"] += 1
    assert found(table, ("worst",)) == []


def test_k_persons_could_have_it_otherwise():
    table = patients()
    several = table["patient"] < 60
    table["severity"] = table["severity"].where(several, table["worst"])
    assert found(table, ("worst",), k=20) == ["worst = maximum of severity"]
    assert found(table, ("worst",), k=60) == []


def test_what_nearly_all_have_is_no_maximum():
    """A yes of all but few persons, beside another one that few rows miss."""
    table, rng = patients(2000), np.random.default_rng(1)
    table["severity"] = np.where(rng.random(len(table)) < 0.05, 0, 1)
    table.loc[table["patient"].duplicated().eq(False), "severity"] = 1
    table["worst"] = 1
    table.loc[table["patient"] < 5, "worst"] = 2
    assert found(table, ("worst",)) == []


def test_a_saved_summary_of_another_kind_is_refused():
    own = Summary("worst", "grade", "maximum")
    assert Summary.from_dict(own.to_dict()) == own
    with pytest.raises(ValueError, match="kind"):
        Summary.from_dict(own.to_dict() | {"kind": "median"})


def test_slips_that_miss_the_last_row_make_it_no_last_one():
    """Of what stays in nearly all rows, few would be of the last one by chance."""
    table = patients(800)
    place = table.groupby("patient").cumcount()
    left = table.groupby("patient").cumcount(ascending=False)
    table["state"] = table["last_state"]
    slips = (place == 0) & (left > 3) & (table["patient"] < 200)
    assert 40 < slips.sum() < 60
    table.loc[slips, "state"] = table.loc[slips, "state"].map(
        {"well": "ill", "ill": "worse", "worse": "well"}
    )
    assert found(table, ("last_state",)) == []
    table.loc[left > 0, "state"] = "ill"
    assert found(table, ("last_state",)) != []


def test_a_mean_of_other_digits_is_none():
    table = patients()
    table["mean_score"] += 0.1
    assert found(table, ("mean_score",)) == []
    table["mean_score"] = table.groupby("patient")["score"].transform("mean")
    assert found(table, ("mean_score",)) == ["mean_score = mean of score"]


def test_what_is_to_do_is_that_of_the_rows_to_come():
    mean, highest = Summary("m", "x", "mean"), Summary("h", "x", "maximum")
    x, is_first = np.array([1.0, 4, 4, 1, 7]), np.array([1, 0, 0, 0, 1], dtype=bool)
    numbers = {"x": x, "m": np.array([2.5, 2.5, 2.5, 2.5, 7])}
    numbers["h"] = np.array([4.0, 4, 4, 4, 7])
    before = mean.to_do_before(numbers, is_first)
    assert before.tolist() == [2.5, 3, 2.5, 1, 7]
    left = np.array([4, 3, 2, 1, 1])
    after = mean.to_do_after(numbers | {mean.to_do: before}, left)
    assert after[:3].tolist() == before[1:4].tolist()
    before = highest.to_do_before(numbers, is_first)
    assert before.tolist() == [1, 1, 0, 0, 1]
    after = highest.to_do_after(numbers | {highest.to_do: before}, left)
    assert after[:3].tolist() == before[1:4].tolist()
    assert highest.to_do_after(numbers, left).tolist() == [1, 0, 0, 1, 0]


def test_no_row_goes_beyond_the_others_for_a_mean():
    own = Summary("m", "x", "mean")
    table = patients()
    scale = evidence_of(table[["score", "severity"]]).scales["score"]
    between = own.between("left", scale, np.array([0.0, 9.0]))
    assert [end.tolist() for end in between({"m": np.ones(1)})] == [-np.inf, np.inf]
    numbers = {"m": np.full(4, 5.0), "left": np.array([1.0, 1, 1, 2])}
    numbers[own.to_do] = np.array([3.2, 14.0, -2.0, 5.0])
    low, high = between(numbers)
    assert low.tolist() == [3, 9, 0, -np.inf]
    assert high.tolist() == [3, 9, 0, np.inf]


def test_the_lowest_and_the_highest_are_of_two_rows():
    """Of two to come one is each: else both are told from what one row could be."""
    lowest, highest = (Summary(n[:2], "x", n) for n in ("minimum", "maximum"))
    assert lowest.is_other_end(highest)
    assert not lowest.is_other_end(Summary("x", "y", "maximum"))
    assert not lowest.is_other_end(lowest)
    table = patients()
    scale = evidence_of(table[["score", "severity"]]).scales["score"]
    ends = np.array([0.0, 9.0])
    numbers = {"left": np.array([3.0, 2, 2, 2, 2, 1])}
    numbers |= {"mi": np.full(6, 2.0), "ma": np.array([5.0, 5, 6, 5, 5, 5])}
    low = lowest.between("left", scale, ends, [highest])
    high = highest.between("left", scale, ends, [lowest])
    assert low(numbers)[1].tolist() == [np.inf, 2, np.inf, 2, 2, 2]
    assert high(numbers)[0].tolist() == [-np.inf, -np.inf, 6, -np.inf, -np.inf, 5]
    numbers[lowest.to_do] = np.array([1.0, 1, 1, 0, 1, 1])
    numbers[highest.to_do] = np.array([1.0, 1, 1, 1, 0, 0])
    assert low(numbers)[1].tolist() == [np.inf, 2, np.inf, np.inf, np.inf, 2]


@pytest.mark.slow
def test_all_are_so_in_every_drawn_person(fitted):
    structure, table = fitted.model_.structure, patients()
    assert structure.told_by_row_before[:5] == tuple(found(table))
    drawn = fitted.sample(random_state=1)
    drawn = drawn[drawn["patient"] != drawn["patient"].iloc[-1]]  # cut short
    assert are_so(drawn) == [1.0] * 5
    for name in ("mean_score", "worst", "lowest", "score", "severity"):
        of_persons = [own.groupby("patient")[name].first() for own in (table, drawn)]
        means, spreads = ([own.agg(of) for own in of_persons] for of in ("mean", "std"))
        assert means[1] == pytest.approx(means[0], abs=0.15 * spreads[0]), name
        assert spreads[1] == pytest.approx(spreads[0], rel=0.12), name


@pytest.mark.slow
def test_what_is_no_summary_is_not_kept():
    table = patients().assign(mean_score=lambda t: t["mean_score"] + 0.3)
    synthesizer = CoclusterSynthesizer(
        k=20, person_id="patient", n_iterations=1, random_state=0
    )
    drawn = synthesizer.fit(table).sample(random_state=1)
    drawn = drawn[drawn["patient"] != drawn["patient"].iloc[-1]]
    drawn["mean_score"] -= 0.3
    shares = are_so(drawn)
    assert shares[0] < 0.3  # No mean of anything: it is not kept.
    assert shares[1:] == [1.0] * 4


@pytest.mark.slow
def test_a_saved_structure_draws_the_same(fitted, rng):
    structure = fitted.model_.structure
    again = PersonStructure.from_dict(structure.to_dict(), structure.arrays())
    assert again.summaries == structure.summaries
    clusters = rng.integers(0, len(structure.first.cluster_rows), 50)
    one, two = (
        own.draw_persons(clusters, np.random.default_rng(2))[0]
        for own in (structure, again)
    )
    pd.testing.assert_frame_equal(one, two)


@pytest.mark.slow
def test_a_rule_tells_something_else_from_them():
    """How long one was seen, not the last visit from it; the range, not the lowest."""
    table = patients().drop(columns=["state", "last_state", "mean_score"])
    groups = table.groupby("patient")
    before = np.random.default_rng(1).integers(0, 90, len(table))
    entered = groups["visit"].transform("min") - pd.to_timedelta(before, unit="D")
    table["entered"] = entered.groupby(table["patient"]).transform("first")
    table["seen"] = (table["last_visit"] - table["entered"]).dt.days
    table["highest"] = groups["score"].transform("max")
    table["range"] = table["highest"] - table["lowest"]
    synthesizer = CoclusterSynthesizer(
        k=20, person_id="patient", n_iterations=1, random_state=0
    )
    drawn = synthesizer.fit(table).sample(random_state=1)
    drawn = drawn[drawn["patient"] != drawn["patient"].iloc[-1]]
    groups = drawn.groupby("patient")
    assert (groups["visit"].transform("max") == drawn["last_visit"]).all()
    assert ((drawn["last_visit"] - drawn["entered"]).dt.days == drawn["seen"]).all()
    scores = groups["score"].agg(["min", "max"])
    assert (scores["min"] == groups["lowest"].first()).all()
    assert (scores["max"] - scores["min"] == groups["range"].first()).all()


@pytest.mark.slow
@pytest.mark.parametrize("is_counted", [False, True])
def test_rules_of_how_it_ended_hold(is_counted):
    """Who died alone has a date of death; the last row says so, but where it counts."""
    table = patients(800).drop(columns=["score", "mean_score", "lowest"])
    table["died"] = table["last_state"] == "worse"
    after = np.random.default_rng(1).integers(0, 300, len(table))
    death = table["last_visit"] + pd.to_timedelta(after, unit="D")
    death = death.groupby(table["patient"]).transform("first")
    table["death"] = death.where(table["died"])
    if is_counted:
        is_ill = table["state"] == "ill"
        table["n_ill"] = is_ill.groupby(table["patient"]).transform("sum")
    synthesizer = CoclusterSynthesizer(
        k=20, person_id="patient", n_iterations=1, random_state=0
    )
    drawn = synthesizer.fit(table).sample(random_state=1)
    drawn = drawn[drawn["patient"] != drawn["patient"].iloc[-1]]
    has_died = drawn["last_state"] == "worse"
    assert (drawn["died"] == has_died).all()
    assert (drawn["death"].notna() == has_died).all()
    groups = drawn.groupby("patient")
    if is_counted:
        is_ill = (drawn["state"] == "ill").groupby(drawn["patient"])
        assert (is_ill.transform("sum") == drawn["n_ill"]).all()
    else:
        assert (groups["state"].transform("last") == drawn["last_state"]).all()


@pytest.mark.slow
def test_rows_of_a_key_that_is_the_last_stay_alike():
    """Visits with several tests are drawn key by key, and are ill or well in all."""
    table, rng = patients(), np.random.default_rng(1)
    table = table[["patient", "visit", "state", "severity", "last_state"]]
    table["died"] = table["last_state"] == "worse"
    table["key"] = [f"V{i:05}" for i in range(len(table))]
    table = table.loc[table.index.repeat(1 + rng.poisson(0.7, len(table)))]
    table = table.reset_index(drop=True)
    table["amount"] = rng.integers(0, 60, len(table))
    synthesizer = CoclusterSynthesizer(
        k=20, person_id="patient", n_iterations=1, random_state=0
    )
    schema = infer_schema(table).as_key("key")
    drawn = synthesizer.fit(table, schema).sample(random_state=1)
    assert synthesizer.model_.structure.within is not None
    assert (drawn.groupby("key")["state"].nunique() == 1).all()
    assert (drawn["died"] == (drawn["last_state"] == "worse")).all()


@pytest.mark.slow
def test_rows_of_keys_are_summed_up_together():
    """Of visits that follow each other, with several tests each."""
    table, rng = patients(), np.random.default_rng(1)
    table["key"] = [f"V{i:05}" for i in range(len(table))]
    table = table.loc[table.index.repeat(1 + rng.poisson(0.7, len(table)))]
    table = table.reset_index(drop=True)
    table["score"] = rng.integers(0, 60, len(table))
    table["mean_score"] = table.groupby("patient")["score"].transform("mean").round(1)
    table["lowest"] = table.groupby("patient")["score"].transform("min")
    synthesizer = CoclusterSynthesizer(
        k=20, person_id="patient", n_iterations=1, random_state=0
    )
    schema = infer_schema(table).as_key("key")
    drawn = synthesizer.fit(table, schema).sample(random_state=1)
    assert synthesizer.model_.structure.within is not None
    drawn = drawn[drawn["patient"] != drawn["patient"].iloc[-1]]
    assert are_so(drawn) == [1.0] * 5
