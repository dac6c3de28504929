"""Which values of two columns never meet, in words: those that most rows would have."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth import infer_schema
from coclust_synth.tables.parts.rare.released import release_values
from coclust_synth.tables.relations import Fit, Never
from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.kept import Rule
from coclust_synth.tables.rules.values.in_words import told_once


def survey(n=1500):
    """Two pages that some leave out, a question of the first for some, and a slip."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.choice(["x", "y"], n) for name in "abcdef"})
    frame["b"] = rng.normal(size=n).round(2)
    frame.loc[: n // 5, ["a", "b", "c"]] = None
    frame.loc[: n // 3, ["d", "e"]] = None
    frame.loc[rng.random(n) < 0.1, "c"] = None
    return frame.astype({name: object for name in "acdef"})


def rules_in(frame):
    evidence = evidence_of({name: frame[name].to_numpy() for name in frame})
    return rules_of(evidence, None, 50)


def test_what_is_missing_together_is_one_rule():
    found = [rule.to_dict() for rule in rules_in(survey()).all]
    assert [rule["rule"] for rule in told_once(found)] == [
        "a, b: missing in the same rows",
        "c, d: missing where a is",
        "d, e: missing in the same rows",
    ]
    assert len(found) == 8  # of each two of the five columns but c beside d and e


def test_what_drawn_rows_break_is_told_apart():
    found = [rule.to_dict() for rule in rules_in(survey()).all]
    found[0]["drawn_broken"] = 3
    told = told_once(found)
    assert told[0] == found[0]
    assert told_once([{"kind": "order", "rule": "a <= b"}]) == [
        {"kind": "order", "rule": "a <= b"}
    ]


@pytest.mark.parametrize(("factor", "constant"), [(1, 0), (1, 3), (12, 0), (5, -4)])
def test_what_follows_from_a_sum_of_one_column_is_no_rule_beside_it(factor, constant):
    start = np.random.default_rng(0).integers(1, 900, 2000) * 7
    rules = rules_in(pd.DataFrame({"start": start, "end": factor * start + constant}))
    assert len(rules.all) == 1 and isinstance(rules.relations[0], Fit)


def bills(low=5, n=3_000):
    """Who is private pays nothing, who is public from `low` to ten, others any."""
    rng = np.random.default_rng(0)
    insurer = rng.choice(["Public", "Private", "Self"], n, p=[0.6, 0.3, 0.1])
    some = np.round(rng.uniform(low, 10, n), 2)
    own = np.round(rng.uniform(low + 1, 90, n), 2)
    pays = np.select([insurer == "Public", insurer == "Private"], [some, 0.0], own)
    day = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D")
    day = pd.Series(day).where(insurer != "Private")
    return pd.DataFrame({"insurer": insurer, "pays": pays, "day": day})


def rules_of_table(table, k=50):
    schema = infer_schema(table)
    evidence = Evidence.of(release_values(table, schema, 10))
    return rules_of(evidence, None, k), evidence


def texts(table):
    return [
        str(r) for r in rules_of_table(table)[0].all if isinstance(r.relation, Never)
    ]


@pytest.mark.slow
def test_ranges_of_numbers_and_of_dates_and_missing_values_are_named():
    first, *_ = texts(bills())
    assert first.startswith(
        "insurer, pays: never Private with 4.96 to 88, Public with 0, "
        "Self with 0 to 5.98"
    )
    assert first.endswith(", and 1 more")
    of_days = next(text for text in texts(bills()) if text.startswith("insurer, day"))
    assert "never Private with 2020-01-" in of_days and "Public with missing" in of_days


def test_two_rules_about_the_same_columns_read_otherwise():
    assert texts(bills())[0] != texts(bills(low=7))[0]


def test_a_value_inside_of_a_range_that_may_be_is_named():
    rng = np.random.default_rng(1)
    kind = rng.choice(["a", "b"], 4_000)
    number = np.round(rng.uniform(10.5, 12, 4_000), 2)
    number[kind == "b"] += 20
    number[rng.random(4_000) < 0.3] = 10
    number[np.flatnonzero(kind == "a")[:10]] = 9.9
    (text,) = texts(pd.DataFrame({"kind": kind, "number": number}))
    assert text.startswith("kind, number: never b with 9.95 to 11.")
    assert " but 10, a with 30." in text


def test_a_run_that_reaches_into_a_range_and_may_be_is_named():
    """Few are at 23.6 and 26.5, with heaps in between: these are one run."""
    number = np.append(np.repeat(np.arange(200, 300) / 10, 30), [23.6, 26.55] * 10)
    number = np.delete(number, np.flatnonzero(number == 23.6)[:30])
    # Were the highest no others, kinds would be classes of the number.
    kind = np.where((number < 25) | (number > 29.4), "normal", "over")
    (text,) = texts(pd.DataFrame({"kind": kind, "number": number}))
    assert "never over with 20 to 24.8 but the rarer of 23.55 to 26.55, normal" in text


def test_what_is_said_is_saved_and_is_not_part_of_the_rule():
    found, evidence = rules_of_table(bills())
    rule = next(r for r in found.all if isinstance(r.relation, Never))
    again = Rule.from_dict(rule.to_dict())
    assert str(again) == str(rule) and again.relation == Never("insurer", "pays")
    hidden = found.without_values(["pays"]).all[found.all.index(rule)]
    assert str(hidden) == "insurer, pays: combinations that never occur"
    # As stated, it is said of the table that it is held against.
    (stated,) = rules_of(evidence, (Never("insurer", "pays", said="of old"),), 50).all
    assert str(stated) == str(rule)


def test_a_schema_shows_it_and_reads_the_rule_alone():
    found, _ = rules_of_table(bills())
    schema = infer_schema(bills()).with_rules(*found.relations)
    (line,) = (
        x for x in schema.to_toml().splitlines() if x.startswith('# "insurer, p')
    )
    assert "Public with 0" in line
    read = type(schema).from_toml(schema.to_toml())
    assert read.rules == schema.rules
    assert all(getattr(rule, "said", None) is None for rule in read.rules)


@pytest.mark.parametrize("name", ["a\nb", "x\x7fy", "#"])
def test_names_stay_inside_of_the_comment(name):
    schema = infer_schema(pd.DataFrame({name: ["a", "b"], "c": ["a", "c"]}))
    schema = schema.with_rules(Never(name, "c", said=f"{name}, c: never a with c"))
    assert type(schema).from_toml(schema.to_toml()).rules == schema.rules
