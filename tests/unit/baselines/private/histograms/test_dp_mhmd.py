"""DP-MHMD: groups that are declared, and rows that several of them make."""

import numpy as np
import pandas as pd
import pytest
from support.private_noise import forbid_noise, silence_noise

from coclust_synth.baselines.private.histograms import dp_mhmd
from coclust_synth.baselines.private.histograms.dp_mhmd import DPMHMD, drawn_given
from coclust_synth.exceptions import ParameterError

DOMAIN = {
    "hour": {"low": 0, "high": 7, "bins": 8},
    "from": {"categories": ["north", "south", "port"], "missing": "?"},
    "to": ["north", "south", "port"],
    "card": ["no", "yes"],
}
GROUPS = [{"columns": ["from", "hour"]}, {"columns": ["from", "to"], "weight": 2}]


def trips(n=4000, seed=0):
    """Places go with the hour, and where one goes with where one comes from."""
    rng = np.random.default_rng(seed)
    hour = rng.integers(0, 8, n)
    start = (hour // 3 + (rng.random(n) < 0.2)) % 4
    end = (start + (rng.random(n) < 0.3)) % 3
    return pd.DataFrame(
        {
            "hour": hour,
            "from": np.array(["north", "south", "port", "?"])[start],
            "to": np.array(DOMAIN["to"])[end],
            "card": rng.choice(["no", "yes"], n, p=[0.3, 0.7]),
        }
    )


def counted(generator, frame, names):
    domain = generator.domain_.select(names)
    cells = domain.to_cells(domain.encode(frame))
    return np.bincount(cells, minlength=domain.n_cells)


def test_groups_come_back_and_what_they_share_links_them(monkeypatch):
    silence_noise(monkeypatch)
    table = trips()
    generator = DPMHMD(1.0, DOMAIN, workload=GROUPS).fit(table)
    assert generator.n_rows_ == len(table)
    assert generator.groups_ == [("hour", "from"), ("from", "to"), ("card",)]
    drawn = generator.sample(random_state=0)
    for names in generator.groups_:
        apart = abs(counted(generator, drawn, names) - counted(generator, table, names))
        # Draws of one cell: within six standard deviations.
        assert apart.max() <= 6 * np.sqrt(len(table) / 4)
    # Given the place, the hour says nothing of where one goes.
    cells = counted(generator, drawn, ["from", "hour", "to"]).reshape(4, 8, 3)
    expected = (
        cells.sum(axis=2, keepdims=True)
        * cells.sum(axis=1, keepdims=True)
        / np.maximum(cells.sum(axis=(1, 2), keepdims=True), 1)
    )
    assert abs(cells - expected).max() <= 6 * np.sqrt(expected.max())


def test_shares_are_by_weight_and_a_fit_spends_what_the_plan_says(monkeypatch):
    silence_noise(monkeypatch)
    for neighbours, per_person in (("add-remove", 1), ("replace", 3)):
        generator = DPMHMD(
            1.0,
            DOMAIN,
            workload=GROUPS,
            neighbours=neighbours,
            rows_per_person=per_person,
        )
        plan, ledger = generator.plan(4000), generator.fit(trips()).ledger_
        assert [query.share for query in plan.queries] == [0.25, 0.5, 0.25]
        made = [(e.what, e.epsilon, e.scale, e.n_values) for e in ledger.entries]
        assert made == [(q.what, q.share, q.scale, q.n_values) for q in plan.queries]
        assert ledger.remaining == 0.0


@pytest.mark.parametrize("seed", range(10))
def test_columns_are_drawn_by_the_row_that_is_given(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, (5, 6)).astype(float)
    counts[rng.integers(5)] = 0
    counts[0, 0] = 3
    given = np.repeat(np.arange(5), 2000)
    drawn = drawn_given(counts, given, rng)
    for row in range(5):
        of_row = counts[row] if counts[row].any() else counts.sum(axis=0)
        found = np.bincount(drawn[given == row], minlength=6) / 2000
        assert (found[of_row == 0] == 0).all()
        assert abs(found - of_row / of_row.sum()).max() < 6 * np.sqrt(0.25 / 2000)


@pytest.mark.parametrize(
    "workload, match",
    [([*GROUPS, {"columns": ["cart", "to"]}], "'cart'"), ([], "at least one set")],
)
def test_groups_that_are_none_are_refused(workload, match, monkeypatch):
    forbid_noise(monkeypatch)
    with pytest.raises(ParameterError, match=match):
        DPMHMD(1.0, DOMAIN, workload=workload).fit(trips(50))


def test_groups_of_many_cells_are_refused(monkeypatch):
    monkeypatch.setattr(dp_mhmd, "_MAX_CELLS", 31)
    with pytest.raises(ParameterError, match="at most 31 cells"):
        DPMHMD(1.0, DOMAIN, workload=GROUPS).plan(10)


@pytest.mark.noise
@pytest.mark.parametrize("n", [0, 1, 500])
def test_any_number_of_rows(n):
    generator = DPMHMD(0.05, DOMAIN, workload=GROUPS).fit(trips(n))
    assert generator.n_rows_ >= 0 and generator.ledger_.remaining == 0.0
    generator.domain_.encode(generator.sample(50))
