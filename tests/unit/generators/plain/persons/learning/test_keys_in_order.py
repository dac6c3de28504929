"""Keys of persons that follow each other: orders of customers, stays of patients."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer, infer_schema


def orders(n=300, seed=0):
    """Lines of the orders of customers, in no order, each order sent to one place.

    The place and the kind of a thing tell what is taken off its price.
    """
    rng, rows, number = np.random.default_rng(seed), [], 71_000
    off = rng.choice([0, 10, 20, 30], (6, 8))
    for person in range(n):
        day, trade = rng.integers(0, 900), rng.choice(["shop", "home"])
        for _ in range(1 + rng.poisson(3)):
            number, day = number + 1, day + rng.integers(3, 90)
            place = rng.integers(6)
            for _ in range(min(rng.geometric(0.5), 9)):
                thing = rng.integers(8)
                rows.append(
                    (person, number, day, trade, place, thing, off[place, thing])
                )
    names = ["who", "order", "day", "trade", "place", "thing", "off"]
    table = pd.DataFrame(rows, columns=names).sample(frac=1, random_state=0)
    return table.assign(
        who="P" + table["who"].astype(str),
        day=(np.datetime64("2020-01-01") + table["day"].to_numpy()).astype("M8[us]"),
        place="at " + table["place"].astype(str),
        thing="T" + table["thing"].astype(str),
    ).reset_index(drop=True)


def stays(n=600, seed=0):
    """What is measured on the days of the stays of patients; who dies does so last."""
    rng, rows, number = np.random.default_rng(seed), [], 5_000
    for person in range(n):
        day, level = rng.integers(0, 400), rng.normal(0, 3)
        n_stays = 1 + rng.poisson(1.2)
        for stay in range(n_stays):
            number, ward = number + 1, rng.choice(["A", "B", "C"])
            size = 1 + rng.poisson(1.2)
            dies = stay == n_stays - 1 and rng.random() < 0.7
            for i in range(size):
                event = rng.choice(["test", "drug"])
                event = "death" if dies and i == size - 1 else event
                rows.append((person, number, day, ward, event, level + rng.normal()))
                day += rng.integers(0, 3)
            day += rng.integers(5, 200)
    names = ["who", "stay", "day", "ward", "event", "value"]
    table = pd.DataFrame(rows, columns=names).round({"value": 1})
    day = np.datetime64("2020-01-01") + table["day"].to_numpy()
    return table.assign(who="P" + table["who"].astype(str), day=day.astype("M8[us]"))


def fitted(table, key):
    schema = infer_schema(table).as_key(key)
    options = {"k": 20, "person_id": "who", "n_iterations": 1, "random_state": 0}
    return CoclusterSynthesizer(**options).fit(table, schema)


@pytest.fixture(scope="module")
def ordered():
    table = orders()
    model = fitted(table, "order")
    return table, model, model.sample()


@pytest.fixture(scope="module")
def stayed():
    table = stays()
    model = fitted(table, "stay")
    return table, model, model.sample()


def sizes(table, key):
    """Rows of persons, keys of persons and rows of keys."""
    rows = table.groupby("who").size(), table.groupby(["who", key]).size()
    return rows[0], table.groupby("who")[key].nunique(), rows[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ordered", "stayed"])
def test_keys_and_their_rows_are_as_many_as_in_the_table(name, request):
    table, _, drawn = request.getfixturevalue(name)
    key = table.columns[1]
    for real, own in zip(sizes(table, key), sizes(drawn, key), strict=True):
        assert own.mean() == pytest.approx(real.mean(), rel=0.05)
        assert abs((own == 1).mean() - (real == 1).mean()) < 0.04


@pytest.mark.slow
def test_what_stays_in_a_key_tells_its_other_rows(ordered):
    _, model, drawn = ordered
    each = drawn.groupby("order")
    assert (each[["who", "day", "place"]].nunique() == 1).all(axis=None)
    broken = model.model_.count_broken(drawn)
    counts = dict(
        zip(map(str, (r.relation for r in model.rules_)), broken, strict=True)
    )
    assert counts["place, thing -> off"] == 0


@pytest.mark.slow
def test_keys_are_in_the_order_of_dates_though_the_table_is_not(ordered):
    _, model, drawn = ordered
    structure = model.model_.structure
    assert structure.ordered_by == "day" and structure.is_after_last
    assert drawn.groupby("who")["day"].apply(lambda d: d.is_monotonic_increasing).all()
    steps = drawn.drop_duplicates("order").groupby("who")["day"].diff().dropna()
    assert steps.dt.days.between(3, 89).mean() > 0.97


@pytest.mark.slow
def test_a_key_begins_after_the_one_before_has_ended(stayed):
    _, _, drawn = stayed
    begins, ends = (
        drawn.groupby(["who", "stay"])["day"].agg(of) for of in ("min", "max")
    )
    gaps = (begins - ends.groupby("who").shift()).dropna().dt.days
    assert gaps.min() >= 0 and (gaps >= 3).mean() > 0.98 and gaps.median() > 50


@pytest.mark.slow
def test_what_is_last_of_a_person_is_last_of_all_keys(stayed):
    """Also where the last stay has one row, which is drawn with what stays are."""

    def dead(table):
        """Of the persons, and of those whose last of several stays has one row."""
        last = table.drop_duplicates("who", keep="last").set_index("who")
        several = table.groupby("who")["stay"].nunique() > 1
        alone = last["stay"].map(table["stay"].value_counts()) == 1
        died = last["event"] == "death"
        return died.mean(), died[several & alone].mean()

    table, _, drawn = stayed
    is_dead = drawn["event"] == "death"
    assert not (is_dead & drawn.duplicated("who", keep="last")).any()
    (real, real_alone), (own, own_alone) = dead(table), dead(drawn)
    assert own == pytest.approx(real, abs=0.06)
    assert own_alone == pytest.approx(real_alone, abs=0.2)


@pytest.mark.slow
def test_all_rows_of_keys_know_what_their_person_is_like(stayed):
    def like(table):
        """Of the means of the first rows of stays, and of the others of persons."""
        is_first = ~table.duplicated("stay")
        means = table.groupby(["who", is_first])["value"].mean().unstack().dropna()
        return means.corr().iloc[0, 1]

    table, _, drawn = stayed
    assert like(table) > 0.8
    assert like(drawn) > 0.7


def contracts(n=300, seed=0):
    """Months of the contracts of clients, several at a time, each of one plan."""
    rng, rows, number = np.random.default_rng(seed), [], 9_000
    for person in range(n):
        for _ in range(1 + rng.poisson(1.2)):
            number, plan, start = number + 1, rng.integers(5), rng.integers(0, 30)
            for month in range(start, start + min(2 + rng.geometric(0.2), 20)):
                calls = rng.poisson(2 + 3 * plan)
                rows.append((person, number, month, plan, calls))
    table = pd.DataFrame(rows, columns=["who", "contract", "month", "plan", "calls"])
    table = table.sort_values(["who", "month"], kind="stable")
    months = np.datetime64("2020-01", "M") + table["month"].to_numpy()
    return table.assign(
        who="P" + table["who"].astype(str),
        month=months.astype("M8[us]"),
        plan="plan " + table["plan"].astype(str),
    ).reset_index(drop=True)


@pytest.mark.slow
def test_keys_that_overlap_keep_their_rows_and_what_stays_in_them():
    table = contracts()
    model = fitted(table, "contract")
    structure = model.model_.structure
    assert structure.within is not None and not structure.is_after_last
    drawn = model.sample()
    for real, own in zip(
        sizes(table, "contract"), sizes(drawn, "contract"), strict=True
    ):
        assert own.mean() == pytest.approx(real.mean(), rel=0.06)
        assert abs((own == 1).mean() - (real == 1).mean()) < 0.04
    assert (drawn.groupby("contract")["plan"].nunique() == 1).all()
    steps = (t.groupby("contract")["month"].diff().dt.days for t in (table, drawn))
    assert [(own.dropna() > 0).mean() > 0.97 for own in steps] == [True, True]
    means = (t.groupby("plan")["calls"].mean() for t in (table, drawn))
    assert pd.concat(means, axis=1).diff(axis=1).iloc[:, 1].abs().max() < 1


@pytest.mark.slow
def test_a_saved_model_draws_the_same(ordered, tmp_path):
    _, model, _ = ordered
    model.save(tmp_path / "orders.model")
    again = CoclusterSynthesizer.load(tmp_path / "orders.model")
    drawn = [each.sample(200, random_state=3) for each in (model, again)]
    pd.testing.assert_frame_equal(*drawn)


@pytest.mark.slow
def test_numbers_of_keys_without_dates_go_on_where_few_persons_have_so_many():
    rng = np.random.default_rng(0)
    n_children = np.round(20 * np.exp(rng.normal(0, 0.7, 80))).astype(int) + 3
    school = np.repeat(np.arange(80), n_children)
    n_tests = rng.integers(1, 4, len(school))
    child = np.repeat(70_000 + np.arange(len(school)), n_tests)
    table = pd.DataFrame(
        {
            "who": "S" + pd.Series(np.repeat(school, n_tests)).astype(str),
            "child": child,
            "sex": rng.choice(["F", "M"], child.max() + 1)[child],
            "mark": rng.choice(["A", "B", "C"], len(child)),
        }
    )
    drawn = fitted(table, "child").sample()
    for real, own in zip(sizes(table, "child"), sizes(drawn, "child"), strict=True):
        assert own.mean() == pytest.approx(real.mean(), rel=0.08)


def wages(n=200, seed=0):
    """Contracts of workers, one that begins in a year, and where each took place."""
    rng, rows, number = np.random.default_rng(seed), [], 70_000
    for person in range(n):
        n_years, born = rng.integers(1, 8), rng.integers(1940, 1980)
        for year in np.sort(rng.choice(np.arange(2005, 2020), n_years, replace=False)):
            number += 1
            for _ in range(1 + rng.poisson(1)):
                rows.append((f"P{person}", number, year, year - born, rng.integers(4)))
    return pd.DataFrame(rows, columns=["who", "contract", "year", "age", "place"])


@pytest.mark.slow
def test_a_year_that_rises_with_the_keys_is_the_order_of_them():
    """Their numbers rise too: of these nobody would know that no year comes twice."""
    model = fitted(wages(), "contract")
    structure = model.model_.structure
    assert (structure.ordered_by, structure.is_once) == ("year", True)
    firsts = model.sample().drop_duplicates(["who", "contract"])
    assert not firsts.duplicated(["who", "year"]).any()
    before = "of the last row of the contract before"
    assert f"age = age {before} + year - year {before}" in structure.told_by_row_before


@pytest.mark.slow
def test_years_that_follow_each_other_in_another_order_are_not_that_of_the_keys():
    table, rng = wages(), np.random.default_rng(0)
    years = table.drop_duplicates("contract").groupby("who", sort=False).size()
    years = [2005 + rng.permutation(n) for n in years]
    contract = pd.factorize(table["contract"])[0]
    table = table.assign(year=np.concatenate(years)[contract]).drop(columns="age")
    assert fitted(table, "contract").model_.structure.ordered_by is None


@pytest.mark.slow
def test_room_for_the_next_key_begins_at_the_end_of_the_last_one():
    """The first stay takes most of the time, and the others come soon after it."""
    rng, rows = np.random.default_rng(0), []
    for person in range(200):
        day = rng.integers(100)
        for stay in range(6):
            for length in (0, 5 if stay else rng.integers(190, 210)):
                day += length
                ward = rng.choice(["A", "B"])
                rows.append((f"P{person}", 5_000 + 6 * person + stay, day, ward))
            day += rng.integers(2, 5)
    table = pd.DataFrame(rows, columns=["who", "stay", "day", "ward"])
    day = np.datetime64("2020-01-01") + table["day"].to_numpy()
    structure = fitted(table.assign(day=day.astype("M8[us]")), "stay").model_.structure
    assert structure.is_after_last and structure.ordered_by == "day"
    assert structure.most_rooms == 1


def test_what_ends_keys_is_told_of_persons_and_not_of_keys():
    rng, rows = np.random.default_rng(0), []
    for trip in range(4 * 200):
        person, place = trip // 4, rng.choice(["A", "B", "C"])
        for leg in range(3):
            ends = {2: "W" if person < 60 else "Z"}.get(leg) if person < 72 else None
            to = ends or rng.choice(["A", "B", "C"])
            rows.append((f"P{person}", 5_000 + trip, place, to))
            place = to
    table = pd.DataFrame(rows, columns=["who", "trip", "from", "to"])
    structure = fitted(table, "trip").model_.structure
    said = structure.told_by_row_before
    assert "from = to of the row before of one trip" in said
    assert any("to = W in the last row" in own for own in said)
    assert not any("to = Z" in own for own in said)


@pytest.mark.slow
def test_a_column_that_says_how_many_rows_a_key_has_is_right():
    table = orders()
    table["lines"] = table.groupby("order")["order"].transform("size")
    model = fitted(table, "order")
    assert "lines" in model.model_.structure.within.constants
    drawn = model.sample()
    # The last person has as many rows as are missing.
    drawn = drawn[drawn["who"] != drawn["who"].iloc[-1]]
    n_rows = drawn.groupby("order")["order"].transform("size")
    assert (n_rows == drawn["lines"]).all()
    assert not any("\0" in str(rule.relation) for rule in model.rules_)
    assert drawn["lines"].mean() == pytest.approx(table["lines"].mean(), rel=0.1)


@pytest.mark.slow
def test_numbers_of_keys_do_not_advance_with_their_dates():
    """One key a day: what counts them has no number of each person."""
    rng = np.random.default_rng(0)
    who, i = np.sort(rng.integers(0, 300, 3000)), np.arange(3000) // 2
    day = (np.datetime64("2020-01-01") + i).astype("M8[us]")
    order = pd.factorize(pd.MultiIndex.from_arrays([who, i]))[0] + 7_000
    table = pd.DataFrame({"who": who, "order": order, "day": day})
    model = fitted(table.assign(thing=rng.integers(0, 5, 3000)), "order")
    told = model.model_.structure.told_by_row_before
    assert not any("number of each person" in own for own in told)
    assert len(model.sample()) == 3000


@pytest.mark.slow
def test_an_age_that_is_off_in_one_row_of_a_key_is_drawn():
    """It does not stay in keys then, as the day does that tells it."""
    table, rng = orders(450), np.random.default_rng(0)
    person = table["who"].str[1:].astype(int).to_numpy()
    born = np.datetime64("1970-01-01") + rng.integers(-9000, 9000, 450)[person]
    table["age"] = ((table["day"] - born).dt.days / 365.25).round(1)
    table.loc[table["order"].duplicated(keep=False).idxmax(), "age"] += 1
    model = fitted(table, "order")
    drawn = model.sample()
    born = drawn["day"].astype("datetime64[s]").astype(int) / 86400 / 365.25
    born -= drawn["age"]
    assert (born.groupby(drawn["who"]).agg(np.ptp) < 0.11).all()


@pytest.mark.slow
def test_rows_are_drawn_of_clusters_of_which_nobody_has_such_rows(ordered):
    """Leaves are of persons of several clusters, and say who has several rows."""
    structure = ordered[1].model_.structure
    n_clusters = len(structure.first.cluster_rows)
    assert n_clusters > 1

    def of_first_cluster(rows):
        j = rows.columns[0].column
        reach = {j: np.ones((1, rows.bins[j].max() + 1), dtype=bool)}
        return replace(rows, cluster_rows=rows.cluster_rows[:1], reach=reach)

    within = replace(structure.within, later=of_first_cluster(structure.within.later))
    later = of_first_cluster(structure.later)
    structure = replace(structure, later=later, within=within)
    last = np.full(50, n_clusters - 1)
    frame, whose = structure.draw_persons(last, np.random.default_rng(0))
    assert len(frame) > 100 and whose.max() == 49
