"""The measures of an evaluation one by one, on tables that can be counted by hand."""

import numpy as np
import pandas as pd
import pytest
from naive import distances as naive
from support.evaluations import people

from coclust_synth.evaluation.comparing.alike import AlikeTables
from coclust_synth.evaluation.comparing.coded import (
    FULL,
    code_tables,
    independent_columns,
)
from coclust_synth.evaluation.comparing.scores import (
    Figure,
    Setting,
    of_share,
    risk_beyond,
)
from coclust_synth.evaluation.distances.margins import margin_distances
from coclust_synth.evaluation.risk.attacks import (
    Predicate,
    attack_figures,
    multivariate_predicates,
    univariate_predicates,
)
from coclust_synth.evaluation.risk.classes import AttackerRisk, record_risks
from coclust_synth.evaluation.risk.copies import (
    population_uniques,
    protection_ratios,
    uniques_at_large,
    uniques_reproduced,
)
from coclust_synth.evaluation.risk.nearest import nearest_figures
from coclust_synth.evaluation.utility.associations import (
    associations,
    correlation_ratio,
    cramers_v,
)
from coclust_synth.evaluation.utility.counts import (
    draw_queries,
    number_figures,
    quantile_error,
    query_errors,
)
from coclust_synth.evaluation.utility.distances import (
    distance_figures,
    set_distances,
    sets_of_columns,
)
from coclust_synth.exceptions import TableError

REAL, HOLDOUT, RELEASED = people(120, 0), people(80, 1), people(100, 2)


@pytest.fixture(scope="module")
def coded():
    return code_tables(AlikeTables.of(REAL, RELEASED, HOLDOUT))


def test_distances_are_those_of_all_margins(coded):
    coding, rows = coded
    sets = [s for k in (1, 2, 3) for s in sets_of_columns(6, k, None)]
    both = rows["real"].parts, rows["released"].parts
    found = set_distances(*both, coding.n_parts, sets)
    table = margin_distances(*both)
    assert [tuple(v) for v in table["variables"]] == sets
    np.testing.assert_allclose(found.total_variation, table["total_variation"])
    np.testing.assert_allclose(found.hellinger, table["hellinger"])
    twin = naive.margin_distances(*(own.tolist() for own in both), orders=(2,))
    at = {s: i for i, s in enumerate(sets)}
    for variables, total_variation, hellinger in twin:
        assert found.total_variation[at[variables]] == pytest.approx(total_variation)
        assert found.hellinger[at[variables]] == pytest.approx(hellinger)


def test_intervals_of_distances_leave_out_a_group_in_turn(coded):
    coding, rows = coded
    setting = Setting(coding, rows["real"], None, 0, intervals=True)
    found = distance_figures(setting, rows["released"])
    both = rows["real"].parts, rows["released"].parts
    group = np.arange(100) % 10
    for order in (1, 3):
        sets = sets_of_columns(6, order, None)
        left_out = np.array(
            [
                set_distances(both[0], both[1][group != g], coding.n_parts, sets)
                for g in range(10)
            ]
        ).mean(axis=2)
        errors = np.sqrt(0.9 * ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0))
        for name, error in zip(("total_variation", "hellinger"), errors, strict=True):
            figure = found[f"mean_{name}_{order}", ()]
            assert figure.high - figure.value == pytest.approx(2.262 * error)
            assert figure.value - figure.low == pytest.approx(2.262 * error)
    without = distance_figures(setting._replace(intervals=False), rows["released"])
    assert without["mean_hellinger_1", ()].value == found["mean_hellinger_1", ()].value
    assert np.isnan(without["mean_hellinger_1", ()].low)


def test_sets_are_drawn_where_there_are_many():
    sets = sets_of_columns(30, 4, np.random.default_rng(0))
    assert len(sets) == len(set(sets)) == 60
    assert all(len(set(s)) == 4 for s in sets)


def test_blanks_around_a_value_are_no_other_value():
    real = REAL.assign(ward=REAL["ward"] + " ")
    coding, rows = code_tables(AlikeTables.of(real, REAL, REAL.assign(ward="zz ")))
    at = coding.names.index("ward")
    assert np.array_equal(rows["released"].parts, rows["real"].parts)
    assert set(rows["holdout"].parts[:, at]) == {coding.n_parts[at] - 1}


def test_codes_are_settled_on_the_real_table():
    coding, rows = code_tables(AlikeTables.of(REAL, REAL.assign(cost=1e9, ward="x")))
    assert (rows["released"].parts[:, 1] == coding.n_parts[1] - 1).all()
    assert rows["released"].parts[:, 5].max() < coding.n_parts[5] - 1
    same = [0, 2, 3, 4]
    for form in ("parts", "exact", "places"):
        ours, theirs = (getattr(rows[name], form) for name in ("real", "released"))
        assert (ours[:, same] == theirs[:, same]).all()
    assert rows["real"].places[:, 5].max() < FULL


def test_associations_by_the_kinds_of_columns(coded):
    coding, rows = coded
    found = associations(coding, rows["real"])
    names = list(coding.names)
    cost, ward = names.index("cost"), names.index("ward")
    age, drug = names.index("age"), names.index("drug")
    pearson = np.corrcoef(REAL["age"], REAL["cost"])[0, 1]
    assert found[age, cost] == pytest.approx(pearson)
    groups = [REAL["cost"][REAL["ward"] == w] for w in REAL["ward"].unique()]
    between = sum(len(g) * (g.mean() - REAL["cost"].mean()) ** 2 for g in groups)
    ratio = np.sqrt(between / (len(REAL) * REAL["cost"].var(ddof=0)))
    assert found[ward, cost] == pytest.approx(ratio)
    codes = (np.unique(REAL[n], return_inverse=True)[1] for n in ("ward", "drug"))
    assert found[ward, drug] == pytest.approx(cramers_v(*codes))
    assert (found == found.T).all()


@pytest.mark.slow
def test_integers_that_doubles_do_not_tell_apart_are_related_all_the_same():
    origin = 2**61
    wide, other = (own.assign(age=origin + own["age"]) for own in (REAL, RELEASED))
    coding, rows = code_tables(AlikeTables.of(wide, other))
    of_small, small = code_tables(AlikeTables.of(REAL, RELEASED))
    for name in ("real", "released"):
        expected = associations(of_small, small[name])
        assert associations(coding, rows[name]) == pytest.approx(expected)
    setting = Setting(coding, rows["real"], None, 0)
    found = number_figures(setting, rows["released"])
    mean = REAL["age"].mean()
    total = abs((origin + RELEASED["age"].mean()) / (origin + mean) - 1)
    assert found["total_error", ("age",)].value == pytest.approx(total, abs=1e-15)


def test_columns_that_do_not_vary_have_no_association():
    assert cramers_v(np.zeros(4, int), np.arange(4)) == 0
    assert correlation_ratio(np.arange(3), np.ones(3)) == 0


def test_errors_of_numbers():
    coding, rows = code_tables(AlikeTables.of(REAL, REAL.assign(cost=2 * REAL["cost"])))
    found = number_figures(Setting(coding, rows["real"], None, 0), rows["released"])
    assert found["total_error", ("cost",)].value == pytest.approx(1)
    assert found["deviation_error", ("cost",)].value == pytest.approx(1)
    assert found["total_error", ("age",)].value == 0
    assert ("total_error", ("admitted",)) not in found
    assert found["quantile_error", ("admitted",)].value == 0
    assert np.isnan(quantile_error(np.array([1.0]), np.array([])))


def test_queries_are_counted(coded):
    coding, rows = coded
    queries = draw_queries(coding, 30, np.random.default_rng(0))
    codes = rows["real"].parts
    assert (query_errors(queries, codes, np.tile(codes, (2, 1))) == 0).all()
    errors = query_errors(queries, codes, rows["released"].parts)
    for query, error in zip(queries, errors, strict=True):
        ours, theirs = (
            sum(all(kept[row[k]] for k, kept in query.items()) for row in table)
            for table in (codes.tolist(), rows["released"].parts.tolist())
        )
        expected = abs(theirs * 1.2 - ours) / max(ours, 0.12)
        assert error == pytest.approx(expected)


def test_uniques_and_protection_by_hand():
    training = np.array([[0, 0], [0, 1], [0, 1], [1, 0], [1, 1]])
    holdout, released = np.array([[1, 1], [2, 2], [3, 3]]), np.array([[0, 0], [2, 2]])
    ours, theirs = uniques_reproduced(training, holdout, released)
    # Alone in both: [0 0], [1 0]; and [2 2], [3 3].
    assert (ours.value, theirs.value) == (0.5, 0.5)
    copies = np.repeat(training, 2, axis=0)
    assert protection_ratios(training, copies) == {
        "profiles": 0,
        "rows": 0,
        "matching": 0.5,
    }


def test_uniqueness_by_hand():
    population = np.array([[0], [0], [1], [2], [3]])
    assert population_uniques(population).value == 3 / 5
    # Unique in the sample: 0, 1 and 9; of them 1 alone is one person.
    sample = np.array([[0], [1], [9], [2], [2]])
    assert uniques_at_large(sample, population).value == 1 / 3
    assert np.isnan(uniques_at_large(np.array([[0], [0]]), population).value)


def test_the_three_attackers():
    # Twelve patients in three classes of four (the first worked table).
    classes = np.repeat([0, 1, 2], 4)
    assert AttackerRisk.of(np.full(12, 0.25)) == (0.25, 0.25, 1.0)
    with pytest.raises(TableError, match=r"from 1 on.*12 that are not.*them 0\.1"):
        record_risks(classes, np.full(12, 0.1))
    with pytest.raises(TableError, match="1 that are not, among them inf"):
        record_risks(classes, np.append(np.full(11, 2.0), np.inf))


def test_shares_and_risks():
    assert of_share(0, 0).value != of_share(0, 0).value
    share = of_share(0, 50)
    assert (share.value, share.low) == (0, 0) and 0.05 < share.high < 0.08
    assert risk_beyond(Figure(0.5, 0.4, 0.6), Figure(0.5, 0.4, 0.6)).value == 0
    assert np.isnan(risk_beyond(Figure(1.0, 1, 1), Figure(1.0, 1, 1)).value)


def test_predicates_single_out(coded):
    coding, rows = coded
    own = rows["released"]
    found = univariate_predicates(coding, own)
    found += multivariate_predicates(coding, own, 20, np.random.default_rng(0))
    assert len(found) > 30
    assert all(predicate.count(own) == 1 for predicate in found)
    assert Predicate({0: (">=", 0.0), 1: ("=", own.exact[0, 1])}).count(own) == (
        (own.exact[:, 1] == own.exact[0, 1]).sum()
    )


@pytest.mark.slow
def test_a_copy_is_found_by_every_attack_and_independent_columns_by_none(coded):
    coding, rows = coded
    setting = Setting(coding, rows["real"], rows["holdout"], 0)
    others = independent_columns(rows["real"], 120, np.random.default_rng(0))
    found = {
        name: nearest_figures(setting, own) | attack_figures(setting, own)
        for name, own in (("copy", rows["real"]), ("independent", others))
    }
    for name in ("membership_distance", "membership_isolated", "nearer_to_training"):
        assert found["copy"][name, ()].value > 0.85
        figure = found["independent"][name, ()]
        assert figure.low <= 0.5 <= figure.high
    assert found["copy"]["membership_density", ()].value > 0.55
    for name in ("linkability", "mean_inference", "record_linkage"):
        assert found["copy"][name, ()].low > 0.5
        figure = found["independent"][name, ()]
        assert figure.low <= 0 <= figure.high
    assert found["copy"]["record_linkage", ()].value == 1


def test_ends_of_numbers_have_as_few_digits_as_tell_them_apart():
    table = pd.DataFrame(
        {
            "far": [*np.arange(30) / 4, *[14.0] * 10, *[14.000001] * 10, 30.1234567],
            "near": [20.0000012] * 40 + [20.0, 20.000001] * 5 + [20.0],
        }
    )
    far, near = code_tables(AlikeTables.of(table, table))[0].labels
    assert (far[-4], far[-2]) == ("]6.4, 14]", "]20, 30.1235]")
    assert near[:-1] == ("[20, 20.0000005]", "]20.0000005, 20.0000011]", "{20.0000012}")
