"""Degrees of places in patterns, with zeros before them or not."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import infer_schema
from coclust_synth.tables.reading.settling import settle_patterns
from coclust_synth.tables.reading.table import as_table
from coclust_synth.tables.reading.texts.patterns import are_in_patterns


def places(write, high=9):
    rng = np.random.default_rng(0)
    return [write(x, x % 1 * 60) for x in rng.uniform(0, high, 60)]


@pytest.mark.parametrize(
    "write",
    [
        lambda x, m: f"{int(x):03d}°{m:04.1f}'E",
        lambda x, m: f"{int(x):02d}° {m:02.0f}' N",
        lambda x, m: f"{int(x):03d}°{int(m):02d}′{m % 1 * 60:02.0f}″W",
    ],
)
def test_degrees_have_zeros_before_them(write):
    assert are_in_patterns(sorted({*places(write)}))


def test_places_are_not_drawn_unless_they_are_kept():
    lon = places(lambda x, m: f"{int(x):03d}°{m:04.1f}'E")
    table = as_table(pd.DataFrame({"lon": lon}))
    assert settle_patterns(table).schema["lon"].treatment == "undecided"
    assert infer_schema(table.frame)["lon"].format == "pattern"


@pytest.mark.parametrize(
    "write",
    [
        lambda x, m: f"{int(x):03d}{m:04.1f}E",
        lambda x, m: f"{int(x):03d}-{int(m):02d}-E",
        lambda x, m: f"{int(x) + 300:03d}°{m:04.1f}'E",
    ],
)
def test_codes_are_no_degrees(write):
    assert not are_in_patterns(sorted({*places(write)}))
