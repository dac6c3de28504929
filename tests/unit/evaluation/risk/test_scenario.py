"""Risks of classes inside an evaluation: of rows, persons, households, a population."""

from math import comb

import numpy as np
import pandas as pd
import pytest
from support.evaluations import make_quick, people

from coclust_synth.evaluation import Scenario, check_release, evaluate, evaluating
from coclust_synth.evaluation.comparing.alike import AlikeTables
from coclust_synth.evaluation.comparing.coded import code_tables
from coclust_synth.evaluation.generalisation.losses import average_class_size
from coclust_synth.evaluation.risk.classes import Whose, class_figures, record_risks
from coclust_synth.evaluation.risk.linkage import Linkage, Sources
from coclust_synth.exceptions import ParameterError, SchemaError, TableError
from coclust_synth.tables.generalized.table import GeneralizedColumn, GeneralizedTable
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.reading.table import as_table

REAL, HOLDOUT = people(120, 0), people(80, 1)


@pytest.fixture(autouse=True)
def small_models(monkeypatch):
    make_quick(monkeypatch)


def released_as_sets(real=REAL, k=4):
    """The real rows in another order, ages in tens, wards kept, k classes dropped."""
    frame = real.sample(frac=1, random_state=3).reset_index(drop=True)
    leaves = sorted(real["age"].unique().tolist())
    tens = sorted({age // 10 for age in leaves})
    members = np.array([[age // 10 == ten for age in leaves] for ten in tens])
    members = np.vstack([members, np.ones(len(leaves), dtype=bool)])
    codes = frame["age"].floordiv(10).map(tens.index).to_numpy()
    wards = sorted(real["ward"].unique())
    of_ward = np.vstack([np.eye(len(wards)), np.ones(len(wards))]).astype(bool)
    ward = frame["ward"].map(wards.index).to_numpy()
    few = frame.groupby([codes, ward])["age"].transform("size").to_numpy() < k
    columns = (
        GeneralizedColumn.from_members(
            "age", leaves, True, members, np.where(few, len(tens), codes)
        ),
        GeneralizedColumn.from_members(
            "ward", wards, False, of_ward, np.where(few, len(wards), ward)
        ),
    )
    return GeneralizedTable(columns, frame[["drug"]], suppressed=few), frame


def linked(released, scenario, real=REAL, holdout=HOLDOUT, names=("age", "ward")):
    labelled = released if isinstance(released, GeneralizedTable) else None
    drawn = released if labelled is None else labelled.draw(0)
    sources = Sources(as_table(real), drawn, holdout, labelled)
    return Linkage.of(sources, scenario, names, 0).figures()


# --- by hand ------------------------------------------------------------------------


def expected_reciprocal(f, p):
    """Mean of 1/F, F - f having a negative binomial law, term by term."""
    return sum(
        comb(big - 1, f - 1) * p**f * (1 - p) ** (big - f) / big
        for big in range(f, 4000)
    )


@pytest.mark.parametrize(
    ("f", "weight"), [(1, 4.0), (1, 20.0), (2, 5.0), (7, 1.5), (30, 9.0), (31, 9.0)]
)
def test_weights_give_the_expected_reciprocal(f, weight):
    found = record_risks(np.zeros(f, dtype=int), weights=np.full(f, weight))
    assert found == pytest.approx(expected_reciprocal(f, 1 / weight), rel=1e-9)
    assert (1 / (f * weight) < found).all() and (found <= 1 / f).all()


def test_a_weight_of_one_is_the_prosecutors():
    assert record_risks([0, 0, 1], weights=np.ones(3)).tolist() == [0.5, 0.5, 1]
    many = record_risks(np.zeros(5000, dtype=int), weights=np.full(5000, 1000.0))
    assert many[0] == pytest.approx(1 / 5_000_000, rel=1e-3)


def test_persons_and_households_from_the_definition(rng):
    classes = np.unique(rng.integers(0, 12, 60), return_inverse=True)[1]
    who, home = rng.integers(0, 40, 60), rng.integers(0, 15, 60)
    who, home = (np.unique(own, return_inverse=True)[1] for own in (who, home))
    home = home[np.array([np.flatnonzero(who == p)[0] for p in who])]  # one a person
    home = np.unique(home, return_inverse=True)[1]
    people_of = {c: len(set(who[classes == c])) for c in set(classes)}
    risk = {p: max(1 / people_of[c] for c in classes[who == p]) for p in set(who)}
    by_home = {
        h: 1 - np.prod([1 - risk[p] for p in set(who[home == h])]) for h in set(home)
    }
    found = class_figures(classes, Whose(Persons("p", who), Persons("h", home)))
    of = {name: figure.value for (name, _), figure in found.items()}
    assert of["smallest_class"] == min(people_of.values())
    assert of["prosecutor_mean"] == pytest.approx(np.mean(list(risk.values())))
    assert of["prosecutor_largest"] == max(risk.values())
    assert of["marketer"] == of["prosecutor_mean"]
    households = list(by_home.values())
    assert of["prosecutor_household_mean"] == pytest.approx(np.mean(households))
    assert of["prosecutor_household_at_risk"] == np.mean(np.array(households) > 0.2)
    assert not [name for name in of if name.startswith("journalist")]


@pytest.fixture
def classes_alone(monkeypatch):
    """Of an evaluation the classes and the losses alone."""
    monkeypatch.setattr(evaluating, "_FAMILIES", ())
    monkeypatch.setattr(evaluating, "find", lambda scores, rules, facts: ())


@pytest.mark.slow
def test_figures_say_whether_they_are_of_persons_or_of_rows(classes_alone):
    """Sixty persons of two rows each, in a release that does not name them."""
    real = REAL.assign(who=np.arange(120) // 2)
    released, frame = released_as_sets(real)
    persons = Persons.of(frame, "who")
    known = Scenario(person_id="who", persons=persons)
    by_person = evaluate(real, released, scenario=known)
    by_row = evaluate(real, released, scenario=Scenario(rows_of_persons=True))
    plain = evaluate(real, released)
    seen = pd.Series(persons.codes[~released.suppressed])
    fewest = seen.groupby(released.class_codes[~released.suppressed]).nunique().min()
    assert by_person["smallest_class"].value == fewest
    assert by_person["prosecutor_largest"].value == 1 / fewest
    assert by_row["prosecutor_mean"].value < by_person["prosecutor_mean"].value
    for found, unit in ((by_person, "persons"), (by_row, "rows")):
        assert found["smallest_class"].unit == found.facts.counted == unit
        assert found["marketer"].note.startswith(f"of {unit}")
        assert found.to_dict()["facts"]["counted"] == unit
        assert type(found).from_dict(found.to_dict()).facts == found.facts
    assert "the chance to find a person is as high" in by_row["prosecutor_mean"].note
    assert plain["prosecutor_mean"].value == by_row["prosecutor_mean"].value
    assert plain["smallest_class"].unit == "individuals"
    assert "counted" not in plain.to_dict()["facts"]
    with pytest.raises(ParameterError, match="person_id beside persons"):
        Scenario(persons=persons)


@pytest.mark.slow
def test_class_sizes_are_over_the_k_that_was_asked_for(classes_alone):
    released, _ = released_as_sets()
    asked = evaluate(REAL, released, k=2)["average_class_size"]
    reached = evaluate(REAL, released)["average_class_size"]
    smallest = int(min(released.kept_class_sizes))
    assert asked.note == "of k = 2"
    assert asked.value == average_class_size(released, 2)
    assert evaluate(REAL, released, k=smallest)["average_class_size"] == reached
    assert reached.note == f"of k = {smallest} as reached"
    assert reached.value == average_class_size(released, smallest)


# --- of releases --------------------------------------------------------------------


def test_a_generalised_release_has_the_classes_of_check():
    released, _ = released_as_sets()
    found = linked(released, Scenario())
    check = check_release(released.to_frame(), ["age", "ward"], suppressed="*", k=4)
    assert released.suppressed.any() and check.k >= 4
    of = {name: figure.value for (name, _), figure in found["released"].items()}
    assert of["smallest_class"] == check.k
    assert of["prosecutor_largest"] == 1 / check.k
    assert of["prosecutor_mean"] == pytest.approx(len(check.sizes) / check.sizes.sum())
    # What takes its place has original values: far smaller classes.
    raw = check_release(REAL, ["age", "ward"])
    of_real = found["bootstrap"]["prosecutor_mean", ()].value
    assert of_real == pytest.approx(len(raw.sizes) / 120) and of_real > 0.6
    of_fresh = found["fresh"]["prosecutor_mean", ()].value
    assert of_fresh == pytest.approx(len(HOLDOUT.groupby(["age", "ward"])) / 80)


@pytest.mark.slow
def test_a_population_is_sought_under_the_labels():
    released, frame = released_as_sets()
    stranger = REAL[:3].assign(age=[7, 99, 50], ward=["surgery", "surgery", "moon"])
    population = pd.concat([REAL, people(400, 5), stranger])
    population["drug"] = "x"  # no quasi-identifier: never read
    found = linked(released, Scenario(population=population))
    kept = ~released.suppressed
    tens = frame["age"].floordiv(10)
    fits = [
        (
            (population["age"] // 10 == ten)
            & (population["ward"] == ward)
            & population["age"].isin(REAL["age"])
        ).sum()
        for ten, ward in zip(tens[kept], frame["ward"][kept], strict=True)
    ]
    of = {name: figure.value for (name, _), figure in found["released"].items()}
    assert of["marketer"] == pytest.approx(np.mean(1 / np.array(fits)))
    assert of["journalist_largest"] == 1 / min(fits)
    assert of["marketer"] < of["prosecutor_mean"]
    # And of the real rows, by their very values.
    joint = population.groupby(["age", "ward"]).size()
    by_value = [joint[key] for key in zip(REAL["age"], REAL["ward"], strict=True)]
    of_real = found["bootstrap"]["marketer", ()].value
    assert of_real == pytest.approx(np.mean(1 / np.array(by_value)))


def test_columns_that_are_not_generalised_can_be_known():
    released, frame = released_as_sets()
    names = ("drug", "ward")
    found = linked(released, Scenario(), names=names)["released"]
    kept = frame[~released.suppressed]
    sizes = kept.groupby(["drug", "ward"])["age"].transform("size")
    assert found["prosecutor_mean", ()].value == pytest.approx((1 / sizes).mean())
    found = linked(released, Scenario(population=REAL), names=names)["released"]
    of_all = REAL.groupby(["drug", "ward"]).size()
    fits = [of_all[key] for key in zip(kept["drug"], kept["ward"], strict=True)]
    assert found["marketer", ()].value == pytest.approx(np.mean(1 / np.array(fits)))


@pytest.mark.slow
def test_whose_rows_they_are_is_not_compared(tmp_path):
    home = np.arange(120) // 3
    released = people(120, 2).assign(
        home=[f"h{h}" for h in home], weight=home % 3 + 1.5
    )
    scenario = Scenario(["age", "ward"], household_id="home", weights="weight")
    path = tmp_path / "released.csv"
    released.to_csv(path, index=False)
    found = evaluate(REAL, path, scenario=scenario)
    assert set(found.facts.columns) == set(REAL)
    assert found.facts.quasi_identifiers == ("age", "ward")
    check = check_release(released, ["age", "ward"], household_id="home")
    score = found["prosecutor_household_mean"]
    assert score.value == pytest.approx(check.households.mean)
    assert found["marketer"].value < found["prosecutor_mean"].value
    # The real table does not name households: nothing to compare with.
    assert np.isnan(score.ceiling_bootstrap)
    named = evaluate(released, released, scenario=scenario)
    assert named["prosecutor_household_mean"].ceiling_bootstrap == score.value
    assert named.facts.left_out["home"] == "names the person of each row"


@pytest.mark.slow
def test_households_of_a_generalised_release():
    released, _ = released_as_sets()
    home = np.random.default_rng(0).integers(0, 40, 120)
    others = released.others.assign(home=home, weight=2.0)
    named = GeneralizedTable(released.columns, others, suppressed=released.suppressed)
    scenario = Scenario(household_id="home", weights="weight")
    found = evaluate(REAL, named, scenario=scenario)
    check = check_release(
        named.to_frame(), ["age", "ward"], suppressed="*", household_id="home"
    )
    risk = found["prosecutor_household_mean"].value
    assert risk == pytest.approx(check.households.mean)
    assert found["journalist_household_mean"].value < risk
    # Numbers of homes and weights are no classes to be told.
    told = {score.columns for score in found.of_columns("classification_metric")}
    assert told == {("drug",)}


@pytest.mark.slow
def test_quasi_identifiers_are_what_uniques_are_sought_by():
    found = evaluate(REAL, people(120, 2), scenario=Scenario(["ward"]))
    assert found["population_uniques"].value == 0
    assert evaluate(REAL, people(120, 2))["population_uniques"].value == 1


@pytest.mark.slow
def test_precision_counts_the_levels_of_hierarchies():
    released, _ = released_as_sets()
    leaves = released["age"].leaves
    lines = [(str(age), f"{age // 10}x", "*") for age in leaves]
    tens = GeneralizationHierarchy.from_lines("age", lines)
    tens = GeneralizationHierarchy(
        "age", leaves, tens.labels, tens.parents, ordered=True
    )
    found = evaluate(REAL, released, hierarchies={"age": tens})
    level = np.where(released.suppressed, 2, 1)
    single = released["age"].sizes[released["age"].codes] == 1
    level[single] = 0
    assert found["precision"].value == pytest.approx(1 - (level / 2).mean())
    assert found["precision"].ceiling_bootstrap == 1
    assert found["precision"].note == "of age"
    assert found["spread_hellinger_1"].note == "mean of 2 sets"
    assert found["spread_hellinger_2"].note == "of the only set"
    assert "hierarchies" in evaluate(REAL, released)["precision"].note


@pytest.mark.slow
def test_original_values_lose_nothing():
    released, _ = released_as_sets()
    found = evaluate(REAL, released, HOLDOUT)
    assert found["information_loss_set"].value > 0
    for name in ("information_loss_set", "information_loss_range", "arx_loss"):
        score = found[name]
        assert score.ceiling_bootstrap == score.floor_independent == 0
        assert score.floor_fresh == 0
    assert found["spread_hellinger_2"].ceiling_bootstrap == 0
    sizes = REAL.groupby(["age", "ward"]).size()
    assert found["discernibility"].ceiling_bootstrap == (sizes**2).sum()


# --- errors ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scenario", "error", "match"),
    [
        ({"quasi_identifiers": ["agee"]}, ParameterError, "compared.*'age'"),
        ({"quasi_identifiers": ["age", "age"]}, ParameterError, "'age' twice"),
        ({"quasi_identifiers": "age"}, ParameterError, "Put it in a list"),
        ({"household_id": "home"}, ParameterError, "the released table.*'home'"),
        ({"weights": "drug"}, TableError, "survey weights in 'drug'"),
        ({"weights": "half"}, TableError, "from 1 on.*120 that are not.*0.5"),
        ({"person_id": "nobody"}, TableError, "name its person"),
        (
            {"population": REAL[["ward"]]},
            SchemaError,
            "population table.*without 'age'",
        ),
    ],
)
def test_what_a_scenario_cannot_be(scenario, error, match):
    released = people(120, 2).assign(half=0.5, nobody=None)
    scenario = {"quasi_identifiers": ["age"]} | scenario
    names = [
        n
        for n in ("half", "nobody")
        if [n] != [v for v in scenario.values() if isinstance(v, str)]
    ]
    with pytest.raises(error, match=match):
        evaluate(REAL, released.drop(columns=names), scenario=Scenario(**scenario))


def test_all_tables_are_coded_alike():
    alike = AlikeTables.of(REAL, people(50, 2), population=REAL, compares=["age"].count)
    _, rows = code_tables(alike)
    assert (rows["population"].exact == rows["real"].exact).all()
    assert alike.left_out["ward"] == "names the person of each row"
