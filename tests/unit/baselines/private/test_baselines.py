"""What the baselines have in common, and what each learns where noise is negligible.

Tests hold whatever noise is drawn, or with `EXACT` where none is.
"""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from coclust_synth.baselines.private.histograms.dpcube import DPCube
from coclust_synth.baselines.private.histograms.laplace import LaplaceHistogram
from coclust_synth.baselines.private.histograms.noise_first import NoiseFirst
from coclust_synth.baselines.private.independent import IndependentMargins
from coclust_synth.baselines.private.privbayes import PrivBayes
from coclust_synth.exceptions import (
    DataWarning,
    NotFittedError,
    ParameterError,
    TableError,
)
from coclust_synth.tables.domain.domain import Domain

DOMAIN = Domain.from_dict(
    {
        "job": ["cook", "clerk", "nurse", "pilot"],
        "sex": ["F", "M"],
        "age": {"low": 20, "high": 59, "bins": 4},
        "boss": ["no", "yes"],
    }
)
ALL = [
    IndependentMargins,
    LaplaceHistogram,
    lambda *a, **k: LaplaceHistogram(*a, projection="clip", **k),
    PrivBayes,
    DPCube,
    NoiseFirst,
]
# Total at which counts cost 350 or more: one of a thousand differs from the right one
# once in e^340 times.
EXACT = 2000.0


def people(n=3000, seed=0):
    """Jobs go with sex, being a boss with age, and both with each other."""
    rng = np.random.default_rng(seed)
    sex = rng.integers(0, 2, n)
    job = np.where(rng.random(n) < 0.8, 2 * sex, rng.integers(0, 4, n))
    age = rng.integers(20, 60, n)
    boss = (age > 45) & (job > 0)
    return pd.DataFrame(
        {
            "sex": np.array(["F", "M"])[sex],
            "job": np.array(DOMAIN["job"].categories)[job],
            "age": age,
            "boss": np.where(boss, "yes", "no"),
        }
    )


@pytest.fixture(scope="module")
def table():
    return people()


def joint(frame, names=DOMAIN.names):
    domain = DOMAIN.select(names)
    cells = domain.to_cells(domain.encode(frame))
    return np.bincount(cells, minlength=domain.n_cells)


@pytest.mark.noise
@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize("epsilon", [0.1, 0.7, 1.0, 3.0])
def test_the_whole_budget_is_spent_and_no_more(make, epsilon, table):
    generator = make(epsilon, DOMAIN).fit(table)
    assert math.fsum(e.epsilon for e in generator.ledger_.entries) == epsilon
    assert generator.ledger_.remaining == 0.0


@pytest.mark.noise
@pytest.mark.parametrize("make", ALL)
def test_neighbours_and_rows_per_person_reach_the_ledger(make, table):
    options = {"neighbours": "replace", "rows_per_person": 3}
    ledger = make(1.0, DOMAIN, **options).fit(table).ledger_
    for entry in ledger.entries:
        per_row = 2 if "max" in entry.mechanism else 1
        assert entry.sensitivity == 6 * per_row


@pytest.mark.noise
@pytest.mark.parametrize("make", ALL)
def test_rows_are_of_the_domain_and_as_many_as_asked(make, table):
    generator = make(1.0, DOMAIN).fit(table)
    sample = generator.sample(random_state=0)
    assert len(sample) == generator.n_rows_
    assert list(sample.columns) == list(DOMAIN.names)
    DOMAIN.encode(sample)
    assert sample.equals(generator.sample(random_state=0))
    assert not sample.equals(generator.sample(random_state=1))
    assert len(generator.sample(7)) == 7 and len(generator.sample(0)) == 0


@pytest.mark.noise
@pytest.mark.parametrize("make", ALL)
def test_without_noise_margins_and_number_of_rows_come_back(make, table):
    generator = make(EXACT, DOMAIN).fit(table)
    assert generator.n_rows_ == len(table)
    sample = generator.sample(random_state=0)
    for name in DOMAIN.names:
        # Independent draws of PrivBayes: within 6.5 standard deviations, 1e-10.
        distance = np.abs(joint(sample, [name]) - joint(table, [name])).max()
        assert distance <= 6.5 * math.sqrt(len(table) / 4)


@pytest.mark.noise
def test_histograms_without_noise_are_the_table(table):
    for projection in ("clip", "simplex"):
        generator = LaplaceHistogram(EXACT, DOMAIN, projection=projection).fit(table)
        assert np.allclose(generator.counts_, joint(table))
        assert (joint(generator.sample()) == joint(table)).all()


@pytest.mark.noise
def test_independent_columns_have_nothing_in_common(table):
    generator = IndependentMargins(EXACT, DOMAIN).fit(table)
    for counts, name in zip(generator.margins_, DOMAIN.names, strict=True):
        assert np.allclose(counts, joint(table, [name]))
    sample = generator.sample(40_000, random_state=0)
    pair = joint(sample, ["job", "sex"]).reshape(4, 2) / 40_000
    product = np.outer(pair.sum(axis=1), pair.sum(axis=0))
    # A standard deviation is at most .0013 in each cell; in the table it is .1 off.
    assert np.abs(pair - product).max() < 0.01


@pytest.mark.noise
def test_a_network_without_noise_keeps_what_columns_share(table):
    generator = PrivBayes(EXACT, DOMAIN).fit(table)
    sample = generator.sample(40_000, random_state=0)
    distance = np.abs(joint(sample) / 40_000 - joint(table) / len(table)).sum() / 2
    assert distance < 0.03  # .19 for independent columns


@pytest.mark.noise
@pytest.mark.parametrize("epsilon", [0.05, 0.3, 1.0, 10.0])
@pytest.mark.parametrize("theta", [1, 4, 20])
def test_networks_are_useful_and_in_order(epsilon, theta, table):
    generator = PrivBayes(epsilon, DOMAIN, theta=theta).fit(table)
    network = generator.network_
    assert sorted(name for name, _ in network) == sorted(DOMAIN.names)
    assert network[0] == ("sex", ())
    noise = len(network) / (0.7 * epsilon)
    before = set()
    for child, parents in network:
        assert set(parents) <= before
        before.add(child)
        cells = math.prod(DOMAIN[name].size for name in (child, *parents))
        if parents:
            assert generator.n_rows_ / cells >= theta * noise * (1 - 1e-9)
    counted = [e for e in generator.ledger_.entries if "max" not in e.mechanism]
    assert [e.epsilon for e in counted] == pytest.approx([0.7 * epsilon / 4] * 4)


@pytest.mark.noise
def test_a_network_of_one_column_spends_all_on_its_counts(table):
    generator = PrivBayes(1.0, DOMAIN.select(["job"])).fit(table)
    (entry,) = generator.ledger_.entries
    assert entry.epsilon == 1.0 and generator.network_ == [("job", ())]


@pytest.mark.filterwarnings("ignore::coclust_synth.exceptions.DataWarning")
@pytest.mark.noise
@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize("n", [0, 1])
def test_hardly_any_rows(make, n, table):
    """Also tables of one row or none are neighbours of others."""
    generator = make(0.01, DOMAIN).fit(table.iloc[:n])
    assert generator.n_rows_ >= 0
    assert len(generator.sample(50)) == 50


@pytest.mark.parametrize("make", [IndependentMargins, LaplaceHistogram, PrivBayes])
def test_estimators_can_be_cloned(make):
    generator = make(0.5, DOMAIN, rows_per_person=2)
    assert clone(generator).get_params() == generator.get_params()


@pytest.mark.parametrize(
    "generator, match",
    [
        (LaplaceHistogram(0, DOMAIN), "epsilon"),
        (LaplaceHistogram(1, 5), "Expected a domain"),
        (LaplaceHistogram(1, DOMAIN, projection="none"), "projection"),
        (LaplaceHistogram(1, DOMAIN, neighbours="bounded"), "neighbours"),
        (PrivBayes(1, DOMAIN, theta=0), "theta"),
        (PrivBayes(1, DOMAIN, split=1), "split"),
        (PrivBayes(1, DOMAIN, split=0), "split"),
        (IndependentMargins(1, DOMAIN, rows_per_person=0), "rows_per_person"),
        (
            LaplaceHistogram(
                1,
                Domain.from_dict(
                    {f"c{j}": {"low": 0, "high": 999, "bins": 1000} for j in range(3)}
                ),
            ),
            "16,777,216 cells",
        ),
    ],
)
def test_wrong_parameters_are_refused(generator, match, table):
    with pytest.raises(ParameterError, match=match):
        generator.fit(table)
    assert not hasattr(generator, "ledger_")


@pytest.mark.parametrize(
    ("make", "epsilon"),
    [(PrivBayes, 2e-9), (IndependentMargins, 3e-9), (NoiseFirst, 3e-9)],
)
def test_a_budget_too_small_for_a_query_is_refused_before_any(make, epsilon, table):
    """Four columns: each count would get less than a ledger takes."""
    generator = make(epsilon, DOMAIN)
    with pytest.raises(ParameterError, match="Expected epsilon to be a number from"):
        generator.fit(table)
    assert not hasattr(generator, "ledger_") or generator.ledger_.entries == ()


def test_values_outside_are_refused_before_any_noise(table):
    generator = LaplaceHistogram(1, DOMAIN)
    with pytest.raises(TableError, match="Received rows outside") as error:
        generator.fit(table.replace({"age": {table["age"].iloc[0]: 99}}).iloc[:1])
    assert "99" not in str(error.value)
    with pytest.raises(NotFittedError, match="Call fit first"):
        generator.sample()


@pytest.mark.noise
def test_a_domain_of_the_data_is_said_aloud(table):
    domain = Domain.from_frame(table, bins=4)
    with pytest.warns(DataWarning, match="not differentially private"):
        LaplaceHistogram(1, domain).fit(table)


@pytest.mark.noise
def test_a_table_may_be_a_file_and_a_domain_a_mapping(table, tmp_path):
    table.to_csv(tmp_path / "people.csv", index=False)
    domain = {"sex": ["F", "M"], "boss": ["no", "yes"]}
    generator = LaplaceHistogram(EXACT, domain).fit(tmp_path / "people.csv")
    names = ("sex", "boss")
    assert joint(generator.sample(), names).tolist() == joint(table, names).tolist()
