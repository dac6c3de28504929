"""`CoclusterSynthesizer.sample` under conditions: the model's rows that meet them."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import (
    CoclusterSynthesizer,
    DataWarning,
    ParameterError,
    infer_schema,
)
from coclust_synth.generators.plain import rows as rows_of_models
from coclust_synth.generators.plain.structured.drawing.rows import Drawing


def people(n=1500, seed=0):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    came = np.datetime64("2020-01-01") + rng.integers(0, 600, n)
    return pd.DataFrame(
        {
            "sex": rng.choice(["F", "M"], n),
            "age": 20 + 15 * group + rng.integers(0, 25, n),
            "region": np.array(["north", "south", "west"])[
                np.where(rng.random(n) < 0.7, group, 0)
            ],
            "town": np.where(rng.random(n) < 0.02, "small", "large"),
            "came": pd.Series(came).astype("datetime64[us]"),
            "left": pd.Series(came + rng.integers(0, 90, n)).astype("datetime64[us]"),
        }
    )


@pytest.fixture(scope="module")
def fitted():
    return {
        within: CoclusterSynthesizer(
            within=within, k=50, n_iterations=3, random_state=0
        ).fit(people())
        for within in ("independent", "trees")
    }


EACH = pytest.mark.parametrize("within", ["independent", "trees"])


@pytest.mark.slow
@EACH
def test_rows_are_those_of_the_model_that_meet_the_conditions(fitted, within):
    asked = {"given": "sex=F,age>=47", "where": "left <= came + 40"}
    drawn = fitted[within].sample(4000, **asked)
    every = fitted[within].sample(60_000, random_state=1)
    days = (every["left"] - every["came"]).dt.days
    met = every[(every["sex"] == "F") & (every["age"] >= 47) & (days <= 40)]
    assert len(drawn) == 4000 and (drawn["sex"] == "F").all()
    assert drawn["age"].min() >= 47
    assert (drawn["left"] - drawn["came"]).dt.days.max() <= 40
    assert drawn.dtypes.tolist() == every.dtypes.tolist()
    assert drawn["age"].mean() == pytest.approx(met["age"].mean(), abs=0.6)
    for name in ("region", "town"):
        shares = [t[name].value_counts(normalize=True) for t in (drawn, met)]
        assert shares[0].sub(shares[1], fill_value=0).abs().max() < 0.03
    same = [t["came"].astype("int64").mean() / 86_400e6 for t in (drawn, met)]
    assert same[0] == pytest.approx(same[1], abs=15)


@pytest.mark.slow
def test_clusters_of_which_rules_leave_little_are_as_large_under_conditions(
    fitted, monkeypatch
):
    """Rows that no rule allows are drawn again, in their cluster, or not at all."""
    last = len(fitted["trees"].model_.structure.cluster_rows) - 3  # of the oldest

    def is_broken(drawing):
        return (drawing.clusters >= last) & (drawing.rng.random(drawing.n) < 0.7)

    monkeypatch.setattr(Drawing, "is_broken", is_broken)
    every = fitted["trees"].sample(4000)
    drawn = fitted["trees"].sample(4000, given="age>=0", where="left >= came")
    ages = every["age"].mean(), drawn["age"].mean()
    assert ages[0] == pytest.approx(ages[1], abs=1.0)


@pytest.mark.slow
def test_conditions_on_categories_cost_nothing_where_columns_are_independent(fitted):
    model = fitted["independent"].model_
    rows, _ = rows_of_models.ModelRows.asked(
        model, "grid", 10, "sex=F,region=west", None, None
    )
    assert len(rows.propose(1000, np.random.default_rng(0))) == 1000
    assert rows.share_of_proposals == pytest.approx(1 / 8, abs=0.06)


@pytest.mark.slow
@EACH
def test_the_same_seed_gives_the_same_rows(fitted, within):
    asked = {"given": "region=west", "n": 100}
    one, two, other = (
        fitted[within].sample(**asked, random_state=seed) for seed in (3, 3, 4)
    )
    pd.testing.assert_frame_equal(one, two)
    assert not one.equals(other)


@pytest.mark.slow
@EACH
def test_so_many_rows_of_each_value(fitted, within):
    drawn = fitted[within].sample(n_per="region=70", given="age<60")
    assert drawn["region"].value_counts().to_dict() == dict.fromkeys(
        ["north", "south", "west"], 70
    )
    assert drawn["age"].max() < 60
    assert drawn["region"].head(70).nunique() == 3


def of_wards(n=1200, seed=0):
    rng = np.random.default_rng(seed)
    ward = rng.choice([1, 2, 3, 10], n, p=[0.6, 0.25, 0.12, 0.03])
    return pd.DataFrame(
        {
            "patient": rng.permutation(n) + 5000,
            "ward": ward,
            "bill": 100 * ward + rng.integers(0, 90, n),
        }
    )


@pytest.mark.slow
def test_so_many_rows_of_each_number_of_few():
    fitted = CoclusterSynthesizer(k=50, n_iterations=2, random_state=0)
    fitted.fit(of_wards(), schema=infer_schema(of_wards()).as_key("patient"))
    with pytest.warns(DataWarning, match=r"'ward': .* 10 \(1 value\)"):
        drawn = fitted.sample(n_per="ward=80")
    assert drawn["ward"].value_counts().to_dict() == dict.fromkeys([1, 2, 3], 80)
    assert (drawn["bill"] // 100).corr(drawn["ward"]) > 0.9
    with pytest.raises(ParameterError, match="'bill', whose numbers the model draws"):
        fitted.sample(n_per="bill=3")


@pytest.mark.parametrize(
    "asked",
    [
        {"given": "patient=5001"},
        {"where": "bill + patient > 3"},
        {"where": "bill > patient"},
        {"n_per": "patient=5"},
    ],
)
def test_conditions_on_a_key_are_refused_as_such(asked):
    fitted = CoclusterSynthesizer(k=50, n_iterations=1, random_state=0)
    fitted.fit(of_wards(), schema=infer_schema(of_wards()).as_key("patient"))
    with pytest.raises(ParameterError, match="key 'patient', which is made anew"):
        fitted.sample(**asked)


def test_a_value_called_as_a_key_is_no_condition_on_it():
    fitted = CoclusterSynthesizer(k=50, n_iterations=1, random_state=0)
    fitted.fit(of_wards(), schema=infer_schema(of_wards()).as_key("patient"))
    with pytest.raises(ParameterError, match="Received 'wrd'"):
        fitted.sample(given="wrd=patient")


@pytest.mark.slow
@EACH
@pytest.mark.parametrize(
    "asked", [{"n_per": f"region={10**23}"}, {"n": 10**23}, {"n": 2**63}]
)
def test_more_rows_than_can_be_held_are_refused(fitted, within, asked):
    with pytest.raises(ParameterError, match=r"rows to be a whole number from 1 to"):
        fitted[within].sample(**asked)


@pytest.mark.slow
@EACH
def test_what_few_individuals_support_is_refused_or_left_out(fitted, within):
    with pytest.raises(ParameterError, match=r"about \d+ of 1500 meet"):
        fitted[within].sample(5, given="town=small")
    with pytest.raises(ParameterError, match="about 0 of 1500"):
        fitted[within].sample(5, given="age>1000")
    with pytest.warns(DataWarning, match="'small' "):
        drawn = fitted[within].sample(n_per="town=10")
    assert drawn["town"].tolist() == ["large"] * 10
    with pytest.raises(ParameterError, match="50 individuals or more meet"):
        fitted[within].sample(n_per="town=10", where="age > 400")


@pytest.mark.slow
def test_a_coarser_grid_supports_less(fitted):
    model = fitted["independent"]
    assert len(model.sample(5, given="region=west,sex=F")) == 5
    with pytest.raises(ParameterError, match="that 400 individuals or more"):
        model.sample(5, given="region=west,sex=F", k=400)


@pytest.mark.slow
@EACH
def test_no_k_lets_rows_of_fewer_be_asked_for_than_the_model_has(fitted, within):
    with pytest.raises(ParameterError, match="from 50 to 1500"):
        fitted[within].sample(5, given="town=small", k=5)
    with pytest.raises(ParameterError, match="that 50 individuals or more"):
        fitted[within].sample(5, given="town=small", k=50)


@pytest.mark.slow
@EACH
def test_a_loaded_model_supports_the_same(fitted, within, tmp_path):
    fitted[within].save(tmp_path / "m")
    loaded = CoclusterSynthesizer.load(tmp_path / "m", random_state=0)
    assert loaded.model_.min_individuals == 50
    pd.testing.assert_frame_equal(
        loaded.sample(50, where="left >= came + 30"),
        fitted[within].sample(50, where="left >= came + 30"),
    )


@pytest.mark.slow
def test_too_many_tries_are_refused_before_they_are_made(fitted, monkeypatch):
    monkeypatch.setattr(rows_of_models, "MIN_TRIES", 20_000)
    monkeypatch.setattr(rows_of_models, "TRIES_A_ROW", 2)
    with pytest.raises(ParameterError, match=r"10000 rows .* 20000 that were tried"):
        fitted["trees"].sample(10_000, given="region=west,sex=F")


@pytest.mark.slow
def test_two_numbers_of_rows_are_refused(fitted):
    with pytest.raises(ParameterError, match="Received both, 5"):
        fitted["trees"].sample(5, n_per="region=3")


@pytest.mark.slow
@pytest.mark.parametrize("asked", ["given", "where"])
def test_texts_that_spell_numbers_are_compared_as_these(asked):
    rng = np.random.default_rng(0)
    heating = np.round(rng.gamma(4, 30, 600), 1).astype(str)
    heating[rng.random(600) < 0.2] = "included"
    table = pd.DataFrame({"heating": heating, "rooms": rng.integers(1, 7, 600)})
    fitted = CoclusterSynthesizer(k=20, n_iterations=2, random_state=0).fit(
        table, schema=infer_schema(table).keep("heating")
    )
    drawn = fitted.sample(30, **{asked: "heating>120"})
    assert (drawn["heating"].astype(float) > 120).all()
    drawn = fitted.sample(30, **{asked: "heating=included"})
    assert (drawn["heating"] == "included").all()
    with pytest.raises(ParameterError, match="expected one of the categories"):
        fitted.sample(30, **{asked: "heating=free"})
