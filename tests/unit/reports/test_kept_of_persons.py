import numpy as np
import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.reports.plain_release import run_summary


def pressures(rng, codes):
    """Blood pressures, one for each different code."""
    low = rng.integers(50, 100, codes.max() + 1)
    high = low + rng.integers(30, 60, len(low))
    return [f"{high[code]}/{low[code]}" for code in codes]


@pytest.mark.slow
@pytest.mark.parametrize(
    "stays, told", [(False, ["sex"]), (True, ["sex", "bp"])], ids=["varies", "stays"]
)
def test_texts_of_labels_stay_where_their_numbers_do(stays, told, rng):
    who = np.repeat(np.arange(120), 3)
    of_bp = who if stays else np.arange(len(who))
    table = pd.DataFrame(
        {
            "who": who,
            "sex": rng.choice(["F", "M"], 120)[who],
            "bp": pressures(rng, of_bp),
            "drug": rng.choice(["a", "b", "c"], len(who)),
        }
    )
    schema = infer_schema(table).keep("bp")
    model = CoclusterSynthesizer(
        k=10, person_id="who", n_iterations=1, random_state=0
    ).fit(table, schema)
    assert [own.column for own in model.model_.spelt] == ["bp"]
    assert "bp" in model.model_.structure.constants
    summary = run_summary(model.model_)
    assert sorted(summary["same_in_all_rows"].split(", ")) == sorted(told)


@pytest.mark.slow
def test_texts_of_labels_stay_with_nested_keys_where_their_numbers_do(rng):
    claim = np.repeat(np.arange(240), 2)
    table = pd.DataFrame(
        {
            "who": claim // 2,
            "claim": claim + 1000,
            "bp": pressures(rng, np.arange(480)),
            "drug": rng.choice(["a", "b", "c"], 240)[claim],
        }
    )
    schema = infer_schema(table).keep("bp").as_key("claim")
    model = CoclusterSynthesizer(
        k=10, person_id="who", n_iterations=1, random_state=0
    ).fit(table, schema)
    assert run_summary(model.model_)["same_in_rows_of"] == "claim: drug"


def test_of_rare_values_alone_it_is_not_said_that_they_stay(rng):
    who = np.repeat(np.arange(120), 3)
    table = pd.DataFrame(
        {
            "who": who,
            "sex": rng.choice(["F", "M"], 120)[who],
            "note": [f"seen by {i}" for i in range(len(who))],
            "drug": rng.choice(["a", "b", "c"], len(who)),
        }
    )
    schema = infer_schema(table).keep("note")
    model = CoclusterSynthesizer(
        k=10, person_id="who", n_iterations=1, random_state=0
    ).fit(table, schema)
    assert "note" in model.model_.structure.lasting
    assert run_summary(model.model_)["same_in_all_rows"] == "sex"
