"""Numbers that another tells in order: a tax by what is earned."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth import CoclusterSynthesizer
from coclust_synth.generators.plain.structured.structure import Structure
from coclust_synth.tables.relations import Dependence
from coclust_synth.tables.rules.values.dependences import learn_lookup


@pytest.mark.slow
@pytest.mark.parametrize("rises", [1, -1])
def test_a_tax_by_bracket_rises_with_what_is_earned(rises, rng):
    """Of most amounts fewer than 20 people have the tax that goes with each."""
    pay = np.round(rng.lognormal(7.5, 0.6, 6000) / 50) * 50
    pay[rng.random(6000) < 0.2] = 2000.0
    tax = np.interp(pay, [0, 1000, 3000, 6000, 1e6], [0, 0, 400, 1450, 4e5])
    tax = rises * np.round(tax, 2)
    pay[:300] = np.nan
    tax[:300] = np.nan
    frame = pd.DataFrame({"pay": pay, "age": rng.integers(18, 70, 6000), "tax": tax})
    model = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0).fit(frame)
    structure = model.model_.structure
    assert [own.rises for own in structure.rules.lookups] == [rises]
    again = Structure.from_dict(structure.to_dict(), structure.arrays())
    assert [own.rises for own in again.rules.lookups] == [rises]
    drawn = model.sample(6000).sort_values("pay")
    assert drawn["pay"].isna().equals(drawn["tax"].isna())
    each = drawn.dropna().groupby("pay")["tax"]
    assert (each.nunique() == 1).all()
    assert (rises * each.first().diff() < 0).mean() < 0.01
    told = np.interp(each.first().index, np.sort(pay), np.sort(rises * tax))
    off = np.abs(rises * each.first().to_numpy() - told)
    assert np.quantile(off, 0.5) < 8 and np.quantile(off, 0.9) < 70
    assert each.first()[2000.0] == rises * 200


def test_codes_that_a_code_tells_are_in_no_order(rng):
    code, other = rng.integers(1000, 1300, 6000), rng.permutation(300) + 7000
    frame = pd.DataFrame({"a": code, "b": other[code - 1000]})
    lookup = learn_lookup(evidence_of(frame), Dependence(("a",), "b"))
    assert lookup.rises == 0 and "rises" not in lookup.to_dict()
