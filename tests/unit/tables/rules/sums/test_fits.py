from dataclasses import replace

import numpy as np
import pytest
from support.evidence import columns_of, evidence_of

from coclust_synth.tables.draws.rulers import ContinuousRuler, SteppedRuler
from coclust_synth.tables.relations import Cases, Fit, Order
from coclust_synth.tables.rules.fitting.exact import exact_sums, spread_left
from coclust_synth.tables.rules.fitting.rounding import misses
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.sums.cases import find_cases
from coclust_synth.tables.rules.sums.fits import find_fits

CENTS = SteppedRuler(0.01, whole=False)


@pytest.mark.slow
def test_a_sum_is_found_exactly(rng):
    interest = np.round(rng.exponential(100, 3000), 2)
    principal = np.round(rng.exponential(1000, 3000), 2)
    fees = np.where(rng.random(3000) < 0.005, 15.0, 0.0)
    total = np.round(interest + principal + fees, 2)
    numbers = {"a": interest, "b": principal, "fees": fees, "total": total}
    (fit,) = find_fits(numbers, dict.fromkeys(numbers, CENTS))
    assert {fit.target, *fit.parents} == set(numbers)
    assert not fit.about
    assert not fit.constant
    assert "=" in str(fit)


def test_a_stay_is_the_difference_of_two_dates(rng):
    admitted = rng.integers(15_000, 20_000, 2000).astype(float)
    stay = np.floor(rng.exponential(8, 2000))
    numbers = {"in": admitted, "out": admitted + stay, "stay": stay}
    (fit,) = find_fits(numbers, dict.fromkeys(numbers, SteppedRuler(1)))
    assert not fit.about
    predicted = fit.predict(numbers)
    np.testing.assert_allclose(predicted, numbers[fit.target])


@pytest.mark.slow
def test_how_long_it_is_between_two_moments_is_of_no_time_zone(rng):
    """But a date and a time, without one, are no moment of it."""
    begin = rng.integers(28_800_000, 29_200_000, 3000) / 1440
    length = rng.integers(5, 600, 3000) / 1440
    numbers = {"begin": begin, "length": length, "end": begin + length}
    rulers = {name: SteppedRuler(60, unit="s") for name in numbers}
    (fit,) = find_fits(numbers, rulers, zoned={"begin", "end"})
    assert {fit.target, *fit.parents} == set(numbers)
    assert find_fits(numbers, rulers, zoned={"end"}) == []


@pytest.mark.slow
def test_a_moment_is_told_from_the_whole_days_since_another(rng):
    """Not the days from the moments: drawn apart, these would tell next to nothing."""
    asked = rng.integers(15_000, 15_700, 3000).astype(float)
    days = np.round(rng.laplace(0, 2, 3000))
    numbers = {"days": days, "asked": asked}
    numbers["jailed"] = asked + days + rng.integers(3600, 46_800, 3000) / 86_400
    rulers = {"days": SteppedRuler(1), "asked": SteppedRuler(1, unit="D")}
    rulers["jailed"] = SteppedRuler(1, unit="s")
    (fit,) = find_fits(numbers, rulers)
    assert fit.target == "jailed"
    assert dict(zip(fit.parents, fit.coefficients, strict=True)) == {
        "days": 1,
        "asked": 1,
    }
    left = numbers["jailed"] - fit.predict(numbers)
    assert np.abs(left).max() < 0.5


def test_a_sum_is_not_told_from_what_is_missing_where_it_is_not(rng):
    """The error of a forecast is known of some rows, what came of all."""
    came = rng.integers(0, 5000, 2000).astype(float)
    forecast = came + rng.integers(-300, 300, 2000)
    error = np.where(rng.random(2000) < 0.2, np.nan, forecast - came)
    numbers = {"forecast": forecast, "came": came, "error": error}
    fits = find_fits(numbers, dict.fromkeys(numbers, SteppedRuler(1)))
    (exact,) = (fit for fit in fits if not fit.about)
    assert exact.target == "error"


def test_few_missing_cells_do_not_say_for_which_column_a_sum_is_told(rng):
    """Of two prices that are off by a few amounts the difference has most values."""
    of_ours, of_theirs = rng.choice(
        [0, 0.1, 0.2, 0.4], (2, 800), p=[0.7, 0.1, 0.1, 0.1]
    )
    apart = rng.choice([0.1, 0.24, 0.27, 0.3], 800)
    numbers = {"ours": of_ours, "apart": apart, "theirs": of_theirs}
    numbers["left"] = np.round(apart + of_ours - of_theirs, 2)
    for name, n_missing in {"ours": 2, "theirs": 3, "left": 1}.items():
        numbers[name][rng.choice(800, n_missing, replace=False)] = np.nan
    (fit,) = find_fits(numbers, dict.fromkeys(numbers, CENTS))
    assert fit.target == "left" and not fit.about


@pytest.mark.slow
def test_what_stays_is_told_from_what_stays(rng):
    born, year = rng.integers(0, 80, 2000), rng.integers(100, 140, 2000)
    half, other = rng.integers(0, 50, (2, 2000))
    numbers = {"born": born, "year": year, "age": year - born}
    numbers |= {"half": half, "other": other, "both": half + other}
    numbers = {name: x.astype(float) for name, x in numbers.items()}
    rulers = dict.fromkeys(numbers, SteppedRuler(1))
    stays = {"born", "half", "other", "both"}
    fits = {fit.target: fit for fit in find_fits(numbers, rulers, stays=stays)}
    assert fits.keys() & stays <= {"half", "other", "both"}
    assert len(fits) == 2
    assert fits.keys() & {"year", "age"}


def test_a_score_of_few_values_is_the_sum_of_its_items(rng):
    """The coma scale, from 3 to 15, is of three items of 4, 5 and 6 values."""
    items = {"eyes": 4, "verbal": 5, "motor": 6}
    numbers = {n: rng.integers(1, m + 1, 2000).astype(float) for n, m in items.items()}
    numbers["score"] = sum(numbers.values())
    (fit,) = find_fits(numbers, dict.fromkeys(numbers, SteppedRuler(1)))
    assert set(fit.columns) == set(numbers)
    assert not fit.about
    assert not misses(fit, numbers, SteppedRuler(1))[0].any()


def test_a_list_that_is_nearly_told_keeps_its_shares(rng):
    """What is off by one in a tenth of the rows, or is half of another, is no sum."""
    a, b = rng.integers(1, 6, (2, 2000)).astype(float)
    numbers = {"a": a, "b": b, "c": a + b + (rng.random(2000) < 0.1), "d": a / 2}
    rulers = dict.fromkeys("abc", SteppedRuler(1)) | {"d": SteppedRuler(0.5)}
    fits = find_fits(numbers, rulers)
    assert {fit.target for fit in fits} <= {"a", "d"}


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 120])
def test_an_exact_sum_needs_few_rows(rng, n):
    net = np.round(rng.lognormal(5, 1, n), 2)
    tips = np.round(rng.lognormal(2, 1, n), 2)
    numbers = {"net": net, "tips": tips, "paid": np.round(net + tips, 2)}
    (fit,) = find_fits(numbers, dict.fromkeys(numbers, CENTS))
    assert set(fit.columns) == set(numbers)
    assert not fit.about
    few = {name: x[:49] for name, x in numbers.items()}
    assert find_fits(few, dict.fromkeys(few, CENTS)) == []


def test_few_rows_tell_no_sum_that_is_about_right(rng):
    a = rng.normal(0, 10, 150)
    numbers = {"a": a, "b": 2 * a + rng.normal(0, 0.1, 150)}
    assert find_fits(numbers, dict.fromkeys("ab", ContinuousRuler())) == []


@pytest.mark.parametrize("seed", range(20))
def test_independent_columns_of_small_tables_have_none(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(50, 160))
    numbers = {
        f"c{j}": rng.integers(0, rng.choice([3, 6, 12, 1000]), n).astype(float)
        for j in range(int(rng.integers(4, 12)))
    }
    assert find_fits(numbers, dict.fromkeys(numbers, SteppedRuler(1))) == []


@pytest.mark.slow
def test_a_product_is_found_by_logarithms(rng):
    months = rng.integers(1, 72, 3000).astype(float)
    monthly = np.round(rng.uniform(20, 120, 3000), 2)
    total = np.round(months * monthly * rng.uniform(0.97, 1.03, 3000), 2)
    numbers = {"months": months, "monthly": monthly, "total": total}
    rulers = {"months": SteppedRuler(1), "monthly": CENTS, "total": CENTS}
    (fit,) = find_fits(numbers, rulers)
    assert fit.logarithms
    assert set(fit.coefficients) <= {1.0, -1.0}
    assert "~" in str(fit)


@pytest.mark.slow
def test_of_numbers_of_single_precision_a_small_change_is_not_told(rng):
    """It has more decimals than the fees that it is of: all have seven digits."""
    before = rng.uniform(2, 15, 1000).astype(np.float32).astype(float)
    change = np.where(rng.random(1000) < 0.5, 0, rng.normal(0, 0.8, 1000))
    after = (before + change).astype(np.float32).astype(float)
    numbers = {"before": before, "after": after, "change": after - before}
    fine, finer = (SteppedRuler(10.0**-d, whole=False) for d in (8, 9))
    rulers = {"before": fine, "after": fine, "change": finer}
    (fit,) = find_fits(numbers, rulers)
    assert fit.target in ("before", "after") and not fit.about


def test_a_share_is_of_the_rows_that_have_it(rng):
    """That others without it owe nothing says nothing of it."""
    is_card = rng.random(3000) < 0.5
    limit = rng.integers(10, 200, 3000) * 100.0
    owed = np.floor(limit * rng.beta(1, 4, 3000))
    owed[~is_card & (rng.random(3000) < 0.3)] = 0
    used = np.where(is_card, np.round(100 * owed / limit, 1), np.nan)
    numbers = {"limit": limit, "owed": owed, "used": used}
    rulers = {"limit": SteppedRuler(100), "owed": SteppedRuler(1)}
    (fit,) = find_fits(numbers, rulers | {"used": SteppedRuler(0.1, whole=False)})
    assert (fit.target, fit.about, fit.constant) == ("used", False, 100)
    assert fit.terms == {"owed": 1.0, "limit": -1.0}


def test_a_factor_that_is_beyond_all_numbers_is_none(rng):
    """What grows by a half a year is the year to the power of a thousand, times 0."""
    year = rng.integers(1970, 2020, 500).astype(float)
    grown = np.round(1e6 * np.exp((year - 1990) / 2) * rng.lognormal(0, 0.01, 500))
    numbers = {"year": year, "grown": grown}
    assert find_fits(numbers, dict.fromkeys(numbers, SteppedRuler(1))) == []


@pytest.mark.slow
def test_a_product_of_few_values_is_exact(rng):
    """To a tenth, a body mass index has fewer values than its logarithm would tell."""
    height = rng.normal(170, 9, 3000).round()
    weight = (height - 100 + rng.normal(0, 12, 3000)).round()
    index = (weight / (height / 100) ** 2).round(1)
    numbers = {"height": height, "index": index, "weight": weight}
    rulers = {"height": SteppedRuler(1), "index": SteppedRuler(0.1, whole=False)}
    (fit,) = find_fits(numbers, rulers | {"weight": SteppedRuler(1)})
    assert (fit.target, fit.about, fit.constant) == ("index", False, 10_000)
    assert dict(zip(fit.parents, fit.coefficients, strict=True)) == {
        "height": -2.0,
        "weight": 1.0,
    }


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, 0.1])
def test_a_ratio_of_what_was_rounded_is_told_nearly(share, rng):
    """A thyroxine index, the share of it not measured, and then 0 as the index is.

    It is a step or two off, which takes fewer bits than how far off the ratio is: of
    3,000 rows the runs of these that 20 have are more than the steps.
    """
    thyroxine, uptake = rng.normal(100, 22, 3000), rng.normal(0.98, 0.13, 3000)
    index = np.maximum(thyroxine / uptake, 10.0)
    measured = rng.random(3000) >= share
    numbers = {
        "T4": np.maximum(thyroxine, 10.0).round(),
        "T4U": np.where(measured, uptake.round(2), 0.0),
        "FTI": np.where(measured, index.round(), 0.0),
    }
    hundredths, tenths = (SteppedRuler(step, whole=False) for step in (0.01, 0.1))
    (fit,) = find_fits(numbers, {"T4": tenths, "T4U": hundredths, "FTI": tenths})
    assert (fit.constant, fit.about, fit.slips) == (1.0, True, False)
    powers = {fit.target: -1.0, **fit.terms}
    assert powers in ({"FTI": -1, "T4": 1, "T4U": -1}, {"FTI": 1, "T4": -1, "T4U": 1})
    assert fit.target == "FTI" or not share
    said = np.exp(fit.predict(numbers))
    assert np.abs(said - numbers[fit.target])[said > 0].max() < 3
    np.testing.assert_array_equal(said == 0, ~measured)


@pytest.mark.slow
def test_what_rounding_leaves_of_few_steps_is_near(rng):
    """The consumption of a car is one of two, each told to whole miles a gallon."""
    city = rng.normal(20, 5, 2000).clip(9)
    highway = city * rng.normal(1.35, 0.1, 2000)
    both = 1 / (0.55 / city + 0.45 / highway)
    numbers = {"city": city, "highway": highway, "both": both}
    numbers = {name: x.round() for name, x in numbers.items()}
    (fit,) = find_fits(numbers, dict.fromkeys(numbers, SteppedRuler(1)))
    assert (fit.target, fit.logarithms, fit.about) == ("both", False, True)
    left = numbers["both"] - fit.predict(numbers)
    assert np.abs(left).mean() < 0.5


def test_what_is_left_of_few_steps_is_not_near(rng):
    """A step and more is another person's answer, not what was rounded."""
    likes = rng.normal(20, 5, 2000)
    numbers = {name: (likes + rng.normal(0, 1.2, 2000)).round() for name in "abc"}
    assert find_fits(numbers, dict.fromkeys(numbers, SteppedRuler(1))) == []


def test_missing_rows_do_not_hide_a_fit(rng):
    a = rng.normal(0, 10, 3000)
    b = a * 2 + 5
    b[::7] = np.nan
    (fit,) = find_fits({"a": a, "b": b}, dict.fromkeys("ab", ContinuousRuler()))
    assert fit.target == "b"
    assert fit.coefficients == (2.0,)
    assert fit.constant == pytest.approx(5)


def test_round_numbers_are_not_told_by_something_finer(rng):
    """A fit that saves no bits is none: loans are lent in thousands."""
    lent = rng.integers(1, 40, 3000) * 1000.0
    paid = np.round(lent * rng.uniform(0.02, 0.03, 3000), 2)
    rulers = {"lent": SteppedRuler(1000), "paid": CENTS}
    assert "lent" not in {
        f.target for f in find_fits({"lent": lent, "paid": paid}, rulers)
    }


@pytest.mark.parametrize("seed", range(5))
def test_independent_columns_have_none(seed):
    rng = np.random.default_rng(seed)
    numbers = {
        "a": rng.normal(0, 1, 1000),
        "b": rng.exponential(1, 1000),
        "c": rng.integers(0, 1000, 1000).astype(float),
        "d": np.where(rng.random(1000) < 0.7, 0.0, rng.lognormal(3, 2, 1000)),
    }
    assert find_fits(numbers, dict.fromkeys(numbers, ContinuousRuler())) == []


@pytest.mark.slow
def test_no_column_depends_on_itself(rng):
    a, b = rng.integers(0, 1000, (2, 2000)).astype(float)
    numbers = {"a": a, "b": b, "c": a + b, "d": a - b, "e": 2 * a + b}
    fits = {
        f.target: set(f.parents)
        for f in find_fits(numbers, dict.fromkeys(numbers, SteppedRuler(1)))
    }
    known = set(numbers) - set(fits)
    assert len(known) >= 2
    while fits:
        ready = [t for t, parents in fits.items() if parents <= known]
        assert ready
        known |= set(ready)
        fits = {t: p for t, p in fits.items() if t not in ready}


@pytest.mark.slow
def test_a_fit_that_most_rows_respect_is_exact(rng):
    a, b = rng.integers(0, 1000, (2, 3000)).astype(float)
    numbers, rulers = (
        {"a": a, "b": b, "c": a + b},
        dict.fromkeys("abc", SteppedRuler(1)),
    )
    numbers["c"][:10] += 1
    (fit,) = find_fits(numbers, rulers)
    assert not fit.about
    missed, known = misses(fit, numbers, rulers["c"])
    assert (missed.sum(), known.sum()) == (10, 3000)
    numbers["c"][:30] += 1
    (fit,) = find_fits(numbers, rulers)
    assert fit.about
    assert 0 < spread_left(fit, numbers) < 0.01


@pytest.mark.slow
def test_two_whole_numbers_are_not_what_a_sum_says(rng):
    """Accounts and those in order: .02 have one less, and half of it is neither."""
    accounts = rng.integers(1, 40, 8000).astype(float)
    in_order = accounts - (rng.random(8000) < 0.02) - (rng.random(8000) < 0.002)
    numbers = {"accounts": accounts, "in_order": in_order}
    rulers = dict.fromkeys(numbers, SteppedRuler(1))
    between = Fit("in_order", ("accounts",), (1.0,), -0.5012, False)
    missed, known = misses(between, numbers, rulers["in_order"])
    assert known.all() and missed.mean() > 0.015
    as_is = Fit("in_order", ("accounts",), (1.0,), 0.0, False)
    assert misses(as_is, numbers, rulers["in_order"])[0].mean() > 0.015
    assert all(fit.about for fit in find_fits(numbers, rulers, [], []))


def test_no_column_is_added_for_what_rounding_leaves(rng):
    a, b = np.round(rng.exponential(100, (2, 400)), 2)
    numbers = {"a": a, "b": b, "age": rng.integers(20, 50, 400) * 1.0, "c": a + b}
    (fit,) = find_fits(numbers, dict.fromkeys("abc", CENTS))
    assert len(fit.parents) == 2
    assert not fit.about


@pytest.mark.slow
def test_a_sum_is_told_for_the_column_that_has_no_other_order(rng):
    """No room is left for another order in what the sum tells."""
    came = rng.integers(15_000, 20_000, 2000).astype(float)
    stay = np.floor(rng.exponential(8, 2000))
    numbers = {"born": came - rng.integers(0, 9000, 2000), "came": came}
    numbers |= {"left": came + stay, "stay": stay}
    rulers = dict.fromkeys(numbers, SteppedRuler(1))
    inside = Order("came", "left")
    for beside, target in (
        (Order("born", "came"), "left"),
        (Order("left", "x"), "came"),
    ):
        (fit,) = find_fits(numbers, rulers, orders=(beside, inside))
        assert fit.target == target
        assert not fit.about


@pytest.mark.slow
def test_a_total_is_told_though_it_is_more_than_what_another_sum_says(rng):
    """Else one of the parts is all that others leave of it, and seldom 0."""
    parts = np.round(rng.exponential(1000, (3, 3000)) * (rng.random((3, 3000)) < 0.7))
    total = parts.sum(axis=0)
    debt = np.floor(total * rng.random(3000)) * (rng.random(3000) < 0.3)
    numbers = dict(zip("abc", parts, strict=True))
    numbers |= {"debt": debt, "net": total - debt, "total": total}
    orders = [Order(name, "total") for name in numbers if name != "total"]
    fits = find_fits(numbers, dict.fromkeys(numbers, SteppedRuler(1)), orders=orders)
    assert [fit.target for fit in fits] == ["net", "total"]


@pytest.mark.slow
def test_what_is_nothing_where_a_sum_is_off_does_not_come_of_it(rng):
    """The age of infants is told in days, and they are of 0 years."""
    age = rng.integers(1, 100, 3000).astype(float)
    years = np.where(rng.random(3000) < 0.02, 0, age)
    numbers = {"age": age, "years": years, "rank": np.floor(age / 30)}
    rulers = dict.fromkeys(numbers, SteppedRuler(1))
    order = Order("rank", "age")
    fits = {fit.target: fit for fit in find_fits(numbers, rulers, orders=(order,))}
    assert str(fits["age"]) == "age ~ years" and "years" not in fits


@pytest.mark.slow
def test_what_is_carried_on_is_told_from_what_comes(rng):
    """Else a payment is told, and is no longer nothing where nothing was paid."""
    before, due = np.round(rng.exponential([[30], [50]], (2, 3000)), 2)
    paid = np.where(rng.random(3000) < 0.85, due, 0)
    numbers = {"before": before, "due": due, "paid": paid}
    numbers["balance"] = np.round(before + due - paid, 2)
    asked = set()

    def is_carried(name, other):
        asked.add((name, other))
        return (name, other) == ("balance", "before")

    rulers = dict.fromkeys(numbers, CENTS)
    (fit,) = find_fits(numbers, rulers, is_carried=is_carried)
    assert fit.target == "balance"
    assert fit.terms == {"before": 1, "due": 1, "paid": -1}
    assert len(asked) > 1
    (fit,) = find_fits(numbers, rulers)
    assert fit.target != "balance"


@pytest.mark.slow
@pytest.mark.parametrize("step, told", [(9, "days"), (60, "end")])
def test_the_days_are_told_where_short_steps_lead_from_one_date_to_another(
    step, told, rng
):
    """Else the last step is what the days leave, which are drawn apart from it."""
    first = rng.integers(0, 3000, 2000) * 1.0
    seen = first + np.round(rng.gamma(4, step, 2000))
    end = seen + np.round(rng.gamma(4, step, 2000))
    numbers = {"first": first, "seen": seen, "end": end, "days": end - first}
    rulers = {name: SteppedRuler(1, unit="D") for name in numbers}
    rulers["days"] = SteppedRuler(1)
    orders = [Order("first", "seen"), Order("seen", "end")]
    fits = find_fits(numbers, rulers, orders=orders)
    assert fits[0].target == told and not fits[0].about
    assert {fit.target for fit in fits[1:]} <= {"seen", "end", "first"} - {told}
    assert len(fits) == (3 if told == "days" else 1)


@pytest.mark.slow
@pytest.mark.parametrize("share, told", [(0.6, "days"), (0.2, "start")])
def test_what_mostly_equals_another_column_is_not_told(share, told, rng):
    """An end is mostly the planned one, which is told from the start."""
    start = rng.integers(0, 20_000, 2000) * 1.0
    months = rng.integers(3, 60, 2000) * 1.0
    all_days = np.round(30.44 * months + rng.uniform(-2, 2, 2000))
    as_planned = rng.random(2000) < share
    days = np.where(as_planned, all_days, np.round(all_days * rng.random(2000)))
    numbers = {"start": start, "months": months, "planned": start + all_days}
    numbers |= {"end": start + days, "days": days}
    planned = Fit("planned", ("start", "months"), (1.0, 30.44), 0.0, False, about=True)
    rulers = dict.fromkeys(numbers, SteppedRuler(1))
    orders = [Order("start", "end"), Order("end", "planned")]
    fits = find_fits(numbers, rulers, [planned], orders)
    assert [fit.target for fit in fits if not fit.about] == [told]


@pytest.mark.slow
def test_a_sum_is_of_the_column_in_whose_unit_it_is(rng):
    """Cholesterol in moles tells it as well as that in grams, but for its rounding."""
    numbers = {"all": np.round(rng.normal(185, 38, 3000).clip(80))}
    numbers["moles"] = np.round(numbers["all"] / 38.67, 2)
    numbers["high"] = np.round(rng.normal(53, 14, 3000).clip(18))
    numbers["fats"] = np.round(rng.lognormal(4.6, 0.5, 3000))
    low = numbers["all"] - numbers["high"] - numbers["fats"] / 5
    numbers["low"] = np.round(low)
    rulers = dict.fromkeys(numbers, SteppedRuler(1))
    rulers["moles"] = CENTS
    fits = {fit.target: fit for fit in find_fits(numbers, rulers)}
    assert fits["low"].terms == {"all": 1, "high": -1, "fats": -0.2}
    assert not fits["low"].about


@pytest.mark.slow
@pytest.mark.parametrize("n_terms", [3, 4, 7])
def test_terms_of_one_size_are_found_together(rng, n_terms):
    """None of them alone tells much of their sum."""
    terms = np.round(rng.exponential(100, (n_terms, 1000)), 2)
    numbers = {f"t{j}": term for j, term in enumerate(terms)}
    numbers |= {"other": rng.normal(0, 9, 1000), "total": terms.sum(axis=0)}
    (fit,) = find_fits(numbers, dict.fromkeys(numbers, CENTS))
    assert set(fit.columns) == set(numbers) - {"other"}
    assert not fit.about


def test_what_is_added_from_row_to_row_may_be_of_many_terms(rng):
    terms = rng.integers(0, 900, (5, 400)) * 1.0
    numbers = dict(zip("abcde", terms, strict=True)) | {"step": terms.sum(axis=0)}
    numbers["part"] = terms[:2].sum(axis=0)
    (fit,) = exact_sums("step", numbers, SteppedRuler(1), {"step"})
    assert fit.terms == {"c": 1, "d": 1, "e": 1, "part": 1}


@pytest.mark.slow
def test_one_of_many_terms_may_be_a_share(rng):
    """What is taxed of wages, gains and a share of a pension, which few have."""
    parts = np.round(rng.lognormal([[9], [5], [7], [8], [9.5]], 1, (5, 4000)))
    parts *= rng.random((5, 4000)) < [[0.8], [0.4], [0.2], [0.1], [0.25]]
    numbers = dict(zip("abcde", parts, strict=True))
    numbers["taxed"] = parts[:4].sum(axis=0) + np.round(0.85 * parts[4])
    (fit,) = find_fits(numbers, dict.fromkeys(numbers, SteppedRuler(1)))
    assert (fit.target, fit.about, fit.constant) == ("taxed", False, 0)
    assert fit.terms == {"a": 1, "b": 1, "c": 1, "d": 1, "e": 0.85}


@pytest.mark.slow
def test_a_sum_of_sums_is_told_by_these(rng):
    """Columns that are sums of each other have no coefficients of their own."""
    a, b, c, d, e = np.round(rng.exponential(100, (5, 1000)), 2)
    numbers = {"a": a, "b": b, "c": c, "d": d, "e": e}
    numbers |= {"four": a + b + c + d, "five": a + b + c + d + e}
    fits = find_fits(numbers, dict.fromkeys(numbers, CENTS))
    assert len(fits) == 2 and not any(fit.about for fit in fits)
    assert sorted(len(fit.parents) for fit in fits) == [2, 4]


@pytest.mark.slow
def test_what_columns_are_that_hang_together_hides_no_sum(rng):
    """Needs and benefits by heads: of the heads, both may be told, and so the claim."""
    adults, children = rng.integers(1, 4, 1000), rng.integers(0, 5, 1000)
    rent, income = np.round(rng.lognormal([[6], [5]], 0.5, (2, 1000)), 2)
    numbers = {"heads": adults + children, "need": 400 * adults + 300 * children}
    numbers = {"benefit": 200 * children, **numbers, "rent": rent, "income": income}
    numbers = {name: x * 1.0 for name, x in numbers.items()}
    numbers["claim"] = numbers["need"] + rent - income - numbers["benefit"]
    rulers = dict.fromkeys(numbers, SteppedRuler(1)) | dict.fromkeys(
        ("rent", "income", "claim"), CENTS
    )
    fits = {fit.target: fit for fit in find_fits(numbers, rulers)}
    assert fits["claim"].terms == {"need": 1, "rent": 1, "income": -1, "benefit": -1}
    assert not fits["claim"].about and not fits["claim"].constant


@pytest.mark.slow
def test_a_few_rows_may_break_a_long_sum(rng):
    terms = rng.integers(0, 900, (5, 1000)) * 1.0
    numbers = dict(zip("abcde", terms, strict=True)) | {"total": terms.sum(axis=0)}
    numbers["total"][:5] += 777
    rulers = dict.fromkeys(numbers, SteppedRuler(1))
    (fit,) = find_fits(numbers, rulers)
    assert set(fit.columns) == set(numbers) and not fit.about
    numbers["total"][:30] += 777
    assert all(fit.about for fit in find_fits(numbers, rulers))


@pytest.mark.slow
def test_a_share_is_0_where_what_it_is_a_share_of_is(rng):
    pay = np.round(rng.lognormal(8, 1, 2000), 2)
    bonus = np.where(rng.random(2000) < 0.3, 0.0, np.round(rng.lognormal(5, 1, 2000)))
    numbers = {"pay": pay, "bonus": bonus, "share": bonus / pay}
    rulers = {"pay": CENTS, "bonus": SteppedRuler(1), "share": ContinuousRuler()}
    (fit,) = find_fits(numbers, rulers)
    assert set(fit.columns) == set(numbers) and fit.logarithms and not fit.about
    # Where there are others at 0, which it says nothing of, there is none.
    numbers["share"][:100] = 0.0
    assert find_fits(numbers, rulers) == []


@pytest.mark.slow
def test_another_unit_has_as_many_digits_as_it_needs(rng):
    feet = np.round(rng.uniform(0, 30_000, 2000), 1)
    numbers = {"feet": feet, "nearly metres": np.round(feet * 0.3048637, 1)}
    tenths = SteppedRuler(0.1, whole=False)
    (fit,) = find_fits(numbers, dict.fromkeys(numbers, tenths))
    assert not fit.about
    assert (fit.target, fit.coefficients) == ("nearly metres", (0.3048637,))


@pytest.mark.slow
def test_what_was_rounded_is_told_from_what_was_not(rng):
    """A wage by the hour follows from that of a month to the cent, not the reverse."""
    full, share = (
        rng.integers(210, 950, 3000) * 10.0,
        rng.choice([50, 60, 80, 100], 3000),
    )
    hour, month = np.round(full / 168 * 1.25, 2), full * share / 100
    numbers = {"hour": hour, "share": share * 1.0, "month": month}
    rulers = {"hour": CENTS, "share": SteppedRuler(10), "month": SteppedRuler(1)}
    (fit,) = find_fits(numbers, rulers)
    assert fit.target == "hour" and not fit.about
    assert 1 / fit.constant == pytest.approx(1.344, rel=1e-9)
    assert (np.abs(np.exp(fit.predict(numbers)) - hour) < 0.00501).mean() > 0.995


@pytest.mark.slow
def test_what_is_rounded_to_whole_numbers_is_told_from_what_has_more_digits(rng):
    """These are too little to be seen in large amounts, but would be lost."""
    cost = rng.lognormal(12, 1, 3000)
    numbers = {"whole": np.round(cost), "cost": cost}
    rulers = {"whole": SteppedRuler(1), "cost": ContinuousRuler()}
    (fit,) = find_fits(numbers, rulers)
    assert (fit.target, fit.about) == ("whole", False)


@pytest.mark.slow
def test_round_numbers_are_not_told_because_they_are_coarse(rng):
    """Square metres follow from sales and sales a metre, as any whole number near."""
    metres = rng.integers(2, 120, 3000) * 10.0
    total = np.round(rng.lognormal(13, 0.5, 3000))
    per_metre = np.round(total / metres * rng.uniform(1 - 1e-6, 1 + 1e-6, 3000), 2)
    numbers = {"total": total, "metres": metres, "per metre": per_metre}
    rulers = {"total": SteppedRuler(1), "metres": SteppedRuler(1), "per metre": CENTS}
    (fit,) = find_fits(numbers, rulers)
    assert fit.target != "metres"


@pytest.mark.slow
@pytest.mark.parametrize("share", [1 / 6, 0.0712345, 1 / 1.19, 0.123456789])
def test_a_share_of_large_amounts_is_told_to_their_last_cent(rng, share):
    bill = np.round(rng.lognormal(11, 1.5, 3000), 2)
    numbers = {"bill": bill, "tax": np.round(bill * share, 2)}
    (fit,) = find_fits(numbers, dict.fromkeys(numbers, CENTS))
    assert (fit.target, fit.about) == ("tax", False)
    assert (np.abs(fit.predict(numbers) - numbers["tax"]) < 0.00501).mean() > 0.998
    if share == 1 / 6:
        assert fit.coefficients == (share,) and str(fit) == "tax = bill / 6"


@pytest.mark.slow
def test_several_coefficients_are_told_to_the_last_cent(rng):
    a, b = np.round(rng.lognormal(9, 1, (2, 3000)), 2)
    numbers = {"a": a, "b": b, "y": np.round(a / 7 + 0.0753125 * b + 12, 2)}
    (fit,) = find_fits(numbers, dict.fromkeys(numbers, CENTS))
    assert str(fit) in (
        "y = a / 7 + 0.0753125 * b + 12",
        "y = 0.0753125 * b + a / 7 + 12",
    )
    assert (np.abs(fit.predict(numbers) - numbers["y"]) < 0.00501).mean() > 0.998


@pytest.mark.slow
@pytest.mark.parametrize("days", [30.4375, 365.25])
def test_a_share_is_told_to_the_digits_that_large_numbers_need(days, rng):
    """Fewer would leave all but a few rows right."""
    numbers = {"days": rng.integers(1, 4300, 4000).astype(float)}
    numbers["units"] = np.round(numbers["days"] / days, 1)
    rulers = {"days": SteppedRuler(1), "units": SteppedRuler(0.1, whole=False)}
    (fit,) = find_fits(numbers, rulers)
    assert (np.abs(fit.predict(numbers) - numbers["units"]) > 0.0501).sum() < 3


@pytest.mark.slow
def test_a_mean_that_is_rounded_is_told_in_thirds(rng):
    """And not nearly from what is used in a year, which is more like it than one is."""
    used = np.round(rng.lognormal(10, 0.5, 1000))
    years = np.round(used * rng.normal(1, 0.15, (3, 1000)))
    numbers = {"used": used, "mean": np.round(years.sum(axis=0) / 3)}
    numbers |= dict(zip("abc", years, strict=True))
    (fit,) = find_fits(numbers, dict.fromkeys(numbers, SteppedRuler(1)))
    assert fit.terms == dict.fromkeys("abc", 1 / 3) and not fit.about
    assert "a / 3" in str(fit)


@pytest.mark.slow
def test_animals_are_units_by_weights(rng):
    animals = rng.poisson([[20], [15], [9], [60], [3]], (5, 1000)) * 1.0
    animals *= rng.random((5, 1000)) < [[0.4], [0.3], [0.2], [0.4], [0.2]]
    weights = dict(zip("abcde", (1, 0.1, 0.15, 0.014, 0.8), strict=True))
    numbers = dict(zip("abcde", animals, strict=True))
    numbers["units"] = np.round(animals.T @ [*weights.values()], 1)
    rulers = dict.fromkeys("abcde", SteppedRuler(1))
    (fit,) = find_fits(numbers, rulers | {"units": SteppedRuler(0.1, whole=False)})
    assert fit.terms == weights and not fit.about and not fit.constant


@pytest.mark.slow
def test_a_mean_of_three_is_told_in_thirds(rng):
    numbers = dict(zip("abc", rng.integers(80, 200, (3, 4000)) * 1.0, strict=True))
    numbers["mean"] = np.round(sum(numbers.values()) / 3, 1)
    rulers = dict.fromkeys(numbers, SteppedRuler(1))
    (fit,) = find_fits(numbers, rulers | {"mean": SteppedRuler(0.1, whole=False)})
    assert (fit.target, set(fit.coefficients)) == ("mean", {1 / 3})


@pytest.mark.slow
@pytest.mark.parametrize("n_reversed", [0, 2])
def test_a_mean_of_many_items_is_told_in_shares_of_one_size(rng, n_reversed):
    """Also where it has few values, which other shares of others may not tell."""
    items = rng.integers(1, 4, (6, 1000)) * 1.0
    numbers = dict(zip("abcdef", items, strict=True))
    items = np.where(np.arange(6)[:, None] < n_reversed, 4 - items, items)
    numbers["mean"] = np.round(items.mean(axis=0), 2)
    assert len(np.unique(numbers["mean"])) <= 20
    (fit,) = find_fits(numbers, {"mean": CENTS})
    signs = np.where(np.arange(6) < n_reversed, -1, 1)
    assert fit.terms == dict(zip("abcdef", signs / 6, strict=True)) and not fit.about
    assert fit.constant == pytest.approx(4 * n_reversed / 6, abs=1e-3)
    numbers["mean"] = rng.permutation(numbers["mean"])
    assert find_fits(numbers, {"mean": CENTS}) == []


@pytest.mark.slow
def test_minutes_are_shares_of_a_day_however_few_are_long(rng):
    start = rng.integers(0, 43_200, 4000) / 1440 + 18_871
    minutes = np.round(rng.lognormal(3.1, 0.35, 4000))
    numbers = {"start": start, "minutes": minutes, "end": start + minutes / 1440}
    rulers = dict.fromkeys(numbers, SteppedRuler(60, unit="s"))
    (fit,) = find_fits(numbers, rulers | {"minutes": SteppedRuler(1)})
    assert not fit.about and abs(fit.terms["minutes"]) == 1 / 1440


@pytest.mark.slow
def test_errors_of_few_rows_ask_for_no_more_digits(rng):
    bill = np.round(rng.lognormal(5, 1, 4000), 2)
    tax = np.round(bill * 0.19, 2)
    tax[rng.choice(4000, 15, replace=False)] += np.round(rng.normal(0, 5, 15), 2)
    numbers = {"bill": bill, "tax": tax}
    (fit,) = find_fits(numbers, dict.fromkeys(numbers, CENTS))
    assert str(fit) == "tax = 0.19 * bill"


@pytest.mark.slow
def test_a_product_has_a_factor_of_as_many_digits_as_it_needs(rng):
    pounds, n = np.round(rng.lognormal(8, 1, 3000), 1), rng.integers(1, 400, 3000) * 1.0
    numbers = {"pounds": pounds, "n": n, "kg": np.round(0.45359237 * pounds * n, 2)}
    (fit,) = find_fits(numbers, dict.fromkeys(numbers, CENTS))
    assert (fit.target, fit.logarithms, fit.about) == ("kg", True, False)
    assert fit.constant == 0.45359237


@pytest.mark.slow
@pytest.mark.parametrize(
    "low, high, told, expected",
    [
        (1000, 9999, lambda x: x // 10, "y = 0.1 * x - 0.45"),
        (0, 3000, lambda x: x // 2, "y = 0.5 * x - 0.25"),
        (0, 400, lambda x: (x + 1) // 2, "y = 0.5 * x"),
        (0, 400, lambda x: np.round(0.5 * x), "y = 0.5 * x"),
        (1, 4000, lambda x: np.floor(0.19 * x + 0.5), "y = 0.19 * x"),
    ],
)
def test_whole_numbers_are_told_as_they_are_cut_or_rounded(
    low, high, told, expected, rng
):
    """A half is rounded up: 1115 // 10 is no rounded 111.5."""
    x = rng.integers(low, high, 4000).astype(float)
    numbers = {"x": x, "y": told(x)}
    (fit,) = find_fits(numbers, dict.fromkeys(numbers, SteppedRuler(1)))
    assert str(fit) == expected
    rounded = np.floor(fit.predict(numbers) + 0.5), np.round(fit.predict(numbers))
    assert max((own == numbers["y"]).mean() for own in rounded) > 0.995


@pytest.mark.parametrize("over", [12, 30])
@pytest.mark.parametrize("cut", [np.floor, np.ceil])
def test_whole_numbers_are_cut_however_many_have_none(cut, over, rng):
    """Least absolute deviations go through those that have none, beside the middle."""
    months = np.where(rng.random(4000) < 0.1, 0, rng.integers(1, 601, 4000)) * 1.0
    numbers = {"months": months, "years": cut(months / over)}
    (fit,) = find_fits(numbers, dict.fromkeys(numbers, SteppedRuler(1)))
    assert (fit.target, fit.about) == ("years", False)
    assert (np.round(fit.predict(numbers)) == numbers["years"]).all()


@pytest.mark.slow
def test_the_first_three_digits_of_a_code_that_ends_in_one_to_five(rng):
    code = rng.integers(100, 999, 4000) * 10 + rng.integers(1, 6, 4000)
    numbers = {"code": code.astype(float), "group": (code // 10).astype(float)}
    (fit,) = find_fits(numbers, dict.fromkeys(numbers, SteppedRuler(1)))
    assert str(fit) == "group = 0.1 * code - 0.3"


@pytest.mark.slow
def test_no_sum_is_of_dates_with_a_zone_and_of_local_ones(rng):
    day = rng.integers(18_000, 19_000, 600) * 1.0
    hour = rng.integers(8, 18, 600) * 1.0
    start = day + hour / 24
    rulers = {
        "day": SteppedRuler(1, unit="D"),
        "start": SteppedRuler(3600, unit="s"),
        "hour": SteppedRuler(1),
    }
    numbers = {"day": day, "start": start, "hour": hour}
    assert {"day", "hour", "start"} == {
        name for fit in find_fits(numbers, rulers) for name in fit.columns
    }
    assert find_fits(numbers, rulers, zoned={"start"}) == []


@pytest.mark.slow
def test_of_a_product_the_column_is_told_whose_numbers_repeat_least(rng):
    """Prices and loans drawn one after the other have next to never a share of .8."""
    price = rng.integers(40, 900, 1500).astype(float)
    share = np.where(rng.random(1500) < 0.4, 0.8, rng.beta(8, 3, 1500))
    loan = np.round(price * share)
    numbers = {"loan": loan, "price": price, "share": np.round(loan / price, 7)}
    steps = {"loan": 1, "price": 1, "share": 1e-7}
    rulers = {n: SteppedRuler(step, whole=False) for n, step in steps.items()}
    (fit,) = find_fits(numbers, rulers)
    assert fit.logarithms and not fit.about and fit.target != "share"


def totals(rng, n=2000, slips=0.03):
    """Totals of five amounts, the last two small; some of one year are off."""
    a, b, c = rng.gamma(0.5, 2e5, (3, n)).round(2)
    small, extra = rng.gamma(1, 2e3, (2, n)).round(2)
    year = rng.integers(2015, 2018, n)
    is_off = (year == 2017) & (rng.random(n) < 3 * slips)
    parts = {"a": a, "b": b, "c": c, "small": small, "extra": extra}
    total = sum(parts.values()) + is_off * rng.gamma(1, 200, n)
    return parts | {"total": total.round(2), "year": year.astype(float)}, is_off


@pytest.mark.slow
def test_a_sum_of_many_with_slips_is_told_nearly(rng):
    numbers, _ = totals(rng)
    rulers = {name: CENTS for name in numbers if name != "year"}
    (fit,) = find_fits(numbers, rulers)
    assert {fit.target, *fit.parents} == {*rulers}
    assert fit.about and {*map(abs, fit.coefficients)} == {1.0} and not fit.constant


@pytest.mark.slow
def test_a_sum_with_slips_is_told_in_all_years(rng):
    """Not in those years alone that have none, as cases would be."""
    numbers, _ = totals(rng)
    rules = rules_of(evidence_of(numbers), None, 20)
    (fit,) = (each for each in rules.all if isinstance(each.relation, Cases | Fit))
    assert fit.relation.about and len(fit.relation.parents) == 5
    cases = find_cases(columns_of(evidence_of(numbers), 20), ())
    assert any(case.by == "year" for case in cases)


def test_a_share_of_nothing_that_is_not_0_is_left_open(rng):
    """By hand: of 15 % of the rows without a limit 100 is used."""
    used, limit = rng.integers(0, 500, 2000) * 1.0, rng.integers(1, 60, 2000) * 1.0
    limit[:300] = 0
    share = np.where(limit > 0, used / np.where(limit > 0, limit, 1), 100).round(2)
    numbers = {"used": used, "limit": limit, "share": share}
    stated = Fit("share", ("used", "limit"), (1.0, -1.0), 1.0, logarithms=True)
    for own, is_open in ((share, True), (np.where(limit > 0, share, 0), False)):
        (rule,) = rules_of(evidence_of(numbers | {"share": own}), (stated,), 20).all
        assert rule.relation == replace(stated, open=is_open)
        assert Fit.read(rule.relation.to_dict()) == rule.relation
        assert rule.broken == 0
        assert np.isnan(rule.relation.predict(numbers)[:300]).all() == is_open


def test_only_a_product_is_open():
    content = {"kind": "sum", "target": "a", "terms": {"b": 1}, "open": True}
    with pytest.raises(ValueError):
        Fit.read(content)
