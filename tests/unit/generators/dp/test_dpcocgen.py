"""What DPCocGen spends, when it queries the data, and that nothing of them is kept.

Noise has no seed: tests hold whatever is drawn, or replace it, or state their chance.
"""

import math
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from support.private_noise import (
    forbid_noise,
    invent_counts,
    repeat_noise,
    silence_noise,
)

from coclust_synth.exceptions import (
    CoclustSynthError,
    DataWarning,
    NotFittedError,
    ParameterError,
    SchemaError,
    TableError,
)
from coclust_synth.generators.domain_synthesizer import DomainSynthesizer
from coclust_synth.generators.dp.adaptive import budget
from coclust_synth.generators.dp.dense import histograms as module
from coclust_synth.generators.dp.dense import partition
from coclust_synth.generators.dp.dense.split import choose_split
from coclust_synth.generators.dp.dpcocgen import DPCocGen
from coclust_synth.privacy.noise.ledger import PrivacyLedger
from coclust_synth.tables.domain.domain import Domain

DOMAIN = Domain.from_dict(
    {
        "job": {"categories": ["cook", "clerk", "nurse"], "other": "rest"},
        "sex": ["F", "M"],
        "age": {"low": 20, "high": 59, "bins": 4, "missing": ""},
        "pay": {"low": 0.5, "high": 9.5, "bins": 3},
    }
)
N_ROWS = 997
KINDS = ("default", "adaptive", "thesis", "thesis-merges", "blocks")
EXACT = 500.0  # counts are taken for exact


def people(n=N_ROWS, seed=0):
    """Pay goes with the job, age with sex; some jobs and ages are not declared."""
    rng = np.random.default_rng(seed)
    job, sex = rng.integers(0, 4, n), rng.integers(0, 2, n)
    age = (20 + 20 * sex + rng.integers(0, 20, n)).astype(float)
    age[rng.random(n) < 0.1] = np.nan
    return pd.DataFrame(
        {
            "name": [f"Zebedee {i}" for i in range(n)],
            "pay": 0.5 + 3 * np.minimum(job, 2) + 2.9 * rng.random(n),
            "sex": np.array(["F", "M"])[sex],
            "job": np.array(["cook", "clerk", "nurse", "okapi tamer"])[job],
            "age": age,
        }
    )


@pytest.fixture(scope="module")
def table():
    return people()


@pytest.fixture(autouse=True)
def short_search(monkeypatch):
    """What is spent, queried and kept is the same for any partition that is found."""
    monkeypatch.setattr(partition, "_N_ITERATIONS", 2)


@pytest.fixture(params=KINDS)
def make(request, monkeypatch):
    """A generator of each kind; the domain of 120 cells is cut into blocks of 20."""
    if request.param == "blocks":
        monkeypatch.setattr(module, "MAX_CELLS", 20)

    def made(epsilon=1.0, domain=DOMAIN, **options):
        return DPCocGen(epsilon, domain, variant=request.param, **options)

    made.kind = request.param
    return made


def joint(frame, domain=DOMAIN):
    cells = domain.to_cells(domain.encode(frame))
    return np.bincount(cells, minlength=domain.n_cells)


# the ledger


@pytest.mark.slow
@pytest.mark.noise
def test_looks_at_a_small_domain():
    epsilon = 0.8
    generator = DPCocGen(epsilon, DOMAIN).fit(people())
    rows, *entries = generator.ledger_.entries
    assert (rows.what, rows.epsilon, rows.n_values) == ("rows", 0.01 * epsilon, 1)
    names = "job, sex, age, pay"
    assert [entry.what for entry in entries] == [
        *(f"values of {name}" for name in DOMAIN.names),
        f"cells of {names}",
        f"coarse cells of {names}",
    ]
    split = choose_split(0.99 * epsilon, DOMAIN.sizes)
    shares = [split.margin] * 4 + [split.histogram, split.grid]
    assert [e.epsilon for e in entries] == pytest.approx(shares, rel=1e-12)
    n_coarse = math.prod(int(p.max()) + 1 for p in generator.model_.parts[0])
    assert [e.n_values for e in entries] == [4, 2, 5, 3, 120, n_coarse]
    assert generator.model_.blocks == [(0, 1, 2, 3)]


@pytest.mark.noise
@pytest.mark.parametrize("split", [0.5, 0.3])
def test_looks_of_the_thesis(split):
    generator = DPCocGen(0.8, DOMAIN, variant="thesis", split=split).fit(people())
    first, second = generator.ledger_.entries
    assert first.what == "cells of job, sex, age, pay" and first.n_values == 120
    assert second.what == "coarse cells of job, sex, age, pay"
    assert first.epsilon == split * 0.8
    assert second.epsilon == pytest.approx((1 - split) * 0.8)


@pytest.mark.noise
def test_looks_at_blocks(monkeypatch):
    monkeypatch.setattr(module, "MAX_CELLS", 20)
    generator = DPCocGen(0.8, DOMAIN, variant="blocks").fit(people())
    scores, *rest = generator.ledger_.entries
    assert scores.what == "dependence of each pair of columns"
    assert scores.epsilon == pytest.approx(0.08)
    # Six pairs, each of which a row changes by 2 at most.
    assert (scores.sensitivity, scores.n_values) == (12, 6)
    assert scores.scale == pytest.approx(12 / 0.08)
    expected = []
    for block in generator.model_.blocks:
        names = [DOMAIN.names[axis] for axis in block]
        assert math.prod(DOMAIN.sizes[axis] for axis in block) <= 20
        expected += [f"values of {name}" for name in names]
        expected += [f"cells of {', '.join(names)}"]
        expected += [f"coarse cells of {', '.join(names)}"]
    assert len(generator.model_.blocks) > 1
    assert set().union(*generator.model_.blocks) == {0, 1, 2, 3}
    assert [entry.what for entry in rest] == expected


@pytest.mark.slow
@pytest.mark.noise
@pytest.mark.parametrize("epsilon", [0.05, 0.1, 0.3, 0.7, 1.0, 1.1, 2.9, 3.0])
def test_the_whole_budget_is_spent_and_no_more(make, epsilon, table):
    ledger = make(epsilon).fit(table).ledger_
    assert math.fsum(entry.epsilon for entry in ledger.entries) == epsilon
    assert ledger.spent == epsilon and ledger.remaining == 0.0


@pytest.mark.slow
@pytest.mark.noise
@pytest.mark.parametrize(
    "options, factor",
    [
        ({}, 1),
        ({"neighbours": "replace"}, 2),
        ({"rows_per_person": 3}, 3),
        ({"neighbours": "replace", "rows_per_person": 3}, 6),
    ],
)
def test_neighbours_and_rows_per_person_multiply_the_noise(
    make, options, factor, table
):
    entries = make(**options).fit(table).ledger_.entries
    spent = {entry.what: entry.epsilon for entry in entries}
    for entry in entries:
        changes = {"dependence of each pair": 12, "mean dependence": 2}
        of_a_row = next((c for what, c in changes.items() if what in entry.what), 1)
        assert entry.sensitivity == factor * of_a_row
        times = 2 if "max" in entry.mechanism else 1
        epsilon = entry.epsilon
        if entry.mechanism.endswith("finer"):  # the draft has paid for the rest
            epsilon += spent[entry.what.removesuffix(", finer")]
        assert entry.scale == pytest.approx(times * factor * of_a_row / epsilon)


def test_the_noise_drawn_is_that_of_the_ledger(make, table, monkeypatch):
    drawn = []

    def draw(values, *, sensitivity, epsilon):
        drawn.append((sensitivity, epsilon, len(values)))
        return values, sensitivity / epsilon

    def best(scores, **costs):
        draw(scores, **costs)
        return 0, 2 * costs["sensitivity"] / costs["epsilon"]

    monkeypatch.setattr("coclust_synth.privacy.noise.ledger.discrete_laplace", draw)
    monkeypatch.setattr("coclust_synth.privacy.noise.ledger.noisy_max", best)
    entries = make(neighbours="replace").fit(table).ledger_.entries
    assert drawn == [(e.sensitivity, e.epsilon, e.n_values) for e in entries]


# queries of the data


class Watched(np.ndarray):
    """Codes that tell of every function over them, and of their number."""

    def __array_finalize__(self, source):
        self.log = getattr(source, "log", None)

    def __array_function__(self, function, types, args, kwargs):
        self.log.append(function.__name__)
        return np.asarray(super().__array_function__(function, types, args, kwargs))

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        self.log.append(ufunc.__name__)
        inputs = [np.asarray(i) if isinstance(i, Watched) else i for i in inputs]
        return getattr(ufunc, method)(*inputs, **kwargs)

    def __len__(self):
        if len(self.shape) and self.shape[0] == N_ROWS:
            self.log.append("number of rows")
        return super().__len__()


def watch(monkeypatch):
    """The log of queries, in which "paid" stands for an entry of the ledger."""
    log = []
    encode, noisy_counts = Domain.encode, PrivacyLedger.noisy_counts

    def watched(self, frame):
        codes = encode(self, frame).view(Watched)
        codes.log = log
        return codes

    def paid(self, *args, **kwargs):
        log.append("paid")
        return noisy_counts(self, *args, **kwargs)

    monkeypatch.setattr(Domain, "encode", watched)
    monkeypatch.setattr(PrivacyLedger, "noisy_counts", paid)
    return log


@pytest.mark.noise
def test_the_thesis_looks_twice(table, monkeypatch):
    log = watch(monkeypatch)
    DPCocGen(1.0, DOMAIN, variant="thesis").fit(table).sample()
    # The parts of the rows are found by indexing, which is no function over them.
    assert log == ["ravel_multi_index", "paid", "paid"]


@pytest.mark.noise
def test_each_look_is_paid_before_the_next(table, monkeypatch):
    log = watch(monkeypatch)
    generator = DPCocGen(1.0, DOMAIN).fit(table)
    generator.sample()
    assert log[:2] == ["number of rows", "paid"]
    assert log[2:] == ["bincount", "paid"] * 4 + ["ravel_multi_index", "paid"] * 2
    assert log.count("paid") == len(generator.ledger_.entries)


@pytest.mark.noise
def test_each_look_at_a_block_is_paid_before_the_next(table, monkeypatch):
    monkeypatch.setattr(module, "MAX_CELLS", 20)
    log = watch(monkeypatch)
    generator = DPCocGen(1.0, DOMAIN, variant="blocks").fit(table)
    generator.sample()
    first = log.index("paid")
    # For each pair, one column times a size plus the other.
    assert log[:first] == ["multiply", "add"] * 6
    expected = ["paid"]
    for block in generator.model_.blocks:
        expected += ["bincount", "paid"] * len(block)
        expected += ["ravel_multi_index", "paid"] * 2
    assert log[first:] == expected


def test_all_else_is_post_processing(make, table, monkeypatch):
    """Equal noisy numbers, equal models and rows: tables of 997 rows, of 3 and of 0."""
    released = []
    for frame in (table, people(3, seed=1), table.iloc[:0]):
        invent_counts(monkeypatch)
        generator = make().fit(frame)
        rows = generator.sample(random_state=0)
        released.append((pickle.dumps(generator), pickle.dumps(rows)))
    assert released[1:] == released[:1] * 2


# rows


@pytest.mark.noise
def test_rows_are_of_the_domain_and_as_many_as_asked(make, table):
    generator = make().fit(table)
    sample = generator.sample(random_state=0)
    assert len(sample) == generator.n_rows_
    assert list(sample.columns) == list(DOMAIN.names)
    assert sample.dtypes.map(str).tolist()[2:] == ["Int64", "float64"]
    assert set(sample["job"]) <= {"cook", "clerk", "nurse", "rest"}
    DOMAIN.encode(sample.replace({"rest": "okapi tamer"}))
    for n in (0, 1, 2, 50, 5000):
        few = generator.sample(n, random_state=n)
        assert len(few) == n and list(few.columns) == list(DOMAIN.names)


def test_a_sample_is_that_of_its_seed(make, table, monkeypatch):
    rows = []
    for _ in range(2):
        repeat_noise(monkeypatch)
        generator = make().fit(table)
        rows.append(generator.sample(random_state=0))
    assert rows[0].equals(rows[1]) and rows[0].equals(generator.sample(random_state=0))
    assert not rows[0].equals(generator.sample(random_state=1))


def learnt(generator):
    """Bytes of what was learnt, but for what was asked."""
    asked = {*generator.get_params(), "ledger_", "domain_"}
    found = {k: v for k, v in vars(generator).items() if k not in asked}
    return pickle.dumps(found)


@pytest.mark.noise
def test_two_fits_differ(make, table):
    """The noise has no seed: the chance of equal numbers is below 1e-9."""
    first, second = (make(0.1).fit(table) for _ in range(2))
    assert learnt(first) != learnt(second)


@pytest.mark.noise
@pytest.mark.filterwarnings("ignore::coclust_synth.exceptions.DataWarning")
@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("epsilon", [1e-4, 0.01, 1.0])
def test_hardly_any_rows(make, epsilon, n, table):
    """Refusing them would tell them from their neighbours."""
    generator = make(epsilon).fit(table.iloc[:n])
    assert generator.n_rows_ >= 0
    assert len(generator.sample(50)) == 50


@pytest.mark.parametrize("epsilon", [800.0, pytest.param(1e5, marks=pytest.mark.slow)])
def test_no_epsilon_is_too_large(make, epsilon, table, monkeypatch):
    silence_noise(monkeypatch)
    generator = make(epsilon).fit(table)
    assert generator.n_rows_ == N_ROWS and len(generator.sample()) == N_ROWS


def test_without_noise_the_joint_comes_back(table, monkeypatch):
    silence_noise(monkeypatch)
    generator = DPCocGen(EXACT, DOMAIN).fit(table)
    assert generator.n_rows_ == N_ROWS
    assert np.abs(generator.model_.joints[0].ravel() - joint(table)).max() < 0.01
    sample = generator.sample(random_state=0).replace({"rest": "okapi tamer"})
    assert (joint(sample) == joint(table)).all()


def test_without_noise_the_joint_of_each_block_comes_back(table, monkeypatch):
    monkeypatch.setattr(module, "MAX_CELLS", 20)
    silence_noise(monkeypatch)
    generator = DPCocGen(EXACT, DOMAIN, variant="blocks").fit(table)
    assert generator.n_rows_ == N_ROWS
    # Job and pay, age and sex go together, and so into blocks of their own.
    assert {frozenset(block) for block in generator.model_.blocks} >= {
        frozenset({0, 3}),
        frozenset({1, 2}),
    }
    model = generator.model_
    for block, found in zip(model.blocks, model.joints, strict=True):
        domain = DOMAIN.select([DOMAIN.names[axis] for axis in block])
        assert np.abs(found.ravel() - joint(table, domain)).max() < 0.01


def test_without_noise_the_coarse_cells_of_the_thesis_come_back(table, monkeypatch):
    silence_noise(monkeypatch)
    generator = DPCocGen(EXACT, DOMAIN, variant="thesis").fit(table)
    assert generator.n_rows_ == N_ROWS
    found = generator.model_
    parts = found.parts
    shape = tuple(int(part.max()) + 1 for part in parts)
    coarse = {}
    codes = DOMAIN.encode(table)
    for row in codes:
        cell = tuple(part[value] for part, value in zip(parts, row, strict=True))
        coarse[cell] = coarse.get(cell, 0) + 1
    assert 1 < math.prod(shape) < DOMAIN.n_cells and len(coarse) > 1
    expected = [coarse.get(cell, 0) for cell in np.ndindex(*shape)]
    counts = np.zeros(math.prod(shape), dtype=np.int64)
    counts[found.cells] = found.counts
    assert counts.tolist() == expected
    # Rows keep the coarse cell that they are drawn from, and its values are as likely.
    drawn = DOMAIN.encode(generator.sample(12_000, random_state=0))
    again = [part[of] for part, of in zip(parts, drawn.T, strict=True)]
    shares = np.bincount(np.ravel_multi_index(again, shape), minlength=len(counts))
    assert np.abs(shares - counts * (12_000 / N_ROWS)).max() <= 1


# nothing of the data


def arrays(thing):
    """Every array, table and list that can be reached from an object."""
    if isinstance(thing, np.ndarray | pd.DataFrame | pd.Series | pd.Index):
        yield thing
    elif isinstance(thing, dict):
        for value in thing.values():
            yield from arrays(value)
    elif isinstance(thing, list | tuple):
        yield np.empty(len(thing))
        for value in thing:
            yield from arrays(value)
    elif hasattr(thing, "__dict__"):
        yield from arrays(vars(thing))


@pytest.mark.noise
def test_a_generator_keeps_nothing_of_the_table(make, table, caplog, capfd):
    generator = make().fit(table)
    generator.sample(5)
    found = list(arrays(generator))
    assert found and not any(N_ROWS in array.shape for array in found)
    texts = [repr(generator), str(generator.ledger_), repr(vars(generator))]
    texts += [repr(generator.ledger_.to_dict()), caplog.text, *capfd.readouterr()]
    content = pickle.dumps(generator)
    for marker in ("Zebedee", "okapi", "name"):
        assert marker not in "".join(texts).replace("names", "").replace("name=", "")
    assert b"Zebedee" not in content and b"okapi" not in content
    assert b"cook" in content  # declared: a value of the domain would be found


def test_messages_hold_no_value_of_the_table(make, table, monkeypatch):
    forbid_noise(monkeypatch)
    domain = Domain.from_dict({"job": ["cook", "clerk", "nurse"], "sex": ["F", "M"]})
    with pytest.raises(TableError, match=r"Received rows outside") as error:
        make(domain=domain).fit(table)
    assert "okapi" not in str(error.value) and error.value.__cause__ is None


@pytest.mark.parametrize(
    "bins, n_rows, epsilon, is_dense",
    [
        ((10, 10, 10, 10, 10), 12_000, 1.0, True),  # 100,000 cells, 8 a row
        ((10, 10, 10, 10, 10), 12_000, 0.5, False),
        ((10, 10, 10, 10, 11), 12_000, 3.0, False),  # too many
        ((10, 10, 10, 10, 5, 2), 12_000, 1.0, False),  # six columns, 8 a row
        ((10, 10, 10, 4, 5, 2), 12_000, 1.0, True),  # 3 a row
        ((2,) * 8, 12_000, 1.0, True),
        ((2,) * 9, 12_000, 0.1, True),  # .43 a row
        ((2,) * 9, 10_000, 0.1, False),
        ((2,) * 14, 120_000, 1.0, True),  # .14 a row
        ((2,) * 14, 100_000, 1.0, False),
        ((2,) * 17, 10**6, 1.0, False),  # columns
        ((10, 10, 4), 3_000, 0.1, False),  # few rows, single columns .04 off
        ((10, 10, 4), 8_000, 0.1, True),  # half a cell for each
    ],
)
def test_cells_are_counted_where_the_noise_leaves_enough_of_them(
    bins, n_rows, epsilon, is_dense
):
    domain = {f"c{j}": {"low": 0, "high": 99, "bins": n} for j, n in enumerate(bins)}
    plan = DPCocGen(epsilon, domain).plan(n_rows)
    assert (plan.path == "histogram") == is_dense


# what is refused


def without(name):
    return people(20).drop(columns=name)


def outside(**values):
    return people(20).assign(**values)


@pytest.mark.parametrize(
    "options, frame, match",
    [
        *(
            ({"epsilon": epsilon}, people(20), "Expected epsilon to be a number")
            for epsilon in (0, -1.0, 1e-9, math.nan, math.inf, "1", None, True)
        ),
        *(
            ({"split": split}, people(20), "split")
            for split in (0, 1, 1.0, -0.1, 1.1, math.nan, "half", None)
        ),
        ({"variant": "fast"}, people(20), "variant"),
        ({"neighbours": "bounded"}, people(20), "neighbours"),
        ({"rows_per_person": 0}, people(20), "rows_per_person"),
        ({"rows_per_person": 1.5}, people(20), "rows_per_person"),
        ({"domain": {}}, people(20), "at least one column"),
        ({"domain": {"sex": []}}, people(20), "at least one value"),
        ({"domain": 5}, people(20), "Expected a domain"),
        (
            {"domain": "absent.toml"},
            people(20),
            "Expected a domain in the file.*Received: ",
        ),
        (
            {"domain": {"id": {"low": 0, "high": 99_999, "bins": 25_001}}},
            people(20),
            "at most 25,000 values. Received one of 25,001",
        ),
        (
            {
                "domain": {c: {"low": 0, "high": 999, "bins": 1000} for c in "abcdef"},
                "variant": "thesis",
            },
            people(20),
            "fewer than 2.53 cells for the thesis's variant. Received 1e.18",
        ),
        ({}, without("sex"), "without 'sex'"),
        ({}, outside(sex="X"), "Received rows outside"),
        ({}, outside(age=60), "Received rows outside"),
        ({}, outside(pay=math.nan), "no missing value"),
        ({}, outside(age="old"), "expected numbers"),
        ({}, [1, 2], "Expected a DataFrame"),
    ],
)
def test_refused_before_anything_is_drawn_or_spent(options, frame, match, monkeypatch):
    forbid_noise(monkeypatch)
    spends = []
    monkeypatch.setattr(PrivacyLedger, "_spend", lambda *a, **k: spends.append(a))
    generator = DPCocGen(**{"epsilon": 1.0, "domain": DOMAIN, **options})
    with pytest.raises(CoclustSynthError, match=match) as error:
        generator.fit(frame)
    assert isinstance(error.value, ParameterError | SchemaError | TableError)
    assert not spends and not hasattr(generator, "ledger_")


@pytest.mark.parametrize(
    "variant, least",
    [
        ("blocks", 16 / 0.009),
        ("adaptive", 1 / budget.LEAST_SHARE),
        ("thesis", 120 * 10 / 0.2),
        ("thesis-merges", 1 / (0.2 * 0.02)),
    ],
)
@pytest.mark.filterwarnings("ignore::coclust_synth.exceptions.DataWarning")
def test_the_least_epsilon_pays_for_every_look(variant, least, table, monkeypatch):
    """Just above it all queries are made, just below none."""
    monkeypatch.setattr(module, "MAX_CELLS", 20)
    options = {"variant": variant, "split": 0.2}
    silence_noise(monkeypatch)
    generator = DPCocGen(1e-9 * least * 1.001, DOMAIN, **options).fit(table)
    assert generator.ledger_.remaining == 0.0
    forbid_noise(monkeypatch)
    with pytest.raises(ParameterError, match="Expected epsilon to be a number from"):
        DPCocGen(1e-9 * least * 0.999, DOMAIN, **options).fit(table)


@pytest.mark.noise
@pytest.mark.parametrize(
    "arguments, match",
    [
        ({"n": -1}, "n to be"),
        ({"n": 2.5}, "n to be"),
        ({"random_state": "x"}, "random_state"),
    ],
)
def test_samples_that_cannot_be_drawn(arguments, match, table):
    generator = DPCocGen(1.0, DOMAIN)
    with pytest.raises(NotFittedError, match="Call fit first"):
        generator.sample(1)
    with pytest.raises(ParameterError, match=match):
        generator.fit(table).sample(**arguments)


@pytest.mark.noise
def test_a_domain_of_the_data_is_said_aloud(make, table):
    domain = Domain.from_frame(table[["sex", "age"]], bins=4)
    with pytest.warns(DataWarning, match="not differentially private"):
        make(domain=domain).fit(table)


@pytest.mark.noise
def test_a_domain_may_be_a_mapping_or_a_file(table, tmp_path):
    DOMAIN.save(tmp_path / "domain.toml")
    assert DPCocGen(1.0, tmp_path / "domain.toml").fit(table).domain_ == DOMAIN
    assert DPCocGen(1.0, {"sex": ["F", "M"]}).fit(table).domain_.names == ("sex",)


def test_estimators_can_be_cloned():
    generator = DPCocGen(0.5, DOMAIN, variant="thesis", split=0.3, rows_per_person=2)
    assert isinstance(generator, DomainSynthesizer)
    assert clone(generator).get_params() == generator.get_params()
