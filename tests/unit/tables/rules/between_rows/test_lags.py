"""Categories that are what another column was in the row before."""

from dataclasses import replace

import numpy as np
import pandas as pd
from support.evidence import evidence_of

from coclust_synth.tables.rules.between_rows.lags import find_lags_of_categories
from coclust_synth.tables.rules.between_rows.steps import LaterRows


def before(name):
    return f"{name} before"


def moves(n=600, seed=0):
    """Rows after the first: where one came from, and went to, now and before."""
    rng = np.random.default_rng(seed)
    first, left, came, last = rng.choice([*"abcdef"], (4, n))
    own = {before("from"): first, before("to"): came, "from": came, "to": left}
    return pd.DataFrame(own | {before("sex"): last, "sex": last})


def lags(evidence, k=20):
    found = find_lags_of_categories(
        LaterRows(evidence, ("to", "from", "sex"), before, k)
    )
    return [(*lag.columns, lag.target) for lag in found], found


def test_who_moves_comes_from_where_they_were():
    evidence = evidence_of(moves())
    said, (lag,) = lags(evidence)
    assert said == [(before("to"), "from")]
    assert (lag.keys[:, 0] == lag.codes).all() and len(lag.codes) == 6
    assert lags(evidence, k=601)[0] == []


def test_few_rows_may_come_from_elsewhere():
    table = moves()
    table.loc[:2, "from"] = "sea"
    assert len(lags(evidence_of(table, rare=2))[1]) == 1
    table.loc[:9, "from"] = "sea"
    assert lags(evidence_of(table, rare=2))[1] == ()


def test_rows_of_rare_values_say_nothing_and_are_told_of_no_column():
    evidence = evidence_of(moves())
    codes = evidence.codes.copy()
    j = evidence.coding.names.index("from")
    codes[:30, j] = 0
    assert lags(replace(evidence, codes=codes))[1] == ()
    moved = {j: np.arange(600) < 30}
    assert len(lags(replace(evidence, codes=codes, moved=moved))[1]) == 1


def test_what_hardly_changes_is_no_lag(rng):
    sides = (np.where(rng.random(600) < 0.004, "x", "y") for _ in range(4))
    names = ("from", before("from"), "to", before("to"))
    table = pd.DataFrame(dict(zip(names, sides, strict=True)))
    evidence = evidence_of(table, rare=1)
    rows = LaterRows(evidence, ("from", "to"), before, 1)
    assert find_lags_of_categories(rows) == ()
