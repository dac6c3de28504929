"""Tables whose columns have nothing to do with each other have no rules."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth.tables.rules.found import rules_of

K = 20


def numbers(n, rng):
    """A column of numbers of some law, perhaps rounded, perhaps mostly zero."""
    scale = 10.0 ** rng.integers(-1, 5)
    drawn = [
        rng.normal(rng.normal(0, 2), 1, n) * scale,
        rng.exponential(scale, n),
        rng.lognormal(np.log(scale), rng.uniform(0.3, 2), n),
        rng.uniform(0, scale, n) + scale * rng.integers(0, 3),
        rng.poisson(10.0 ** rng.uniform(-1, 2), n) * 1.0,
        rng.integers(0, 10 ** rng.integers(1, 5), n) * 1.0,
        rng.zipf(2.2, n).clip(max=10**6) * 1.0,
        rng.beta(8, 1, n) * 100,
    ][rng.integers(8)]
    if rng.random() < 0.3:
        drawn = np.where(rng.random(n) < rng.uniform(0.2, 0.95), 0, drawn)
    return np.round(drawn, rng.integers(0, 4))


def categories(n, rng):
    """A column of few or many categories, as common as each other or not."""
    m = int(rng.choice([2, 3, 5, 12, 60, 300]))
    weights = 1 / np.arange(1, m + 1) ** rng.uniform(0, 2)
    return np.char.add("c", rng.choice(m, n, p=weights / weights.sum()).astype(str))


def dates(n, rng):
    """A column of days, in a few months or in a century, some of them mostly late."""
    first, days = rng.integers(-15_000, 19_000), 10 ** rng.uniform(1.5, 4.5)
    late = rng.beta(*rng.choice([1, 1, 5], 2), n)
    return pd.to_datetime((first + days * late).astype(np.int64), unit="D")


def ages_and_years(n, rng):
    """Whole numbers that look like what dates tell."""
    low, high = [(0, 100), (1990, 2024), (1, 13), (1, 32), (0, 7)][rng.integers(5)]
    return rng.integers(low, high, n)


def independent(seed):
    """A table of 4 to 16 independent columns, some with missing values."""
    rng = np.random.default_rng(seed)
    n = int(10 ** rng.uniform(np.log10(200), np.log10(20_000)))
    makers = [numbers, numbers, categories, dates, ages_and_years]
    columns = {}
    for j in range(rng.integers(4, 17)):
        column = pd.Series(makers[rng.integers(5)](n, rng))
        if rng.random() < 0.3:
            column = column.mask(rng.random(n) < rng.uniform(0, 0.9))
        columns[f"x{j}"] = column
    return columns


def n_with_rules(seeds):
    return sum(bool(rules_of(evidence_of(independent(s)), None, K).all) for s in seeds)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::coclust_synth.exceptions.DataWarning")
@pytest.mark.parametrize("seed", range(6))
def test_independent_columns_have_no_rule(seed):
    assert n_with_rules([seed]) == 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::coclust_synth.exceptions.DataWarning")
def test_at_most_one_of_a_hundred_tables_has_one():
    assert n_with_rules(range(1000, 1100)) <= 1
