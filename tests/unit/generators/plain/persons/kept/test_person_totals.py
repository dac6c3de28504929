"""Totals of the rows of a person: found, drawn, and told from what was drawn."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth import CoclusterSynthesizer
from coclust_synth.generators.plain.persons.kept.person_totals import (
    Total,
    find_totals,
    with_rest,
)
from coclust_synth.generators.plain.persons.persons import PersonStructure
from coclust_synth.tables.rules.kept import Rules


def households(n=400, seed=0):
    """Members of households, and what these have together."""
    rng = np.random.default_rng(seed)
    size = 1 + rng.poisson(1.2, n)
    home = np.repeat(np.arange(n), size)
    age = rng.integers(0, 90, len(home))
    works = (age > 17) & (rng.random(len(home)) < 0.6)
    pay = np.where(works, rng.lognormal(7.5, 0.4, len(home)).round(), 0)
    table = pd.DataFrame({"home": home, "age": age, "pay": pay})
    table["job"] = np.where(works, "yes", "no")
    groups = table.groupby("home")
    table["all_pay"] = groups["pay"].transform("sum")
    table["a_month"] = (table["all_pay"] / 4).round(2)
    table["minors"] = (age < 18) * 1
    table["minors"] = groups["minors"].transform("sum")
    table["workers"] = (works * 1).astype(int)
    table["workers"] = groups["workers"].transform("sum")
    return table


@pytest.fixture(scope="module")
def fitted():
    synthesizer = CoclusterSynthesizer(
        k=20, person_id="home", n_iterations=1, random_state=0
    )
    return synthesizer.fit(households())


def found(table, changing, constants, k=20):
    evidence = evidence_of(table.drop(columns="home"), pd.factorize(table["home"])[0])
    return find_totals(evidence, Rules(()), constants, changing, k)


def test_sums_and_counts_are_found():
    table = households()
    totals = found(table, ("age", "pay", "job"), ("all_pay", "minors", "workers"))
    assert [(own.target, own.source, own.is_count) for own in totals] == [
        ("all_pay", "pay", False),
        ("minors", "age", True),
        ("workers", "pay", True),  # who has any, as well as who has a job
    ]
    minors = next(own for own in totals if own.target == "minors")
    assert minors.up_to == 17


def test_what_few_persons_have_otherwise_is_a_total_still():
    table = households()
    table.loc[table["home"] == 7, "all_pay"] += 1
    assert [t.target for t in found(table, ("age", "pay"), ("all_pay",))] == ["all_pay"]
    table.loc[table["home"] < 20, "all_pay"] += 1
    assert not found(table, ("age", "pay"), ("all_pay",))


def test_a_column_of_persons_with_a_row_each_is_no_total():
    table = households()
    is_alone = table.groupby("home")["age"].transform("size") == 1
    alone = table[is_alone].reset_index(drop=True)
    assert not found(alone, ("age", "pay"), ("all_pay", "minors"))
    assert not found(households(25), ("age", "pay"), ("all_pay",), k=25)


def test_what_is_left_goes_to_the_last_who_adds_any():
    whose = np.array([0, 0, 0, 1, 2, 2])
    added = np.array([4.0, 2.0, 0.0, 0.0, 5.0, 1.0])
    rest = np.array([3.0, 3.0, 3.0, 8.0, 9.0, 9.0])
    ends = np.array([0.0, 9.0])
    out = with_rest(added, rest, whose, ends)
    # One who adds nothing gets nothing, nor does anybody more than the highest.
    assert out.tolist() == [4, 5, 0, 0, 5, 1]
    assert with_rest(added[2:4], rest[2:4], whose[2:4], ends).tolist() == [0, 0]


@pytest.mark.slow
def test_drawn_totals_are_those_of_the_rows(fitted, rng):
    structure = fitted.model_.structure
    assert structure.told_by_row_before[0] == "all_pay = sum of pay"
    again = PersonStructure.from_dict(structure.to_dict(), structure.arrays())
    assert again.totals == structure.totals
    drawn = fitted.sample(random_state=1)
    drawn = drawn[drawn["home"] != drawn["home"].iloc[-1]]  # its rows are cut short
    groups = drawn.groupby("home")
    assert (groups["pay"].sum() == groups["all_pay"].first()).all()
    minors = (drawn["age"] < 18).groupby(drawn["home"]).sum()
    assert (minors == groups["minors"].first()).all()
    workers = (drawn["job"] == "yes").groupby(drawn["home"]).sum()
    assert (workers == groups["workers"].first()).all()
    assert ((drawn["all_pay"] / 4 - drawn["a_month"]).abs() < 0.0051).all()
    assert ((drawn["pay"] > 0) == (drawn["job"] == "yes")).mean() > 0.99
    table = households()
    # Households have as many rows, but few have four who work: none is drawn with more.
    assert len(drawn) / groups.ngroups == pytest.approx(len(table) / 400, rel=0.02)
    assert drawn["pay"].mean() == pytest.approx(table["pay"].mean(), rel=0.07)
    clusters = rng.integers(0, len(structure.first.cluster_rows), 50)
    one, two = (
        own.draw_persons(clusters, np.random.default_rng(2))[0]
        for own in (structure, again)
    )
    pd.testing.assert_frame_equal(one, two)


@pytest.mark.slow
def test_totals_are_told_in_words(fitted):
    coding = fitted.model_.structure.first.coding
    assert Total("minors", "age", up_to=17.0).said(coding) == (
        "minors = rows of age <= 17"
    )
    assert Total("paid", "pay", beyond=0.0).said(coding) == "paid = rows of pay > 0"
    codes = coding.parts[coding.names.index("job")].labels
    assert Total("workers", "job", code=codes.index("yes")).said(coding) == (
        "workers = rows of job = yes"
    )


def test_a_limit_is_nobodys_number():
    table = households(600)
    rng = np.random.default_rng(1)
    table["pay"] = rng.lognormal(8, 1, len(table)).round(2)
    limit = float(np.sort(table["pay"])[len(table) // 3])
    poor = (table["pay"] <= limit) * 1
    table["poor"] = poor.groupby(table["home"]).transform("sum")
    (total,) = found(table, ("pay",), ("poor",))
    assert total.up_to not in table["pay"].to_numpy()
    assert ((table["pay"] <= total.up_to) == (table["pay"] <= limit)).all()
    assert len(f"{total.up_to:.2f}".rstrip("0.")) < len(f"{limit:.2f}".rstrip("0."))


@pytest.mark.slow
def test_rows_are_counted_as_often_as_the_table_has_them(rng):
    """Vehicles of an accident: of four at most, as many as are drawn."""
    n_vehicles = rng.choice([1, 2, 3, 4], 400, p=[0.25, 0.6, 0.1, 0.05])
    rows = [
        (accident, n, seat)
        for accident, n in enumerate(n_vehicles)
        for _ in range(n)
        for seat in range(1, 2 + rng.binomial(2, 0.25))
    ]
    table = pd.DataFrame(rows, columns=["accident", "vehicles", "seat"])
    synthesizer = CoclusterSynthesizer(
        k=20, person_id="accident", n_iterations=1, random_state=0
    )
    drawn = synthesizer.fit(table).sample()
    assert synthesizer.model_.structure.told_by_row_before == (
        "vehicles = rows of seat <= 1",
    )
    each = drawn.groupby("accident").agg({"vehicles": "first", "seat": list})
    counted = each["seat"].map(lambda seats: seats.count(1))
    assert (counted == each["vehicles"])[:-1].mean() > 0.99  # the last one is cut
    assert drawn["vehicles"].max() == 4
    shares = [
        t.drop_duplicates("accident")["vehicles"].value_counts(normalize=True)
        for t in (table, drawn)
    ]
    assert shares[0].sub(shares[1], fill_value=0).abs().sum() / 2 < 0.03
