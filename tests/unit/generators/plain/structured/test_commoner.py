"""Rare categories are drawn as common ones beside the same value."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.generators.plain.structured.commoner import with_common_values
from coclust_synth.tables.reading.table import as_table
from coclust_synth.tables.rules.found import rules_of

N = 4000


def stays(n=N, seed=0, rare=0.15):
    """Stays with a chapter, a block and a code, some of which hardly anybody has.

    Of each block two codes are common and twenty are rare; code 0 of a block is of
    women, code 1 of men, whatever chapter it is in.
    """
    rng = np.random.default_rng(seed)
    chapter, block = rng.integers(0, 3, n), rng.integers(0, 3, n)
    is_rare, sex = rng.random(n) < rare, rng.integers(0, 2, n)
    code = np.where(is_rare, rng.integers(2, 22, n), sex)
    blocks = [f"{'ABC'[c]}{b}" for c, b in zip(chapter, block, strict=True)]
    return pd.DataFrame(
        {
            "sex": np.array(["F", "M"])[sex],
            "chapter": np.array(list("ABC"))[chapter],
            "block": blocks,
            "code": [f"{b}.{c:02}" for b, c in zip(blocks, code, strict=True)],
        }
    )


def codes_of(evidence, name):
    """The texts of a column, as it is coded."""
    j = evidence.coding.names.index(name)
    parts = evidence.coding.parts[j]
    texts = [parts.categories[c] for c in parts.seen] + ["missing"]
    return np.array(texts)[evidence.codes[:, j]]


def filled(table, k=20, seed=0, **options):
    table = table.drop(columns="who", errors="ignore")
    evidence = evidence_of(table, **options)
    clusters = np.zeros(len(table), dtype=np.int64)
    return evidence, with_common_values(
        evidence, clusters, k, np.random.default_rng(seed)
    )


def test_rare_codes_become_common_ones_of_their_block():
    table = stays()
    before, after = filled(table)
    was, now = codes_of(before, "code"), codes_of(after, "code")
    is_group = np.char.endswith(was, "(other)")
    assert is_group.sum() > 400
    assert not np.char.endswith(now, "(other)").any()
    assert (now[~is_group] == was[~is_group]).all()
    assert [c.split(".")[0] for c in now] == table["block"].tolist()
    for name in ("sex", "chapter", "block"):
        assert (codes_of(after, name) == codes_of(before, name)).all()


def test_a_row_gets_what_rows_like_it_have():
    """A woman's rare code becomes one of women: only the tree can tell."""
    table = stays()
    _, after = filled(table)
    women = (table["sex"] == "F").to_numpy()
    is_first = np.char.endswith(codes_of(after, "code"), ".00")
    assert (is_first == women).all()


def test_shares_inside_of_a_leaf_are_kept():
    """Of codes that nothing tells, each gets as much of the rare ones as it has."""
    rng = np.random.default_rng(1)
    code = rng.choice(["a", "b"], 3000, p=[0.75, 0.25]).astype(object)
    code[:600] = [f"r{i % 300}" for i in range(600)]
    table = pd.DataFrame({"x": rng.integers(0, 3, 3000).astype(str), "code": code})
    _, after = filled(table, k=3000)
    share = (codes_of(after, "code")[:600] == "a").mean()
    known = (code[600:] == "a").mean()
    # Dealt evenly: no more than a row or two beside the share.
    assert abs(share - known) < 0.005


@pytest.mark.parametrize("n_rare, stays_group", [(200, False), (205, True)])
def test_a_group_that_outnumbers_the_common_ones_stays(n_rare, stays_group):
    """Counts of common codes would be more than thrice what they are."""
    codes = ["a"] * 60 + ["b"] * 40 + [f"r{i // 5}" for i in range(n_rare)]
    before, after = filled(pd.DataFrame({"code": codes}))
    was, now = codes_of(before, "code"), codes_of(after, "code")
    assert (was == "(other)").sum() == n_rare
    assert (now == "(other)").sum() == (n_rare if stays_group else 0)


def test_a_rare_block_takes_its_codes_along():
    table = stays(rare=0.0)
    few = np.arange(0, N, 100)  # forty rows in blocks of five
    blocks = [f"{c}{9 - i % 3}" for i, c in enumerate(table["chapter"][few])]
    table.loc[few, "block"] = blocks
    table.loc[few, "code"] = [f"{b}.77" for b in blocks]
    before, after = filled(table)
    assert np.char.endswith(codes_of(before, "block"), "(other)").sum() == len(few)
    block, code = codes_of(after, "block"), codes_of(after, "code")
    assert not np.char.endswith(block, "(other)").any()
    assert [c.split(".")[0] for c in code] == block.tolist()
    assert [b[0] for b in block] == table["chapter"].tolist()


def test_all_rows_of_a_person_get_the_same():
    table = stays(900).loc[np.repeat(np.arange(900), 3)].reset_index(drop=True)
    person = np.repeat(np.arange(900), 3)
    before, after = filled(table, persons=person)
    assert np.char.endswith(codes_of(before, "code"), "(other)").any()
    now = codes_of(after, "code").reshape(900, 3)
    assert not np.char.endswith(now, "(other)").any()
    assert (now == now[:, :1]).all()


def test_a_table_without_groups_stays_as_it_is():
    before, after = filled(stays(rare=0.0))
    assert (after.codes == before.codes).all()


@pytest.mark.slow
def test_no_group_is_drawn_and_codes_stay_in_their_blocks():
    table = stays(1500)
    schema = infer_schema(table)
    schema = schema.keep(*schema.undecided)
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=2, random_state=0)
    drawn = synthesizer.fit(table, schema).sample(3000)
    assert not drawn["code"].str.endswith("(other)").any()
    assert (drawn["code"].str[:2] == drawn["block"]).all()
    assert set(drawn["code"]) <= set(
        table["code"].value_counts().loc[lambda n: n >= 10].index
    )
    pooled = {one.column: one.rows for one in synthesizer.pooled_}
    assert pooled["code"] > 100


def test_a_common_value_that_is_named_like_a_group_stays():
    rng = np.random.default_rng(2)
    cause = rng.choice(["Cancer", "Heart", "Injury (other)"], 2000, p=[0.5, 0.3, 0.2])
    cause = cause.astype(object)
    cause[:40] = [f"rare {i}" for i in range(40)]
    before, after = filled(pd.DataFrame({"cause": cause}))
    was, now = codes_of(before, "cause"), codes_of(after, "cause")
    assert (now[was == "Injury (other)"] == "Injury (other)").all()
    assert (was == "(other)").sum() == 40 and not (now == "(other)").any()


def test_missing_codes_stay_missing_and_are_nobody_s_place():
    """A rare block moves to one with codes, not to one that never has any."""
    table = stays(rare=0.0)
    table["code"] = table["code"].mask(table["block"] == "A0")
    few = np.flatnonzero(table["chapter"] == "A")[::40]
    blocks = [f"A{9 - i % 4}" for i in range(len(few))]
    table.loc[few, "block"] = blocks
    table.loc[few, "code"] = [f"{b}.77" for b in blocks]
    table.loc[few[::3], "code"] = None
    before, after = filled(table)
    is_moved = codes_of(before, "block") != codes_of(after, "block")
    assert is_moved.sum() == len(few)
    j = after.coding.names.index("code")
    is_missing = after.codes[:, j] == after.coding.parts[j].n_parts - 1
    assert (is_missing == table["code"].isna()).all()
    assert not (codes_of(after, "block")[is_moved & ~is_missing] == "A0").any()


def numbered(table):
    """The same stays, with numbers for blocks and codes."""
    block = 1 + np.unique(table["block"], return_inverse=True)[1]
    code = 100 * block + table["code"].str[-2:].astype(int)
    return table.assign(block=block, code=code)


def as_numbers(table):
    schema = infer_schema(table).as_categorical("block", "code")
    return as_table(table, schema.keep(*schema.undecided)).schema


def test_rare_codes_that_are_numbers_become_common_ones_of_their_block():
    table = numbered(stays())
    before, after = filled(table, schema=as_numbers(table))
    j = before.coding.names.index("code")
    is_rare = table["code"].map(table["code"].value_counts()).to_numpy() < 10
    assert (before.moved[j] == is_rare).all()
    assert is_rare.sum() > 400
    assert (after.moved[j] == is_rare).all()
    now = codes_of(after, "code").astype(int)
    assert (now[~is_rare] == table["code"][~is_rare]).all()
    assert (now // 100 == table["block"]).all()
    # Of a block women have one code and men the other, as those that are not rare.
    assert (now % 100 == (table["sex"] == "M")).mean() > 0.99


def test_moved_rows_say_nothing_of_what_is_beside_them():
    table = numbered(stays())
    # Codes of this block are all rare, and become the commonest one of all.
    own = table["block"] == 9
    table.loc[own, "code"] = 900 + np.arange(own.sum()) // 5
    evidence = evidence_of(table, schema=as_numbers(table))
    rules = [str(rule) for rule in rules_of(evidence, None, 20).all]
    assert "code -> block" in rules
    without = replace(evidence, moved={})
    assert "code -> block" not in [str(r) for r in rules_of(without, None, 20).all]


def test_rows_of_a_block_without_a_common_code_have_those_of_others():
    table = numbered(stays())
    own = (table["block"] == 9).to_numpy()
    table.loc[own, "code"] = 900 + np.arange(own.sum()) // 5
    before, after = filled(table, schema=as_numbers(table))
    was, now = (codes_of(of, "code").astype(int) for of in (before, after))
    assert len(set(was[own])) == 1
    assert len(set(now[own])) > 1
    assert not np.isin(now[own] // 100, [9]).any()
    assert (now[own] % 100 == (table["sex"] == "M")[own]).mean() > 0.99


def test_ordered_values_are_not_moved():
    table = stays().drop(columns=["block", "chapter"])
    grades = np.repeat([1, 2, 3, 9], [1500, 1500, N - 3005, 5])
    table["grade"] = grades
    schema = infer_schema(table)
    ordered = replace(schema["grade"], kind="ordinal", bounds=None, step=None)
    ordered = replace(ordered, categories=(1, 2, 3, 9))
    columns = [ordered if c.name == "grade" else c for c in schema.columns]
    evidence = evidence_of(table, schema=replace(schema, columns=tuple(columns)))
    assert evidence.moved == {}


@pytest.mark.slow
def test_numbers_taken_for_codes_are_drawn_as_such():
    table = numbered(stays())
    schema = infer_schema(table).as_categorical("code")
    schema = schema.keep(*schema.undecided)
    plain = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0)
    drawn = plain.fit(table, schema).sample(N)
    assert drawn["code"].isin(table["code"]).all()
    assert drawn["code"].dtype == table["code"].dtype
    assert (drawn["code"] // 100 == drawn["block"]).all()


@pytest.mark.slow
@pytest.mark.parametrize("slip", [False, True])
def test_a_block_without_a_common_code_is_drawn_as_often_as_it_is_there(slip):
    """With one row of it that has a code of another block, or without."""
    table = numbered(stays())
    own = table["block"] == 9
    table.loc[own, "code"] = 900 + np.arange(own.sum()) // 5
    if slip:
        table.loc[table.index[own][0], "code"] = 101
    plain = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0)
    plain.fit(table, as_numbers(table))
    assert "code -> block" in [str(rule) for rule in plain.rules_]
    drawn = plain.sample(N)
    assert abs((drawn["block"] == 9).sum() - own.sum()) < 10
    others = drawn[drawn["block"] != 9]
    assert (others["code"] // 100 == others["block"]).all()
    (pool,) = (p for p in plain.model_.coding.pools if p.name == "code")
    assert 9 not in pool.targets  # a slip stands for nobody


@pytest.mark.slow
def test_what_common_values_tell_keeps_its_distribution():
    """Long histories are rare; all that are common have no late payment, or one."""
    rng, n = np.random.default_rng(0), 3000
    chance = rng.beta(1.2, 8, n)
    late = rng.random((n, 12)) < chance[:, None]
    history = ["".join("1" if of else "0" for of in own) for own in late]
    table = pd.DataFrame(
        {"times": late.sum(axis=1), "now": np.where(late[:, 0], "late", "no")}
    ).assign(history=history)
    schema = infer_schema(table).keep("history")
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=2, random_state=0)
    drawn = synthesizer.fit(table, schema).sample(n)
    assert abs(drawn["times"].mean() / table["times"].mean() - 1) < 0.12
    shares = [(own["now"] == "late").mean() for own in (drawn, table)]
    assert abs(shares[0] - shares[1]) < 0.02
    # What twenty people have tells the others.
    rows = table["history"].value_counts()
    told = drawn[drawn["history"].isin(rows.index[rows >= 20])]
    assert (told["history"].str.count("1") == told["times"]).all()
    assert len(told) > 1500


def test_what_numbers_of_codes_tell_keeps_its_distribution():
    """Rare counties have the number of the commonest one, until they get another."""
    rng = np.random.default_rng(34)
    rows = [116, 105, 63, 52, 46, 32, 25, 25, 23, *[14] * 4, 13, 13, 12, 12, 11, 11]
    rows += [10, 10, 10, *rng.integers(1, 10, 63)]
    county = np.repeat(rng.permutation(85) + 1, rows)
    level = np.round(rng.normal(0, 0.4, 86), 6)  # of each county one
    table = pd.DataFrame({"county": county, "level": level[county]})
    schema = infer_schema(table).as_categorical("county")
    schema = schema.keep(*schema.undecided)
    before, after = filled(table, schema=as_table(table, schema).schema)
    moved = before.moved[0]
    assert moved.sum() == (rows < np.array(10)).repeat(rows).sum()
    assert (before.codes[moved, 0] == before.codes[0, 0]).all()  # the commonest one
    assert (after.codes[moved, 0] == before.codes[0, 0]).mean() < 0.1


@pytest.mark.parametrize(("n_common", "stays_group"), [(15, True), (90, False)])
def test_a_group_that_outnumbers_the_common_ones_that_meet_what_it_does_stays(
    n_common, stays_group
):
    """Who names another site does not leave the answer out, as most do."""
    site = ["-"] * 700 + ["acme"] * n_common + [f"site {n}" for n in range(150)]
    known = np.array(["paper", "radio"])[np.arange(len(site)) % 2]
    asked = np.where(np.array(site) == "-", known, "another")
    before, after = filled(pd.DataFrame({"asked": asked, "site": site}))
    assert (codes_of(before, "site") == "(other)").sum() == 150
    named = codes_of(after, "site")[700:]
    assert (named == "acme").sum() == (n_common if stays_group else n_common + 150)
    assert ("(other)" in named) == stays_group
