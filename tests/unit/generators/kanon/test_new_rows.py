"""New rows under earlier labels: classes of none or k, of values that they cover."""

import numpy as np
import pandas as pd
import pytest
from support.generalized import cell_sets, random_release
from support.people import people

from coclust_synth import (
    DistinctLDiversity,
    MondrianAnonymizer,
    NotFittedError,
    ParameterError,
    SchemaError,
    TCloseness,
)
from coclust_synth.generators.kanon.batch import Candidates, place_rows
from coclust_synth.generators.kanon.new_rows import release_new_rows
from coclust_synth.tables.generalized.table import GeneralizedColumn, GeneralizedTable

QI = ["age", "job", "sex"]


def mondrian(k=5, **asked):
    asked = {"quasi_identifiers": QI, "sensitive": ["disease"]} | asked
    return MondrianAnonymizer(k, **asked)


def drawn_world(seed):
    """Rows that fit some of a few classes, and the person of each row."""
    rng = np.random.default_rng(seed)
    fits = rng.random((rng.integers(4, 30), rng.integers(1, 7))) < 0.4
    record, classes = np.nonzero(fits)
    starts = np.searchsorted(record, np.arange(len(fits) + 1))
    rows = np.arange(len(fits))
    return fits, Candidates(starts, classes, rows), rng.integers(0, 12, len(fits))


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("by_person", [False, True])
def test_classes_have_none_or_k_and_no_k_are_held_back_from_one(seed, by_person):
    fits, candidates, persons = drawn_world(seed)
    individuals = persons if by_person else np.arange(len(fits))
    places = place_rows(candidates, 3, persons if by_person else None)
    for row in np.flatnonzero(places >= 0):
        assert fits[row, places[row]]
    for own in range(fits.shape[1]):
        n = len({*individuals[places == own]})
        assert n == 0 or n >= 3
        if n == 0:
            assert len({*individuals[(places < 0) & fits[:, own]]}) < 3
        else:
            assert not (places < 0)[fits[:, own]].any()


def test_a_class_that_may_be_none_is_closed_and_its_rows_go_on():
    candidates = Candidates(np.arange(0, 13, 2), np.tile([0, 1], 6), np.arange(6))
    assert place_rows(candidates, 2).tolist() == [0] * 6
    refused = place_rows(candidates, 2, failing=lambda many: [0 in r for r in many])
    assert refused.tolist() == [-1] * 6
    # Only as class 0, which is looked at first.
    calls = []

    def once(many):
        calls.append(many)
        return [len(calls) == 1 for _ in many]

    assert place_rows(candidates, 2, failing=once).tolist() == [1] * 6


@pytest.mark.parametrize("seed", range(5))
def test_rows_go_where_their_values_are_stood_for_and_nowhere_else(seed):
    rng = np.random.default_rng(seed)
    earlier = random_release(rng, 30, (4, 5), suppress=True)
    new = pd.DataFrame({"v0": rng.integers(0, 4, 200), "v1": rng.integers(0, 5, 200)})
    batch = release_new_rows(earlier, new, k=4)
    sets = cell_sets(earlier)
    of_class = dict(zip(earlier.class_codes.tolist(), sets, strict=True))
    for own in earlier.class_codes[earlier.suppressed]:
        of_class.pop(own, None)
    fitting = [
        {c for c, own in of_class.items() if v0 in own[0] and v1 in own[1]}
        for v0, v1 in new.itertuples(index=False)
    ]
    for row, own in enumerate(batch.classes.tolist()):
        assert own in fitting[row] if own >= 0 else True
    sizes = np.bincount(batch.classes[batch.classes >= 0])
    assert sizes[sizes > 0].min() == batch.smallest >= 4
    assert sorted(batch.release.class_sizes) == sorted(sizes[sizes > 0])
    assert {*cell_sets(batch.release)} <= {*of_class.values()}
    assert batch.n_held_back == 200 - batch.release.n_rows


def test_labels_values_and_columns_are_those_of_the_earlier_release():
    fitted = mondrian().fit(people(200))
    new = people(300, seed=1).assign(job=lambda t: t["job"].replace("smith", "vet"))
    batch = fitted.transform(new.drop(columns="town"))
    assert batch.order == fitted.release_.order
    assert batch.sidecar()["columns"] == fitted.release_.sidecar()["columns"]
    seen = {*map(tuple, fitted.release_.to_frame()[QI].to_numpy())}
    assert {*map(tuple, batch.to_frame()[QI].to_numpy())} <= seen
    assert batch.class_sizes.min() >= 5
    # Who has a value that no label stands for is in none.
    assert batch.n_rows <= (new["job"] != "vet").sum()


def test_what_is_between_two_neighbours_of_a_run_fits_and_what_is_beyond_does_not():
    ages = GeneralizedColumn.from_members(
        "age", (10, 20, 30, 40, None), True, [[1, 1, 0, 0, 0], [1, 0, 0, 1, 1]], [0, 1]
    )
    new = pd.DataFrame({"age": [15, 12.5, 5, 35, None, 40, 10]})
    batch = release_new_rows(GeneralizedTable((ages,)), new, k=2)
    assert batch.classes.tolist() == [0, 0, -1, -1, 1, 1, 0]
    anything = GeneralizedColumn.from_members("age", (10, 20), True, [[1, 1]], [0, 0])
    batch = release_new_rows(GeneralizedTable((anything,)), new, k=2)
    assert batch.n_held_back == 0


def test_texts_that_look_like_numbers_are_read_as_the_texts_that_they_were(tmp_path):
    codes = GeneralizedColumn.from_members(
        "zip", ("12", "7b"), False, [[1, 0], [0, 1]], [0, 1]
    )
    path = tmp_path / "new.csv"
    path.write_text("zip\n12\n12\n13\n")
    batch = release_new_rows(GeneralizedTable((codes,)), path, k=2)
    assert batch.classes.tolist() == [0, 0, -1]


@pytest.mark.slow
def test_persons_and_models_are_those_of_the_new_rows():
    table = people(400).assign(who=np.arange(400) // 2)
    fitted = mondrian(10, person_id="who").fit(table)
    new = people(400, seed=1).assign(who=np.arange(400) // 4)
    batch = release_new_rows(
        fitted.release_, new, k=10, sensitive=["disease"], person_id="who"
    )
    counted = new.assign(c=batch.classes)[batch.classes >= 0].groupby("c")["who"]
    assert counted.nunique().min() == batch.smallest >= 10
    models = [(None, DistinctLDiversity(3))]
    few = people(400, seed=2).assign(
        disease=lambda t: t["disease"].where(t["age"] > 39, "flu")
    )
    fitted = mondrian(models=models).fit(people(400))
    batch = fitted.transform(few).to_frame()
    assert batch.groupby(QI)["disease"].nunique().min() >= 3
    free = mondrian().fit(people(400)).transform(few).to_frame()
    assert free.groupby(QI)["disease"].nunique().min() == 1


def test_what_cannot_be_extended_is_refused():
    with pytest.raises(NotFittedError):
        mondrian().transform(people())
    fitted = mondrian().fit(people())
    with pytest.raises(ParameterError, match="no class gets that many"):
        fitted.transform(people(4, seed=3))
    with pytest.raises(SchemaError, match="without 'disease'"):
        fitted.transform(people().drop(columns="disease"))
    release, new = fitted.release_, people(300, seed=1)
    with pytest.raises(ParameterError, match="Received 'town'"):
        release_new_rows(release, new, k=5, sensitive=["town"])
    with pytest.raises(ParameterError, match="'age', which the earlier release holds"):
        release_new_rows(release, new, k=5, person_id="age")
    tree = TCloseness(0.5, "hierarchical", [[0, 1, 2, 3], [0, 0, 0, 0]])
    with pytest.raises(ParameterError, match="hierarchical"):
        release_new_rows(
            release, new, k=5, sensitive=["disease"], models=[(None, tree)]
        )


def test_what_only_a_row_that_is_held_back_has_is_in_no_type():
    """A Parquet file lists the categories of a column, rows or none."""
    old, new = people(60), people(60, seed=1)
    new["town"] = pd.Categorical(["Ys", "Brest", *["Lannion"] * 58])
    old["town"] = pd.Categorical(["Brest", "Lannion"] * 30)
    fitted = mondrian(quasi_identifiers=["age"], others="keep").fit(old)
    new.loc[0, "age"] = 120
    released = fitted.transform(new).to_frame()
    assert released["town"].dtype.categories.tolist() == ["Brest", "Lannion"]
