"""k-map, and models of a population that is only known by the share sampled."""

from math import comb

import numpy as np
import pandas as pd
import pytest
from support.people import people

from coclust_synth import HybridKAnonymizer, ParameterError
from coclust_synth.evaluation import check_release
from coclust_synth.privacy import DeltaPresence, KMap, Sampled


def chance_of(people_, released, fraction):
    """That a class has so many people: the negative binomial law, written out."""
    if people_ < released:
        return 0.0
    ways = comb(people_ - 1, released - 1)
    return ways * fraction**released * (1 - fraction) ** (people_ - released)


@pytest.mark.parametrize("fraction", [0.01, 0.1, 0.7])
@pytest.mark.parametrize("released", [1, 2, 7])
def test_chances_are_those_of_the_law(released, fraction):
    def broken(model):
        """By adding up what does not hold, of all numbers that are likely at all."""
        up_to = int(released / fraction * 40) + 200
        numbers = np.arange(released, up_to)
        counts = np.column_stack([np.full(len(numbers), released), numbers])
        fails = numbers[~model.holds(counts, None)]
        return sum(chance_of(int(n), released, fraction) for n in fails)

    models = [KMap(1), KMap(5), KMap(40), DeltaPresence(0, 0.5), DeltaPresence(0, 0.0)]
    models += [DeltaPresence(0.05, 0.35), DeltaPresence(0.2, 1)]
    for model in models:
        sampled = Sampled(model, fraction)
        found = sampled.values([[released, released]], None)[0]
        assert found == pytest.approx(broken(model), abs=1e-9)
        assert sampled.holds([[released, 1]], None)[0] == (found <= 0.05)


def test_k_map_is_of_released_classes_alone():
    model = KMap(3)
    assert model.holds([[0, 1], [1, 3], [1, 2]], None).tolist() == [True, True, False]
    released = pd.DataFrame({"age": ["a", "a", "b"]})
    everybody = pd.DataFrame({"age": ["a"] * 5 + ["b"] * 2 + ["c"]})
    asked = {"population": everybody, "models": [(None, model)]}
    check = check_release(released, ["age"], **asked)
    assert not check.holds and [own.labels for own in check.at_risk] == [("b",)]
    assert check.models[0].worst == 2
    asked["models"] = [(None, KMap(2))]
    assert check_release(released, ["age"], **asked).holds


def test_a_fraction_stands_in_for_the_population():
    released = pd.DataFrame({"age": ["a"] * 9 + ["b"] * 10})
    models = [(None, Sampled(KMap(50), 0.1))]
    check = check_release(released, ["age"], models=models)
    assert [own.labels for own in check.at_risk] == [("a",)]
    assert "estimated at a sampling fraction of 0.1" in str(check.models[0].model)
    with pytest.raises(ParameterError, match="Expected no population beside 50-map"):
        check_release(released, ["age"], models=models, population=released)
    with pytest.raises(ParameterError, match="what share of them is released"):
        check_release(released, ["age"], models=[(None, KMap(50))])
    named = released.assign(who=range(19))
    with pytest.raises(ParameterError, match="one row a person"):
        check_release(named, ["age"], models=models, person_id="who")


@pytest.mark.slow
def test_classes_are_merged_until_they_hold():
    everybody, asked = people(400), {"quasi_identifiers": ["age", "job", "sex"]}
    asked |= {"n_iterations": 2, "random_state": 0}
    some = everybody.iloc[:60]

    def fitted(*models, **more):
        anonymizer = HybridKAnonymizer(2, models=models, **asked, **more)
        return anonymizer.fit_transform(some)

    free = fitted().class_sizes
    sampled = fitted((None, Sampled(KMap(30), 0.15)))
    model = Sampled(KMap(30), 0.15)
    sizes = sampled.class_sizes
    assert model.holds(np.column_stack([sizes, sizes]), None).all()
    assert sizes.min() > free.min() and len(sizes) > 1
    mapped = fitted((None, KMap(30)), population=everybody)
    fits = np.ones((mapped.n_rows, len(everybody)), dtype=bool)
    for column in mapped.columns:
        place = {leaf: i for i, leaf in enumerate(column.leaves)}
        codes = np.array([place.get(v, -1) for v in everybody[column.name]])
        members = np.column_stack([column.members, np.zeros(len(column.labels), bool)])
        fits &= members[column.codes][:, codes]
    assert fits.sum(axis=1).min() >= 30


@pytest.mark.parametrize(
    "make",
    [
        lambda: KMap(0),
        lambda: Sampled(KMap(2), 0),
        lambda: Sampled(KMap(2), 1),
        lambda: Sampled(KMap(2), 0.5, risk=2),
        lambda: Sampled(Sampled(KMap(2), 0.5), 0.5),
    ],
)
def test_parameters_out_of_range_are_refused(make):
    with pytest.raises(ParameterError, match="Expected"):
        make()
