"""Swapped ranks, noise and means, and what they disclose and lose."""

import naive.perturbation as naive
import numpy as np
import pandas as pd
import pytest

from coclust_synth import (
    Column,
    DataWarning,
    ParameterError,
    Schema,
    TableError,
    infer_schema,
)
from coclust_synth.baselines import Microaggregation, NoiseAddition, RankSwapping
from coclust_synth.baselines.perturbation.numbers import swapped_ranks
from coclust_synth.evaluation import evaluate
from coclust_synth.evaluation.comparing.alike import AlikeTables
from coclust_synth.evaluation.risk.perturbed import (
    compare_perturbed,
    interval_disclosure,
    linked_share,
    perturbed_figures,
    standardised_changes,
)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    pay = rng.lognormal(8, 1, 2000).round(2)
    found = pd.DataFrame(
        {
            "pay": pay,
            "tax": (pay * rng.uniform(0.1, 0.4, 2000)).round(2),
            "age": rng.integers(18, 90, 2000),
            "born": pd.Timestamp("1950-01-01")
            + pd.to_timedelta(rng.integers(0, 20000, 2000), unit="D"),
            "sex": rng.choice(["F", "M"], 2000),
        }
    )
    found.loc[::50, "tax"] = None
    return found


@pytest.mark.parametrize("within", [0.001, 0.05, 1.0])
@pytest.mark.parametrize("n", [1, 2, 7, 300])
def test_ranks_swap_in_pairs_that_are_near(n, within):
    partner = swapped_ranks(n, within, np.random.default_rng(n))
    assert partner[partner].tolist() == list(range(n))
    assert np.abs(partner - np.arange(n)).max() <= max(1, int(within * n))
    # Two neighbours that both keep their value would have found each other.
    alone = np.flatnonzero(partner == np.arange(n))
    assert (np.diff(alone) > 1).all()


@pytest.mark.slow
def test_swapped_columns_have_the_same_values(table):
    swap = RankSwapping(["tax", "born", "age"], within=0.02, random_state=3)
    released = swap.fit_transform(table)
    for name in ("tax", "born", "age"):
        assert released[name].isna().equals(table[name].isna())
        assert sorted(released[name].dropna()) == sorted(table[name].dropna())
        ranks = [own[name].rank(method="min", pct=True) for own in (table, released)]
        ties = table[name].value_counts(normalize=True).max()
        assert (ranks[0] - ranks[1]).abs().max() <= 0.021 + ties
    assert released["pay"].equals(table["pay"])
    sizes = pd.DataFrame({"size": ["s", "m", "l"] * 40, "x": range(120)})
    ordinal = Column(name="size", kind="ordinal", categories=("s", "m", "l"))
    schema = Schema((ordinal, infer_schema(sizes)["x"]))
    with pytest.warns(DataWarning, match="'size', in which no cell"):
        near = RankSwapping(["size"], within=0.01, random_state=0).fit(sizes, schema)
    both = set(zip(sizes["size"], near.released_["size"], strict=True))
    assert ("s", "l") not in both and sorted(near.released_["size"]) == sorted(
        sizes["size"]
    )
    with pytest.raises(ParameterError, match="'sex', which is categorical"):
        RankSwapping(["sex"]).fit(table)
    with pytest.raises(ParameterError, match="within"):
        RankSwapping(["age"], within=0).fit(table)


@pytest.mark.slow
def test_noise_has_the_spread_that_is_asked(table):
    noisy = NoiseAddition(["pay", "age"], share=0.5, random_state=0).fit_transform(
        table
    )
    noise = noisy["pay"] - table["pay"]
    assert noise.std() == pytest.approx(0.5 * table["pay"].std(), rel=0.1)
    assert abs(noise.corr(table["pay"])) < 0.1
    assert noisy["age"].dtype == table["age"].dtype
    assert noisy["pay"].round(2).equals(noisy["pay"])
    asked = {"share": 0.5, "random_state": 0, "keep_variance": True}
    kept = NoiseAddition(["tax", "pay"], correlated=True, **asked).fit_transform(table)
    assert kept["pay"].std() == pytest.approx(table["pay"].std(), rel=0.1)
    true = table["pay"].corr(table["tax"])
    assert kept["pay"].corr(kept["tax"]) == pytest.approx(true, abs=0.05)
    plain = NoiseAddition(["tax", "pay"], **asked).fit_transform(table)
    assert abs(plain["pay"].corr(plain["tax"]) - true) > 0.1
    assert kept["tax"].isna().equals(table["tax"].isna())
    few = table.assign(none=[1.0, 2.0] + [np.nan] * 1998)
    few.loc[0, "tax"] = few.loc[1, "tax"] = None
    with pytest.raises(ParameterError, match="Received 0 such rows"):
        NoiseAddition(["tax", "none"], correlated=True).fit(few)
    with pytest.raises(ParameterError, match="share"):
        NoiseAddition(["pay"], share=0).fit(table)
    for name in ("age", "pay"):
        with pytest.raises(ParameterError, match="some are too large"):
            NoiseAddition([name], share=1e308, random_state=0).fit(table)


def test_noise_of_integers_that_no_double_holds_is_small():
    low = 17 * 10**17
    near = pd.DataFrame({"at": np.random.default_rng(0).integers(0, 100, 300)})
    far = near + low
    asked = {"share": 0.1, "random_state": 0, "keep_variance": True}
    noisy = NoiseAddition(["at"], **asked).fit_transform(far)
    assert (noisy - low).equals(NoiseAddition(["at"], **asked).fit_transform(near))
    columns = [infer_schema(own).columns for own in (near, far)]
    figures = [
        compare_perturbed(real, real + noisy - far, own, ["at"])
        for real, own in zip((near, far), columns, strict=True)
    ]
    assert figures[0] == figures[1] and 0 < figures[0].columns[0].il1s < 0.1
    for end in (2**63 - 100, -(2**63)):
        with pytest.raises(ParameterError, match="some are too large"):
            NoiseAddition(["at"], random_state=0).fit(near + end)


@pytest.mark.parametrize("scale", [1.0, 1e-200])
def test_noise_of_numbers_whose_squares_are_zero(scale):
    pay = np.arange(1.0, 400) * scale
    noise = NoiseAddition(["pay"], random_state=0)
    found = noise.fit_transform(
        pd.DataFrame({"pay": pay, "sex": ["F", "M", "F"] * 133})
    )
    change = (found["pay"] - pay) / scale
    assert change.std() == pytest.approx(0.1 * (pay / scale).std(), rel=0.1)


def test_a_column_that_stays_as_it_is_is_told():
    frame = pd.DataFrame({"children": [0, 1, 2, 3, None] * 40, "sex": ["F", "M"] * 100})
    noise = NoiseAddition(["children"], share=0.05, random_state=0)
    with pytest.warns(DataWarning, match="'children', in which no cell"):
        noise.fit(frame)


def test_numbers_whose_variance_is_infinite(table):
    far = table.head(60).assign(pay=[1e308, -1e308, 0, 1, 2, 3] * 10)
    match = r"'pay': expected numbers whose variance .* from -1e\+308 to 1e\+308"
    with pytest.raises(ParameterError, match=match):
        NoiseAddition(["age", "pay"], random_state=0).fit(far)
    near = far.assign(pay=far["pay"] / 2.0**1000)
    columns = infer_schema(far).keep("pay").kept.columns
    changed = [own.assign(pay=own["pay"].iloc[::-1].to_numpy()) for own in (near, far)]
    near, far = (
        compare_perturbed(own, other, columns, ["pay"])
        for own, other in zip((near, far), changed, strict=True)
    )
    assert near == far and 0 < far.linked < 1


def test_means_are_those_of_k(table):
    released = Microaggregation(["pay", "tax"], k=10).fit_transform(table)
    assert released["tax"].value_counts().min() >= 10
    assert released["pay"].mean() == pytest.approx(table["pay"].mean(), rel=1e-4)
    with pytest.raises(ParameterError, match="k"):
        Microaggregation(["pay"], k=1).fit(table)


@pytest.mark.parametrize("seed", range(20))
def test_figures_are_those_of_the_definitions(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 60))
    real = rng.integers(0, 20, n).astype(float)
    released = real + rng.integers(-3, 4, n)
    expected = naive.interval_disclosure(real.tolist(), released.tolist())
    assert interval_disclosure(real, released) == pytest.approx(expected)
    points = [np.column_stack([own, rng.integers(0, 2, n)]) for own in (real, released)]
    expected = naive.linked_share(*(own.tolist() for own in points))
    assert linked_share(*points) == pytest.approx(expected)
    expected = naive.standardised_changes(real.tolist(), released.tolist())
    assert standardised_changes(real, released).tolist() == pytest.approx(expected)


@pytest.mark.slow
def test_more_change_discloses_less_and_loses_more(table):
    columns = infer_schema(table).columns
    found = [
        compare_perturbed(
            table,
            RankSwapping(["pay", "tax"], within=within, random_state=0).fit_transform(
                table
            ),
            columns,
            ["pay", "tax"],
        )
        for within in (0.005, 0.2)
    ]
    assert found[0].linked > found[1].linked
    assert found[0].pair_distance < found[1].pair_distance
    assert found[0].correlation_error < found[1].correlation_error
    for near, far in zip(found[0].columns, found[1].columns, strict=True):
        assert near.interval_disclosure > far.interval_disclosure
        assert near.total_variation == far.total_variation == 0
    same = compare_perturbed(table, table, columns, ["tax", "sex", "born"])
    assert same.linked > 0.95 and same.pair_distance == 0
    assert [own.changed for own in same.columns] == [0, 0, 0]
    assert [own.interval_disclosure for own in same.columns] == [1, 1, None]


@pytest.mark.slow
def test_figures_have_intervals_and_stand_beside_values_of_anybody(table):
    swapped = RankSwapping(["pay", "born"], random_state=0).fit_transform(table)
    changed = ["pay", "born", "sex"]
    found = perturbed_figures(AlikeTables.of(table, swapped), changed, 0)
    released, anybody = found["released"], found["independent"]
    assert released.keys() == anybody.keys()
    assert released["changed_cells", ("sex",)].value == 0
    assert ("il1s", ("sex",)) not in released
    for name in ("pay", "born"):
        for measure in ("changed_cells", "il1s", "interval_disclosure"):
            figure = released[measure, (name,)]
            assert figure.low < figure.value <= figure.high
        assert released["il1s", (name,)].high < anybody["il1s", (name,)].low
        assert anybody["interval_disclosure", (name,)].value == pytest.approx(
            0.1, abs=0.02
        )
    mean = (released["il1s", ("pay",)].value + released["il1s", ("born",)].value) / 2
    assert released["mean_il1s", ()].value == pytest.approx(mean)
    columns = infer_schema(table).columns
    linked = compare_perturbed(table, swapped, columns, changed).linked
    assert released["linked_rows", ()].value == pytest.approx(linked)
    assert anybody["linked_rows", ()].value < 0.01 < linked


@pytest.mark.slow
def test_numbers_that_are_all_the_same_have_no_loss(table):
    real = table.assign(pay=5)
    released = real.assign(pay=[5, 6] * 1000)
    found = perturbed_figures(AlikeTables.of(real, released), ["pay"], 0)["released"]
    assert found["changed_cells", ("pay",)].value == 0.5
    assert ("il1s", ("pay",)) not in found


def test_rows_that_cannot_be_those_of_the_table_are_refused(table):
    with pytest.raises(TableError, match="the 2,000 rows of the real table"):
        evaluate(table, table[:1999], perturbed=["pay"])
    with pytest.raises(ParameterError, match="Received 'paid'"):
        evaluate(table, table, perturbed=["paid"])
