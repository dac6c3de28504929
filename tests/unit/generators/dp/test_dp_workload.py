"""Workloads and targets: how they are read, what they weigh, what they change."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from support.private_noise import forbid_noise, silence_concentrated, silence_noise

from coclust_synth.baselines.private import aim
from coclust_synth.baselines.private.aim import AIMSynthesizer
from coclust_synth.exceptions import ParameterError, SchemaError
from coclust_synth.generators.dp import workload
from coclust_synth.generators.dp.adaptive import budget
from coclust_synth.generators.dp.dpcocgen import DPCocGen
from coclust_synth.generators.dp.workload import as_workload, read_workload
from coclust_synth.tables.domain.domain import Domain

NAMES = tuple("tabcdefg")
DOMAIN = Domain.from_dict({name: ["0", "1", "2", "3"] for name in NAMES})
WORKLOAD = [
    {"columns": ["a", "b", "c", "d"], "weight": 3},
    {"columns": ["t", "a"]},
    {"columns": ["t", "a", "b"], "weight": 5},
]


def people(n=6000, seed=0):
    """Two pairs hang together closely, two others with the target less so."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, (n, len(NAMES)))
    for column, other, share in ((5, 4, 0.9), (7, 6, 0.9), (1, 0, 0.5), (2, 0, 0.5)):
        same = rng.random(n) < share
        codes[same, column] = codes[same, other]
    return pd.DataFrame(codes, columns=list(NAMES)).astype(str)


# how they are read


def test_a_file_says_what_a_list_does(tmp_path):
    (tmp_path / "w.toml").write_text(
        '[[margin]]\ncolumns = ["a", "b", "c", "d"]\nweight = 3\n'
        '[[margin]]\ncolumns = ["t", "a"]\n'
        '[[margin]]\ncolumns = ["t", "a", "b"]\nweight = 5\n'
    )
    assert read_workload(tmp_path / "w.toml") == WORKLOAD
    of_file, of_list = (
        as_workload(source, ["b"], NAMES) for source in (tmp_path / "w.toml", WORKLOAD)
    )
    assert of_file == of_list
    assert of_list.targets == {2}
    assert of_list.sets[1] == ({0, 1}, 1)


@pytest.mark.parametrize(
    "content, match",
    [
        ("[[margin]\n", "TOML"),
        ("", r"\[\[margin\]\]"),
        ("margin = 3", r"\[\[margin\]\]"),
        ("margin = []", "at least one set"),
        ("margin = [3]", "a mapping"),
        ("[[set]]\ncolumns = ['a', 'b']", "expected the fields margin"),
        ("[[margin]]\nnames = ['a', 'b']", "expected the fields columns, weight"),
        ("[[margin]]\nweight = 2", "at least two columns"),
        ("[[margin]]\ncolumns = ['a']", "at least two columns"),
        ("[[margin]]\ncolumns = 'ab'", "at least two columns"),
        ("[[margin]]\ncolumns = ['a', 'a']", "different columns"),
        ("[[margin]]\ncolumns = ['a', 'nobody']", "Received 'nobody'"),
        ("[[margin]]\ncolumns = ['a', 3]", "Received 3"),
        *(
            (f"[[margin]]\ncolumns = ['a', 'b']\nweight = {weight}", "the weight")
            for weight in ("0", "-1", "1001", "0.5", "'2'", "true")
        ),
    ],
)
def test_what_does_not_read_is_refused_before_anything_is_spent(
    content, match, tmp_path, monkeypatch
):
    forbid_noise(monkeypatch)
    (tmp_path / "w.toml").write_text(content)
    for generator in (
        DPCocGen(1.0, DOMAIN, workload=tmp_path / "w.toml"),
        AIMSynthesizer(1.0, DOMAIN, delta=1e-9, workload=tmp_path / "w.toml"),
    ):
        with pytest.raises((ParameterError, SchemaError), match=match):
            generator.fit(people(10))
        assert not hasattr(generator, "ledger_")


@pytest.mark.parametrize(
    "options, match",
    [
        ({"workload": "nowhere.toml"}, "in the file 'nowhere.toml'"),
        ({"workload": {"columns": ["a", "b"]}}, "a workload as a list"),
        ({"workload": 3}, "a workload as a list"),
        ({"targets": ["nobody"]}, "Received 'nobody'"),
        ({"targets": "ab"}, r"Write \['ab'\]"),
        ({"targets": 3}, "targets as a list of names. Received 3"),
        ({"targets": {"a"}}, "targets as a list of names"),
        ({"targets": ["a"], "variant": "blocks"}, "for the variant 'blocks'"),
        ({"workload": WORKLOAD, "variant": "thesis"}, "for the variant 'thesis'"),
    ],
)
def test_wrong_parameters_are_refused(options, match, monkeypatch):
    forbid_noise(monkeypatch)
    with pytest.raises(ParameterError, match=match):
        DPCocGen(1.0, DOMAIN, **options).fit(people(10))


@pytest.mark.parametrize("most, kind", [(17, DPCocGen), (18, AIMSynthesizer)])
def test_weights_that_no_choice_can_be_paid_for_are_refused(most, kind, monkeypatch):
    """Before anything is spent: the largest weight is the sensitivity of a choice."""
    forbid_noise(monkeypatch)
    monkeypatch.setattr(workload, "MAX_SENSITIVITY", most)
    generator = kind(1.0, DOMAIN, delta=1e-9, workload=WORKLOAD)
    with pytest.raises(ParameterError, match=f"no margin weighs more than {most}"):
        generator.fit(people(10))
    with pytest.raises(ParameterError, match="Give smaller weights"):
        generator.plan(100)


# what they weigh


def test_a_margin_counts_what_the_sets_that_hold_it_do():
    asked = as_workload(WORKLOAD, ["b"], NAMES)
    number = NAMES.index
    expected = {"ta": 6, "ab": 2 * 8, "cd": 3, "tab": 2 * 5, "tc": 0, "abt": 2 * 5}
    for names, weight in expected.items():
        assert asked.weight(map(number, names)) == weight
    plain = as_workload(None, None, NAMES)
    assert {plain.weight(pair) for pair in combinations(range(8), 2)} == {1}


@pytest.mark.parametrize("given", [None, WORKLOAD])
@pytest.mark.parametrize("targets", [(), ("b", "d")])
def test_weights_of_aim_are_those_of_the_paper(given, targets):
    """w_r = sum over s of the workload of c_s |r n s|, but for a factor."""
    sets = given or [{"columns": list(NAMES)}]
    wanted = {}
    for entry in sets:
        order = min(3, len(entry["columns"]))
        for names in combinations(sorted(entry["columns"]), order):
            factor = 2 if {*names} & {*targets} else 1
            weight = factor * entry.get("weight", 1)
            wanted[frozenset(names)] = wanted.get(frozenset(names), 0) + weight
    found = aim._weights(as_workload(given, targets, NAMES).margins(3))
    parts = {
        frozenset(part)
        for names in wanted
        for order in (1, 2, 3)
        for part in combinations(sorted(names), order)
    }
    assert {frozenset(NAMES[j] for j in columns) for columns in found} == parts
    ratios = {
        sum(c * len(s & {NAMES[j] for j in columns}) for s, c in wanted.items()) / own
        for columns, own in found.items()
    }
    assert len(ratios) == 1


# what they change


@pytest.mark.slow
@pytest.mark.noise
@pytest.mark.parametrize(
    "options, sensitivity",
    [
        ({}, 1),
        ({"targets": ["t"]}, 2),
        ({"workload": WORKLOAD}, 8),
        ({"workload": WORKLOAD, "targets": ["b"]}, 16),
    ],
)
@pytest.mark.parametrize("delta", [None, 1e-9])
def test_the_largest_weight_is_paid_for(options, sensitivity, delta, monkeypatch):
    monkeypatch.setattr(budget, "_MAX_ROUNDS", 4)
    generator = DPCocGen(1.0, DOMAIN, variant="adaptive", delta=delta, **options)
    plan = generator.plan(6000)
    ledger = generator.fit(people()).ledger_
    choices = [e for e in ledger.entries if "max" in e.mechanism]
    assert choices and {e.sensitivity for e in choices} == {sensitivity}
    (planned,) = (q for q in plan.queries if "max" in q.mechanism)
    assert planned.scale == pytest.approx(choices[0].scale, rel=0.2)
    assert ledger.remaining == 0.0


def test_what_no_set_holds_is_not_measured(monkeypatch):
    silence_noise(monkeypatch)
    silence_concentrated(monkeypatch)
    monkeypatch.setattr(aim, "_ROUNDS", 2)
    monkeypatch.setattr(aim, "_LAST_FIT", 20)
    sets = [{*entry["columns"]} for entry in WORKLOAD]
    adaptive_ = DPCocGen(1.0, DOMAIN, variant="adaptive", workload=WORKLOAD)
    chosen = adaptive_.fit(people()).model_.chosen
    assert len(chosen) > 2
    for candidate in chosen:
        names = {NAMES[j] for j in candidate.columns}
        assert any(names <= of for of in sets)
    generator = AIMSynthesizer(1.0, DOMAIN, delta=1e-9, workload=WORKLOAD)
    margins = generator.fit(people()).margins_
    assert margins and all(any({*names} <= of for of in sets) for names in margins)


@pytest.mark.slow
@pytest.mark.noise
def test_relations_with_the_target_are_nearer(monkeypatch):
    """Two margins are measured: the closest pairs, or those of the target.

    Their scores are 8,100 rows, and twice 4,500: apart by more than 150 scales of the
    noise of a choice; what is counted is less than .01 off. Chance below e^-50.
    """
    monkeypatch.setattr(budget, "_MOST", 1)  # each column counted alone
    monkeypatch.setattr(budget, "_MAX_ROUNDS", 2)
    monkeypatch.setattr(budget, "_MAX_TRIPLE", 1)
    frame = people()
    means = []
    for targets in (None, ["t"]):
        generator = DPCocGen(20.0, DOMAIN, variant="adaptive", targets=targets)
        drawn = [generator.fit(frame).sample() for _ in range(3)]
        errors = [
            [variation(frame, table, "t", name) for name in "ab"] for table in drawn
        ]
        means.append(np.mean(errors))
    assert means[0] > 0.3 and means[1] < 0.1


def variation(frame, other, *names):
    """Total variation of a pair."""
    real, drawn = (
        pd.crosstab(table[names[0]], table[names[1]], normalize=True)
        for table in (frame, other)
    )
    return (real - drawn).abs().to_numpy().sum() / 2
