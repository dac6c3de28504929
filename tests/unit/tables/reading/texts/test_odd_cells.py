"""Texts that keep a column from being one of numbers or dates."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import infer_schema
from coclust_synth.tables.reading.texts.odd_cells import odd_cells

AGES = [str(age) for age in range(18, 90)]
DAYS = [f"2020-{m:02}-{d:02}" for m in range(1, 13) for d in range(1, 29)]
SLASHED = [f"{d:02}/{m:02}/2016" for m in range(1, 13) for d in range(1, 29)]
AMOUNTS = [f"{amount / 100:.2f}" for amount in range(99, 99_999, 317)]
CODES = [f"{letter}{n:02}" for letter in "ABC" for n in range(40)]


@pytest.mark.parametrize(
    ("texts", "odd"),
    [
        ([*AGES, "unknown"], ["unknown"]),
        ([*AGES, ">89", "<18"], [">89", "<18"]),
        ([*AMOUNTS, "n.a.", "12.50 or so"], ["n.a.", "12.50 or so"]),
        ([*DAYS, "0000-00-00"], ["0000-00-00"]),
        ([*DAYS, "9999-99-99", "in spring"], ["9999-99-99", "in spring"]),
        ([*DAYS, "2021-02-30"], ["2021-02-30"]),
        (["2021-13-01", *DAYS, "unknown"], ["2021-13-01", "unknown"]),
        ([*SLASHED[:9], "13/45/2016", *SLASHED[9:]], ["13/45/2016"]),
        ([*SLASHED, *(f"{n}/45/2016" for n in range(7))], []),  # too many
        (SLASHED, []),
        ([*AGES, "-5", "0", "-3", "999"], []),
        ([*AGES, "12A", *"bcdefgh"], []),  # too many
        ([*AGES[:10], "unknown"], []),  # of too few
        (AGES, []),
        (DAYS, []),
        ([*CODES, "unknown"], []),
        ([f"{n:05}" for n in range(300)] + ["unknown"], []),
        ([], []),
    ],
)
def test_odd_ones(texts, odd):
    assert odd_cells(texts) == odd


@pytest.mark.slow
def test_of_many_numbers_all_are_looked_at():
    texts = [str(n) for n in range(5000)]
    assert odd_cells([*texts, "unknown"]) == ["unknown"]
    texts[4444] = "1.2.3"
    assert odd_cells([*texts, "unknown"]) == ["1.2.3", "unknown"]


def test_the_reason_of_a_doubt_tells_how_many(rng):
    pay = np.round(rng.lognormal(7, 0.5, 500), 2).astype(str).astype(object)
    pay[3] = ">5000"
    schema = infer_schema(pd.DataFrame({"pay": pay, "sex": ["F", "M"] * 250}))
    assert schema.undecided == ("pay",)
    told = ", numbers or dates except for 1, which `inspect` names"
    assert schema["pay"].reason.endswith(told)
