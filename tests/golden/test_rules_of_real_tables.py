"""Rules of real tables, found in four rows of five, in the fifth and in drawn rows."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from support.shared import SHARED, needed

from coclust_synth import CoclusterSynthesizer, read_table
from coclust_synth.tables.relations import Dependence, Fit, Nested, Never, Order

TABLES = SHARED / "data" / "tables"
DROPPED = {
    "telco": ["customerID"],
    "covid": ["subject_id", "fake_first_name", "fake_last_name"],
    "loans": ["emp_title"],
}
FOUND = {
    "telco": {"TotalCharges ~ tenure * MonthlyCharges"},
    "covid": set(),
    "loans": {
        "balance = loan_amount - paid_principal",
        "paid_total = paid_principal + paid_interest + paid_late_fees",
        "sub_grade -> grade",
        "num_historical_failed_to_pay = tax_liens + public_record_bankrupt",
    },
}


def halves(name, seed=0):
    """Four fifths of a table, the others, and its schema without its extremes."""
    path = TABLES / f"{name}.csv.gz"
    frame, schema = read_table(needed(path))
    schema = schema.drop(*DROPPED[name]).keep(*schema.drop(*DROPPED[name]).undecided)
    columns = tuple(replace(column, bounds=None) for column in schema.columns)
    learnt = np.random.default_rng(seed).permutation(len(frame)) < 0.8 * len(frame)
    rows = (frame[of].reset_index(drop=True) for of in (learnt, ~learnt))
    return *rows, replace(schema, columns=columns)


def broken(relation, learnt, frame):
    """Share of rows that break a rule, written out from what it says; None: not said.

    A value that a code goes with is the one that it most often has in `learnt`.
    """
    columns = [frame[name] for name in relation.columns]
    known = pd.concat(columns, axis=1).notna().all(axis=1)
    match relation:
        case Order():
            broke = columns[0] > columns[1]
        case Fit(about=False):
            told = sum(
                c * x for c, x in zip(relation.coefficients, columns[1:], strict=True)
            )
            broke = (columns[0] - told - relation.constant).abs() > 0.0151
        case Nested():
            pairs = learnt.value_counts(list(relation.columns)).reset_index()
            label = pairs.drop_duplicates(relation.code).set_index(relation.code)
            label = label[relation.label].astype(object)
            known &= columns[0].isin(label.index) & columns[1].isin(label)
            broke = columns[1].astype(object) != columns[0].astype(object).map(label)
        case Dependence():
            told = learnt.groupby([*relation.parents])[relation.target]
            told = told.agg(["size", lambda own: own.mode().iloc[0]])
            told = told.set_axis(["size", "told"], axis=1).reset_index()
            rows = frame.merge(told, "left", [*relation.parents])
            known &= rows["size"] >= 20
            broke = rows[relation.target] != rows["told"]
        case Never(values=tuple()):
            texts = [of.astype(object).astype(str).fillna("None") for of in columns]
            known[:] = True
            broke = (texts[0] + "\n" + texts[1]).isin(
                [f"{x}\n{y}" for x, y in relation.values]
            )
        case _:
            return None
    return float(broke[known].mean()) if known.any() else 0.0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::coclust_synth.exceptions.DataWarning")
@pytest.mark.parametrize("name", DROPPED)
def test_rules_hold_in_rows_kept_aside_and_in_drawn_ones(name):
    learnt, others, schema = halves(name)
    synthesizer = CoclusterSynthesizer(
        within="trees", k=20, n_iterations=2, random_state=0
    ).fit(learnt, schema)
    relations = [rule.relation for rule in synthesizer.rules_]
    assert set(map(str, relations)) >= FOUND[name]
    drawn = synthesizer.sample()
    checked = 0
    for relation in relations:
        real = broken(relation, learnt, learnt)
        if real is None:
            continue
        checked += 1
        assert broken(relation, learnt, others) <= real + 0.01, relation
        more = 0.005 if isinstance(relation, Order) else 0.001
        assert broken(relation, learnt, drawn) <= real + more, relation
    assert checked > 5
