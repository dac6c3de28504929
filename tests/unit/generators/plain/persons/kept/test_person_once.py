from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.generators.plain.persons.kept.person_once import (
    Once,
    Seen,
    find_once,
)
from coclust_synth.generators.plain.structured.drawing.codes import exchanged_in_leaves


def visits(rng, n_persons=300):
    """Each on another day, and booked up to two months before it."""
    rows = []
    for person in range(n_persons):
        days = 1 + rng.exponential(6, rng.integers(1, 8)).astype(int)
        rows += [
            (f"P{person:04d}", day) for day in rng.integers(0, 300) + days.cumsum()
        ]
    person, day = zip(*rows, strict=True)
    came = np.datetime64("2024-01-01") + np.array(day)
    booked = came - rng.integers(0, 60, len(rows))
    table = pd.DataFrame({"who": person, "booked": booked, "came": came})
    return table.sort_values(["who", "booked"], ignore_index=True)


def exams(rng, n_persons=300):
    """Each of another subject."""
    rows = [
        (f"P{person:04d}", subject, int(rng.integers(1, 7)))
        for person in range(n_persons)
        for subject in rng.permutation([*"abcdefgh"])[: rng.integers(1, 7)]
    ]
    return pd.DataFrame(rows, columns=["who", "subject", "grade"])


def claims(rng, n_persons=300, n_rare=0, replace=False):
    """Claims of one to four codes, of which one in four is the commonest one."""
    codes = np.array([f"c{i:03d}" for i in range(25 + n_rare)])
    weights = np.r_[0.25, np.full(24, 0.65 / 24), np.full(n_rare, 0.1 / (n_rare or 1))]
    weights, rows = weights / weights.sum(), []
    for person in range(n_persons):
        for claim in range(rng.integers(1, 5)):
            size = rng.integers(1, 5)
            drawn = rng.choice(codes, size, replace=replace, p=weights)
            day = np.datetime64("2024-01-01") + 30 * claim + int(rng.integers(30))
            rows += [(f"P{person:04d}", claim + 1, day, code) for code in drawn]
    return pd.DataFrame(rows, columns=["who", "claim", "day", "code"])


def once(table, within=None, k=20):
    persons = pd.factorize(table["who"])[0]
    evidence = evidence_of(table.drop(columns="who"), persons)
    return find_once(evidence, evidence.coding.names, within or {}, k)


def test_days_and_subjects_that_nobody_has_twice(rng):
    table = visits(rng)
    assert once(table) == (Once("came"),)
    hours = rng.integers(0, 24, len(table)).astype("timedelta64[h]")
    assert once(table.assign(came=table["came"] + hours)) == (Once("came"),)
    assert once(exams(rng)) == (Once("subject"),)


@pytest.mark.slow
def test_codes_that_no_claim_has_twice(rng):
    table, within = claims(rng), {"claim": ["code"], "day": ["code"]}
    assert once(table) == ()
    assert once(table, within) == (Once("code", "claim"),)
    assert once(table, {"day": ["code"]}) == (Once("code", "day"),)
    assert once(claims(rng, replace=True), within) == ()
    assert once(table, within, k=301) == ()
    assert str(Once("code", "claim")) == "hardly two rows of one claim and code"


def test_what_some_have_twice_or_what_chance_explains_is_none(rng):
    table, others = visits(rng), exams(rng)
    table.loc[table.sample(100, random_state=0).index + 1, "came"] = np.nan
    table["came"] = table.groupby("who")["came"].ffill()
    assert "came" not in once(table.dropna())
    others.loc[::9, "subject"] = "a"
    assert once(others) == ()
    many = [f"s{i}" for i in rng.permutation(len(others))]
    assert once(others.assign(subject=many)) == ()


def test_rows_that_are_as_one_before_are_drawn_again():
    column = SimpleNamespace(kind="integer")
    row = SimpleNamespace(
        coding=SimpleNamespace(names=("a",), schema={"a": column}),
        codes=None,
        numbers={"a": np.array([3.0, 4.0, np.nan])},
    )

    def draw_again(rows):
        row.numbers["a"][rows] += 1

    row.draw_again = draw_again
    seen, person = Seen((Once("a"),), 4), np.array([0, 2, 3])
    seen.draw_others(row, person)
    np.testing.assert_array_equal(row.numbers["a"], [3, 4, np.nan])
    seen.draw_others(row, person)
    np.testing.assert_array_equal(row.numbers["a"], [4, 5, np.nan])


def test_codes_are_exchanged_inside_their_leaf(rng):
    codes, leaf = rng.integers(0, 6, 400), rng.integers(0, 8, 400)
    had = rng.integers(0, 6, 400)
    own = exchanged_in_leaves(codes, leaf, lambda rows, c: had[rows] != c, rng)
    assert not (own == had).any()
    kept = pd.crosstab(leaf, codes) == pd.crosstab(leaf, own)
    assert kept.all(axis=None)
    assert (own == codes).mean() > 0.6
    nobody = exchanged_in_leaves(codes, leaf, lambda rows, c: c < 0, rng)
    np.testing.assert_array_equal(nobody, codes)


@pytest.mark.slow
@pytest.mark.parametrize("n_rare", [0, 300])
def test_no_claim_has_a_code_twice_in_what_is_drawn(rng, n_rare, tmp_path):
    """Nor where common codes stand for rare ones; and all are as common as before."""
    table = claims(rng, n_rare=n_rare)
    table["claim"] += 100 * pd.factorize(table["who"])[0]
    schema = infer_schema(table).as_key("claim").keep("code")
    options = {"k": 20, "n_iterations": 1, "person_id": "who", "random_state": 0}
    model = CoclusterSynthesizer(**options).fit(table, schema)
    assert "hardly two rows of one claim and code" in (
        model.model_.structure.told_by_row_before
    )
    model.save(tmp_path / "model")
    drawn = CoclusterSynthesizer.load(tmp_path / "model", random_state=0).sample()
    assert drawn.duplicated(["claim", "code"]).mean() < 0.004
    if not n_rare:
        shares = [(t["code"] == "c000").mean() for t in (table, drawn)]
        assert shares[1] == pytest.approx(shares[0], abs=0.01)
        sizes = [t.groupby("claim").size().mean() for t in (table, drawn)]
        assert sizes[1] == pytest.approx(sizes[0], rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("make, name", [(visits, "came"), (exams, "subject")])
def test_nobody_has_one_twice_in_what_is_drawn(rng, make, name, tmp_path):
    table = make(rng)
    model = CoclusterSynthesizer(k=20, person_id="who", random_state=0).fit(table)
    model.save(tmp_path / "model")
    drawn = CoclusterSynthesizer.load(tmp_path / "model", random_state=0).sample(900)
    assert drawn.duplicated(["who", name]).mean() < 0.004
    assert f"hardly two rows of one {name}" in model.model_.structure.told_by_row_before
