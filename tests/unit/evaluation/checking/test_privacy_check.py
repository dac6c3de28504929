"""Checks of released tables: worked examples of the literature, and what can go wrong.

The examples are those of lecture notes and theses on k-anonymity (J.-F. Couchot, E.
Buchmann, T. Benkhelif 2018), whose figures were recomputed in fractions.
"""

from fractions import Fraction
from math import inf, sqrt

import numpy as np
import pandas as pd
import pytest

from coclust_synth.evaluation.checking.privacy_check import check_release
from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.privacy import (
    AlphaK,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    RecursiveLDiversity,
    TCloseness,
)


def released(**classes):
    """A table of one quasi-identifier, its classes given by their sensitive values."""
    rows = [(name, value) for name, values in classes.items() for value in values]
    return pd.DataFrame(rows, columns=["class", "disease"])


def check(frame, *models, **options):
    return check_release(
        frame, ["class"], ["disease"], models=[(None, m) for m in models], **options
    )


def exactly(numerator, denominator=1):
    return pytest.approx(float(Fraction(numerator, denominator)), rel=1e-12)


# --- twelve patients ------------------------------------------------------------

PATIENTS = pd.DataFrame(
    [
        (13053, 28, "H", "russe", "TC"),
        (13068, 29, "H", "amér", "TC"),
        (13068, 21, "F", "jap", "IV"),
        (13053, 23, "H", "amér", "IV"),
        (14853, 49, "H", "ind", "C"),
        (14853, 48, "F", "russe", "TC"),
        (14850, 47, "H", "amér", "IV"),
        (14850, 49, "F", "amér", "IV"),
        (13053, 31, "H", "amér", "C"),
        (13053, 37, "H", "ind", "C"),
        (13068, 36, "F", "jap", "C"),
        (13068, 35, "F", "amér", "C"),
    ],
    columns=["zip", "age", "sex", "nationality", "disease"],
)


def test_the_patients_are_all_different():
    found = check_release(PATIENTS, ["zip", "age", "sex", "nationality"], ["disease"])
    assert found.k == 1 and found.unique_share == 1 and len(found.sizes) == 12
    assert found.discernibility == 12
    assert found.sensitive[0].recursive_c == {2: inf, 3: inf}


def test_the_4_anonymous_release_of_the_patients():
    frame = PATIENTS.assign(
        zip=["130**"] * 4 + ["148**"] * 4 + ["130**"] * 4,
        age=["[21;31["] * 4 + ["[41;50["] * 4 + ["[31;41["] * 4,
        sex="*",
        nationality="*",
    )
    names = ["zip", "age", "sex", "nationality"]
    found = check_release(frame, names, ["disease"], k=4)
    assert found.k == 4 and found.holds and found.at_risk == ()
    assert found.c_avg == 1 and found.discernibility == 48
    assert found.sensitive[0].distinct_l == 1
    assert found.sensitive[0].entropy_l == 1  # not 0: the entropy is ln l
    asked = [("disease", EntropyLDiversity(2.5))]
    found = check_release(frame, names, ["disease"], models=asked)
    assert [risk.labels[1] for risk in found.at_risk] == ["[21;31[", "[31;41["]
    assert found.at_risk[0].reasons == (
        "disease: entropy 2.5-diversity: entropy l = 2",
    )
    asked = [("disease", EntropyLDiversity(2 * sqrt(2)))]
    assert len(check_release(frame, names, ["disease"], models=asked).at_risk) == 2


def test_the_3_diverse_release_of_the_patients():
    frame = PATIENTS.assign(zip=PATIENTS["zip"].floordiv(1000))
    found = check_release(
        frame,
        ["zip"],
        ["disease"],
        models=[
            (None, RecursiveLDiversity(2.01, 3)),
            (None, RecursiveLDiversity(2, 3)),
            (None, DistinctLDiversity(3)),
            (None, AlphaK(0.5)),
        ],
    )
    assert [model.holds for model in found.models] == [True, False, True, True]
    column = found.sensitive[0]
    assert column.distinct_l == 3 and column.largest_share == 0.5
    assert column.entropy_l == pytest.approx(2 * sqrt(2))
    assert column.recursive_c == {2: 1, 3: 2}


def test_what_sex_alone_tells_of_the_patients():
    found = check_release(PATIENTS, ["sex"], ["disease"])
    assert found.k == 5
    assert found.sensitive[0].t_equal == exactly(1, 15)
    assert found.sensitive[0].a_know == exactly(1, 18)
    closer = check_release(
        PATIENTS, ["sex"], ["disease"], models=[(None, TCloseness(1 / 21))]
    )
    assert [risk.labels for risk in closer.at_risk] == [("F",)]


# --- salaries -------------------------------------------------------------------


def test_ordered_distances_of_salaries():
    frame = released(a=[3, 4, 5], b=[6, 11, 8], c=[7, 9, 10])
    distances = [(1, 6), (17, 72), (3, 8)]
    for rank, bound in enumerate(distances):
        found = check(frame, TCloseness(float(Fraction(*bound)), "ordered"))
        assert found.models[0].n_failing == 2 - rank
    column = found.sensitive[0]
    assert column.t_ordered == exactly(3, 8)
    assert column.t_equal == exactly(2, 3)
    assert (column.distinct_l, column.n_values) == (3, 9)


def test_orders_of_texts_are_those_given():
    salaries = {"low": [3, 4, 5], "high": [6, 11, 8], "mid": [7, 9, 10]}
    numbers = released(**salaries)
    texts = numbers.assign(disease=[f"{n} K" for n in numbers["disease"]])
    assert check(texts).sensitive[0].t_ordered is None
    dtype = pd.CategoricalDtype([f"{n} K" for n in range(3, 12)], ordered=True)
    ordinal = texts.astype({"disease": dtype})
    assert check(ordinal).sensitive[0].t_ordered == exactly(3, 8)
    found = check(ordinal, original=ordinal).sensitive[0]
    assert found.t_ordered == exactly(3, 8)


# --- a virus, and 10,000 people -------------------------------------------------


def test_a_rare_disease():
    def some(positive, negative):
        return ["+"] * positive + ["-"] * negative

    frame = released(
        half=some(50, 50), mostly=some(49, 1), hardly=some(1, 49), others=some(0, 9800)
    )
    for t, failing in [(0.97, []), (0.96, ["mostly"]), (0.4899, ["mostly", "half"])]:
        found = check(frame, TCloseness(t))
        assert [risk.labels[0] for risk in found.at_risk] == failing
    found = check(frame, TCloseness(0.01))
    assert found.models[0].n_failing == 2  # "hardly" and "others" are as the table is
    assert found.sensitive[0].t_equal == exactly(97, 100)

    pair = check(frame[frame["class"].isin(["mostly", "hardly"])])
    alone = check(frame[frame["class"] == "mostly"])
    assert pair.sensitive[0].entropy_l == alone.sensitive[0].entropy_l
    assert pair.sensitive[0].recursive_c == {2: 49, 3: inf}
    half = frame[frame["class"] == "half"]
    models = RecursiveLDiversity(1.001, 2), RecursiveLDiversity(1, 2)
    assert [model.holds for model in check(half, *models).models] == [True, False]


# --- diagnoses ------------------------------------------------------------------


def test_three_classes_as_far_from_the_table():
    frame = released(
        a=["H", "H", "H"], b=["Arthritis", "H", "Asthma"], c=["H", "C", "C"]
    )
    found = check(frame, TCloseness(4 / 9), TCloseness(0.44), AlphaK(2 / 3))
    assert found.k == 3 and found.sensitive[0].distinct_l == 1
    assert found.sensitive[0].t_equal == exactly(4, 9)
    assert found.sensitive[0].a_know == exactly(4, 9)
    assert [model.n_failing for model in found.models] == [0, 3, 1]


def test_diseases_in_two_releases():
    others = ["Schizophrenie", "Diabetes"], ["Magersucht", "Magersucht"]
    three = ["Impotenz", "Hodenkrebs", "Sterilität"]
    first = check(released(a=three, b=others[0], c=others[1]))
    assert first.k == 2 and first.sensitive[0].distinct_l == 1
    assert first.sensitive[0].entropy_l == 1

    frame = released(a=three, b=[*others[0], *others[1]])
    second = check(frame, EntropyLDiversity(2.83), RecursiveLDiversity(2, 3))
    assert second.k == 3 and second.sensitive[0].distinct_l == 3
    assert second.sensitive[0].entropy_l == pytest.approx(2 * sqrt(2))
    assert second.sensitive[0].recursive_c == {2: 1, 3: 2}
    assert [model.n_failing for model in second.models] == [1, 1]


# --- sizes ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "sizes, expected",
    [([1] * 8 + [2] * 2, 16), ([1] * 12, 12), ([12], 144), ([3] * 3 + [2], 31)],
)
def test_discernibility(sizes, expected):
    labels = np.repeat([f"c{i}" for i in range(len(sizes))], sizes)
    found = check_release(pd.DataFrame({"class": labels}), ["class"], k=2)
    assert found.discernibility == expected
    assert found.c_avg == sum(sizes) / len(sizes) / 2
    assert found.unique_share == sizes.count(1) / sum(sizes)


def test_suppressed_rows():
    labels = np.repeat(["a", "b", "c", "d", "*"], [3, 3, 3, 2, 1])
    frame = pd.DataFrame({"class": labels, "sex": labels, "disease": ["x", "y"] * 6})
    asked = {"quasi_identifiers": ["class", "sex"], "k": 2}
    found = check_release(frame, **asked, suppressed="*")
    assert found.discernibility == 43 and found.n_suppressed == 1
    assert found.k == 2 and found.holds and found.n_rows == 12
    assert found.completeness == exactly(11, 12)
    # Unless it is said to be suppressed the row is a class of one.
    found = check_release(frame, **asked)
    assert found.k == 1 and [risk.labels for risk in found.at_risk] == [("*", "*")]
    # A row that still tells something is not suppressed.
    partly = frame.assign(sex=frame["sex"].where(frame["sex"] != "*", "F"))
    assert check_release(partly, **asked, suppressed="*").n_suppressed == 0


def test_completeness_and_distributions_of_the_original():
    original = released(a=["x"] * 50 + ["y"] * 50)
    kept = released(a=["x"] * 50 + ["y"] * 45)
    assert check(kept).sensitive[0].t_equal == 0
    found = check(kept, original=original)
    assert found.completeness == 0.95
    assert found.sensitive[0].t_equal == exactly(Fraction(50, 95) - Fraction(1, 2))


def test_generalising_keeps_t_closeness():
    # Whoever satisfies it for the specific labels does for the general ones.
    fine = released(a=["x", "x", "y"], b=["x", "y", "y"], c=["x", "y"])
    coarse = fine.assign(**{"class": fine["class"].replace("b", "a")})
    t_fine, t_coarse = (check(f).sensitive[0].t_equal for f in (fine, coarse))
    assert t_coarse < t_fine == exactly(1, 6)


# --- presence -------------------------------------------------------------------


def test_presence():
    population = released(a=range(10), b=range(4), c=range(2))
    frame = released(a=range(5), b=range(4))
    found = check(frame, population=population)
    assert found.presence == (0, 1)  # nobody of c, everybody of b
    presence = DeltaPresence(0, 0.6)
    found = check(frame, presence, population=population)
    assert not found.holds and [r.labels for r in found.at_risk] == [("b",)]
    assert found.models[0].reachable == exactly(9, 16)
    found = check(frame, DeltaPresence(0.1, 1), population=population)
    assert found.models[0].n_failing == 1  # c, of which nobody is released
    assert found.models[0].worst == 0 and found.at_risk == ()
    found = check(frame, DeltaPresence(0, 1), population=population)
    assert found.holds


def test_population_classes_are_those_of_the_release(rng):
    population = pd.DataFrame(rng.integers(0, 6, (400, 3)), columns=["x", "y", "z"])
    population["x"] = population["x"].where(population["x"] > 0)
    frame = population.iloc[rng.permutation(400)[:90]]
    share = frame.groupby(["x", "y"], dropna=False).size() / population.groupby(
        ["x", "y"], dropna=False
    ).size().reindex(frame.groupby(["x", "y"], dropna=False).size().index)
    high = float(share.median())
    asked = [(None, DeltaPresence(0, high))]
    found = check_release(frame, ["x", "y"], models=asked, population=population)
    expected = {
        tuple(None if v != v else v for v in key) for key in share[share > high].index
    }
    assert (
        expected
        and {
            tuple(None if v != v else v for v in risk.labels) for risk in found.at_risk
        }
        == expected
    )


def test_a_population_without_the_released():
    frame, population = released(a=range(5)), released(a=range(4), b=range(9))
    with pytest.raises(TableError, match=r"1 classes .* class=a \(5 released, 4 in"):
        check(frame, population=population)


# --- faults that other programs have --------------------------------------------


def test_recursive_diversity_is_not_taken_from_the_rarest_value():
    found = check(released(a="xxxxxxxxxyzz"), RecursiveLDiversity(2, 2))
    assert found.sensitive[0].recursive_c[2] == 3 and not found.holds


def test_entropy_diversity_is_not_truncated():
    found = check(released(a="xyz", b="xxyyzz"), EntropyLDiversity(3))
    assert found.holds and found.sensitive[0].entropy_l == pytest.approx(3, rel=1e-12)
    assert check(released(a="xxyz")).sensitive[0].entropy_l == pytest.approx(
        2 * sqrt(2)
    )


def test_index_labels_are_not_positions():
    frame = released(a="xxy", b="xyy", c="xxx")
    shuffled = frame.set_axis([8, 8, 0, 1, 700, -3, 2, 2, 4])
    one, two = check(frame, AlphaK(0.7)), check(shuffled, AlphaK(0.7))
    assert one.at_risk == two.at_risk != ()
    assert one.sensitive == two.sensitive


def test_missing_values_are_not_dropped():
    frame = pd.DataFrame(
        {"class": ["a", "a", None, np.nan, None], "disease": list("xyxxx")}
    )
    found = check(frame, DistinctLDiversity(2), k=2)
    assert found.sizes.tolist() == [3, 2] or found.sizes.tolist() == [2, 3]
    (risk,) = found.at_risk
    assert risk.size == 3 and pd.isna(risk.labels[0])
    frame["disease"] = ["x", None, "x", None, None]
    found = check(frame).sensitive[0]
    assert found.n_values == 2 and found.distinct_l == 2


# --- what is asked --------------------------------------------------------------


def test_classes_at_risk_name_all_they_fail_smallest_first():
    frame = released(a="xxxx", b="xy", c="xxyy", d="x")
    found = check(frame, DistinctLDiversity(2), AlphaK(0.9), k=3)
    assert [(risk.labels[0], risk.size) for risk in found.at_risk] == [
        *(("d", 1), ("b", 2), ("a", 4))
    ]
    assert found.at_risk[0].reasons == (
        "3-anonymity: rows = 1",
        "disease: distinct 2-diversity: distinct l = 1",
        "disease: largest share 0.9: largest share = 1",
    )
    assert [model.n_failing for model in found.models] == [2, 2, 2]


def test_a_model_of_one_column_is_not_asked_of_the_others():
    frame = released(a="xxyy").assign(job="cook")
    asked = {"models": [("disease", DistinctLDiversity(2))]}
    assert check_release(frame, ["class"], ["disease", "job"], **asked).holds
    asked = {"models": [("job", AlphaK(1)), (None, AlphaK(0.9))]}
    found = check_release(frame, ["class"], ["disease", "job"], **asked)
    assert [(m.column, m.holds) for m in found.models] == [
        *(("disease", True), ("job", True), ("job", False))
    ]


def test_a_hierarchy_of_sensitive_values():
    nodes = [[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]]
    frame = released(a=["angina", "flu"], b=["infarct", "ulcer"])
    # angina and flu are each half as far from the other value of their group.
    order = ["angina", "infarct", "flu", "ulcer"]
    ordered = frame.astype({"disease": pd.CategoricalDtype(order, ordered=True)})
    found = check(ordered, TCloseness(0.25, "hierarchical", nodes))
    assert found.holds and found.models[0].worst == exactly(1, 4)
    found = check(frame, TCloseness(0.25, "hierarchical", nodes))
    assert not found.holds


def test_nothing_asked_holds():
    found = check(released(a="x", b="y"))
    assert found.holds and found.models == () and found.at_risk == ()
    assert found.c_avg is None and found.presence is None


# --- errors ---------------------------------------------------------------------

TABLE = released(a="xxyy", b="xy").assign(age=[1, 2, 3, 4, 5, 6])


@pytest.mark.parametrize(
    "names, sensitive, options, match",
    [
        ([], ["disease"], {}, "at least one quasi-identifier"),
        (["clas"], [], {}, "the columns of the table: .*Did you mean 'class'"),
        (["class"], ["diseas"], {}, "Did you mean 'disease'"),
        (["class", "age"], ["age"], {}, "'age' as both"),
        (["class", "class"], [], {}, "'class' twice"),
        (["class"], [], {"k": 0}, "k to be a whole number from 1"),
        (
            ["class"],
            [],
            {"models": [(None, DeltaPresence(0, 1))]},
            "Expected a population",
        ),
        (["class"], [], {"population": TABLE[["age"]]}, "of the population: .*'class'"),
        (
            ["class"],
            ["disease"],
            {"original": TABLE[["age"]]},
            "of the original: .*'disease'",
        ),
        (["class"], [], {"models": [(None, AlphaK(0.5))]}, "none named as sensitive"),
        (
            ["class"],
            ["disease"],
            {"models": [("age", AlphaK(0.5))]},
            "'age', with 'disease' named as sensitive",
        ),
        (
            ["class"],
            ["disease"],
            {"models": [(None, DistinctLDiversity(3))]},
            "'disease' can satisfy. Received distinct 3-diversity.* distinct l = 2",
        ),
        (
            ["class"],
            ["disease"],
            {"models": [(None, RecursiveLDiversity(5, 3))]},
            "recursive.*c = inf",
        ),
        (
            ["class"],
            ["disease"],
            {"models": [(None, TCloseness(0.5, "ordered"))]},
            "column with an order for 0.5-closeness .*'disease'",
        ),
        (["class"], ["disease"], {"models": [(None, KAnonymity(2))]}, "by k="),
        (
            ["class"],
            ["disease"],
            {"models": [("disease", DeltaPresence(0, 1))], "population": TABLE},
            "Expected no column for .*Received 'disease'",
        ),
    ],
)
def test_what_does_not_fit_is_refused(names, sensitive, options, match):
    with pytest.raises(ParameterError, match=match):
        check_release(TABLE, names, sensitive, **options)


@pytest.mark.parametrize("frame", [TABLE.head(0), TABLE.head(1), pd.DataFrame()])
def test_a_table_without_rows_is_refused(frame):
    with pytest.raises(TableError, match="two rows"):
        check(frame)


def test_a_table_that_is_all_suppressed_is_refused():
    frame = released(**{"*": "xyz"})
    with pytest.raises(TableError, match="3 rows, all with '\\*'"):
        check(frame, suppressed="*")
    assert check(frame).k == 3
