"""Who is told by the nearest drawn row: kernel, attack, and audit of a synthesizer."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from naive import telling_apart as naive
from support.visits import visits

from coclust_synth import CoclusterSynthesizer, TableError, infer_schema
from coclust_synth.evaluation import NearestRowAttack, audit_synthesizer
from coclust_synth.evaluation.telling_apart import audit as audit_module
from coclust_synth.evaluation.telling_apart._kernels import MixedRows, nearest_others
from coclust_synth.evaluation.telling_apart.auc import AUC
from coclust_synth.evaluation.telling_apart.nearest_rows import ISOLATED, Membership
from coclust_synth.generators.plain.synthesizer import clusters_for_another_k


def mixed(rng, n, n_owners):
    return MixedRows(
        rng.integers(0, 5, (n, 2)) / 4.0,
        rng.integers(-1, 3, (n, 3)).astype(np.int32),
        rng.integers(-1, n_owners, n),
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_kernel_is_its_naive_twin(seed):
    rng = np.random.default_rng(seed)
    rows, references = mixed(rng, 30, 4), mixed(rng, 25, 4)
    found = nearest_others(rows, references)
    np.testing.assert_allclose(found, naive.nearest_others(rows, references))
    nobody = MixedRows(*(own[:0] for own in references))
    assert np.isinf(nearest_others(rows, nobody)).all()


def people(n, seed):
    rng = np.random.default_rng(seed)
    income = rng.lognormal(3, 1, n)
    return pd.DataFrame(
        {
            "income": pd.Series(income).mask(rng.random(n) < 0.1),
            "spent": income * rng.random(n),
            "born": pd.Timestamp("1950-01-01")
            + pd.to_timedelta(rng.integers(0, 20_000, n), "D"),
            "sex": rng.choice(["F", "M", None], n),
            "rooms": rng.integers(1, 6, n),
        }
    )


@pytest.fixture(scope="module")
def attack():
    table = people(2000, 0)
    schema = infer_schema(table).keep(*table)
    return NearestRowAttack(table[:1000], table[1000:], schema), table


@pytest.mark.slow
def test_a_copy_tells_and_fresh_rows_do_not(attack):
    attack, table = attack
    copied = attack.membership(table[:1000])
    assert copied.every.value > 0.99 and copied.isolated.value > 0.99
    assert copied.every.n_positives == 1000
    asked = copied.isolated.n_positives + copied.isolated.n_negatives
    assert asked == round(ISOLATED * 2000)
    fresh = attack.membership(people(1000, 1))
    assert fresh.every.value == pytest.approx(0.5, abs=0.05)
    assert fresh.isolated.value == pytest.approx(0.5, abs=0.1)


def test_who_stands_out_can_be_told_although_most_are_not(attack):
    attack, table = attack
    real = table[:1000]
    far = real["spent"] > real["spent"].quantile(0.95)
    release = pd.concat([people(1000, 1), real[far]])
    told = attack.membership(release)
    assert told.isolated.value > told.every.value + 0.05


def test_few_rows_are_refused():
    table = people(100, 0)
    with pytest.raises(TableError, match="Received 19"):
        NearestRowAttack(table[:81], table[81:], infer_schema(table).keep(*table))


def test_other_rows_of_a_person_do_not_make_a_row_less_isolated():
    table = people(400, 0)
    twice = pd.concat([table, table], ignore_index=True)
    schema = infer_schema(table).keep(*table)
    person = np.append(np.arange(200), np.arange(200))
    parts = (pd.concat([table[:200]] * 2), pd.concat([table[200:]] * 2))
    alone = NearestRowAttack(*parts, schema, persons=(person, person))
    as_rows = NearestRowAttack(*parts, schema)
    # Every row has its double: as rows, all are as near, and any are taken.
    release = twice[:100]
    far = alone.membership(release).isolated
    any_row = as_rows.membership(release).isolated
    assert far != any_row


@pytest.mark.slow
@pytest.mark.parametrize("within", ["independent", "trees"])
def test_an_audit_tells_both_and_along_k(within):
    table = people(400, 0)
    table["rooms"] = pd.qcut(table["spent"], 5, labels=False)
    options = {"k": 10, "n_iterations": 2, "random_state": 0, "within": within}
    one, two = (
        audit_synthesizer(CoclusterSynthesizer(**options), table) for _ in range(2)
    )
    assert one == two
    assert one.k == 10 and sorted(one.along_k) == [20, 50, 100, 200]
    facts = one.facts()
    assert 0.4 < facts["membership"]["auc"] < 0.75
    assert facts["membership"]["low"] < facts["membership"]["auc"]
    assert list(facts["isolated_along_k"]) == ["10", "20", "50", "100", "200"]
    assert list(facts["along_k"]) == list(facts["isolated_along_k"])
    hidden = one.hidden_from
    for name in ("along_k", "isolated_along_k"):
        figures = {int(k): v for k, v in facts[name].items()}
        assert all(v < 0.55 for k, v in figures.items() if hidden and k >= hidden)
    assert (facts["told_by"] is None) == (facts["membership"]["auc"] < 0.55)


@pytest.mark.slow
def test_an_audit_asks_no_k_below_what_a_column_calls_rare():
    table = people(300, 0)
    schema = infer_schema(table)
    columns = [
        replace(column, rare=60) if column.kind == "categorical" else column
        for column in schema.columns
    ]
    model = CoclusterSynthesizer(k=80, n_iterations=2, random_state=0)
    audit = audit_synthesizer(model, table, replace(schema, columns=tuple(columns)))
    assert any(column.rare for column in columns)
    assert sorted(audit.along_k) == [100, 200]


@pytest.mark.slow
def test_an_audit_parts_persons():
    table = visits(np.random.default_rng(0), 150).drop(columns="pin")
    model = CoclusterSynthesizer(
        k=20, person_id="who", n_iterations=2, random_state=0, within="trees"
    ).fit(table)
    audit = audit_synthesizer(model, table)
    assert audit.k == 20 and sorted(audit.along_k) == [50, 100]


def folded(kind, n=150):
    """Rows with a column that is learnt from by labels and numbers."""
    rng = np.random.default_rng(0)
    sex, age = rng.choice(["F", "M"], n), rng.integers(20, 80, n)
    low = rng.integers(50, 100, n)
    results = np.round(rng.lognormal(1, 1, n), 1)
    texts = {
        "patterned": [f"{own + 30 + i % 9}/{own}" for i, own in enumerate(low)],
        "with words": np.where(rng.random(n) < 0.1, "<0.2", results.astype(str)),
        "spelt": np.where(rng.random(n) < 0.1, "none", results.astype(str)),
    }[kind]
    table = pd.DataFrame({"x": [*map(str, texts)], "sex": sex, "age": age})
    return table.assign(number=results) if kind == "spelt" else table


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["patterned", "with words", "spelt"])
def test_an_audit_learns_from_labels_for_each_k(kind, monkeypatch):
    monkeypatch.setattr(audit_module, "ALONG_K", (20,))
    table = folded(kind)
    schema = infer_schema(table).keep("x")
    options = {"k": 10, "rare": 5, "n_iterations": 1, "random_state": 0}
    model = CoclusterSynthesizer(**options).fit(table, schema)
    assert [own.column for own in model.model_.spelt] == ["x"]
    assert clusters_for_another_k(model) is None
    assert [*audit_synthesizer(model, table, schema).along_k] == [20]


@pytest.mark.slow
def test_an_audit_numbers_nested_keys_for_each_k(monkeypatch, rng):
    monkeypatch.setattr(audit_module, "ALONG_K", (20,))
    claim = np.arange(240) // 2
    table = pd.DataFrame(
        {"who": claim // 3, "claim": claim + 1000, "sex": rng.choice(["F", "M"], 240)}
    )
    schema = infer_schema(table).as_key("claim")
    options = {"k": 10, "person_id": "who", "n_iterations": 1, "random_state": 0}
    model = CoclusterSynthesizer(**options).fit(table, schema)
    assert [own.column for own in model.model_.nested] == ["claim"]
    assert [*audit_synthesizer(model, table, schema).along_k] == [20]


def test_rows_told_by_one_column_are_not_told_without_it():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"code": [f"c{i}" for i in range(2000)], "sex": rng.choice(["F", "M"], 2000)}
    )
    schema = infer_schema(table).keep(*table)
    attack = NearestRowAttack(table[:1000], table[1000:], schema)
    release = table[:1000].assign(sex=rng.choice(["F", "M"], 1000))
    assert attack.membership(release).every.value > 0.7
    without = attack.without_each(release)
    assert without["code"] == pytest.approx(0.5, abs=0.03) and without["sex"] > 0.9
    one = NearestRowAttack(table[:1000], table[1000:], schema.drop("sex"))
    assert one.without_each(release) == {}


def test_an_audit_is_over_where_all_rows_and_isolated_ones_are_hidden():
    def told(every, isolated):
        return Membership(*(AUC(v, v, v, 10, 10) for v in (every, isolated)))

    along = {20: told(0.56, 0.52), 50: told(0.53, 0.57), 100: told(0.54, 0.54)}
    audit = audit_module.Audit(10, told(0.6, 0.6), along, {"sex": 0.59, "born": 0.51})
    assert audit.hidden_from == 100
    assert audit.facts()["told_by"] == {"column": "born", "auc_without": 0.51}
