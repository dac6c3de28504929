"""Plain tables from learnt parts, and from co-clusterings that were fitted before."""

import numpy as np
import pandas as pd
import pytest
from support.visits import visits

from coclust_synth import CoclusterSynthesizer, MODLCoclustering, ParameterError
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.parts import IntervalParts
from coclust_synth.tables.people.people import Persons


def people(n=400, seed=0):
    """Groups of jobs that go with ages, some of both missing."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    age = pd.Series(20 + 10 * group + rng.integers(0, 9, n), dtype="Int64")
    job = pd.Series(np.array(list("abcdef"))[2 * group + rng.integers(0, 2, n)])
    return pd.DataFrame(
        {
            "job": job.astype("str").mask(rng.random(n) < 0.05),
            "age": age.mask(rng.random(n) < 0.1),
            "wage": rng.gamma(2.0, 500.0 * (group + 1), n).round(2),
        }
    )


def synthesizer(**options):
    asked = {"within": "independent", "k": 10, "n_iterations": 3, "random_state": 0}
    options = asked | options
    return CoclusterSynthesizer(**options)


@pytest.fixture(scope="module")
def table():
    return people()


@pytest.fixture(scope="module")
def many_visits():
    return visits(np.random.default_rng(0), 150).drop(columns="pin")


@pytest.fixture(scope="module")
def learnt(table):
    return synthesizer(parts="learnt").fit(table)


def test_the_grid_is_that_of_the_co_clustering(table):
    fitted = synthesizer(k=1).fit(table)
    model = fitted.coclustering_
    assert isinstance(model, MODLCoclustering)
    assert fitted.model_.dendrogram.best_cost == model.cost_
    np.testing.assert_array_equal(fitted.model_.dendrogram.cells, model.grid_.cells)


# Parts that are learnt


@pytest.mark.slow
def test_learnt_parts_are_groups_and_intervals_with_the_missing_apart(table, learnt):
    labels = learnt.model_.coding.part_labels
    assert {"job={a, b}", "job={c, d}", "job={e, f}", "job=missing"} <= set(labels)
    assert "age=missing" in labels and "wage=missing" not in labels
    assert len(labels) < len(synthesizer().fit(table).model_.coding.part_labels)


@pytest.mark.slow
@pytest.mark.parametrize("marginals", ["grid", "cluster"])
def test_tables_from_learnt_parts_are_as_the_table(table, marginals):
    fitted = synthesizer(parts="learnt", marginals=marginals).fit(table)
    drawn = fitted.sample(4000)
    pd.testing.assert_series_equal(drawn.dtypes, table.dtypes)
    np.testing.assert_allclose(drawn.isna().mean(), table.isna().mean(), atol=0.01)
    coding = fitted.model_.coding
    for one, two in zip(coding.encode(drawn).T, coding.encode(table).T, strict=True):
        shares = np.bincount(one) / len(drawn) - np.bincount(two) / len(table)
        assert np.abs(shares).sum() / 2 < 0.05
    low = drawn["age"] < 30
    assert drawn["job"][low.fillna(False)].isin(["a", "b"]).mean() > 0.8


def test_learnt_intervals_hold_individuals_enough(many_visits):
    fitted = synthesizer(parts="learnt", person_id="who").fit(many_visits)
    coding = fitted.model_.coding
    codes = coding.encode(many_visits)
    persons = Persons.of(many_visits, "who")
    is_numeric = [isinstance(own, IntervalParts) for own in coding.parts]
    assert any(is_numeric)
    for own in codes.T[is_numeric]:
        assert persons.count(own.astype(np.int64)).min() >= MIN_ROWS


@pytest.mark.parametrize("k", [5, 30, 150])
def test_clusters_of_learnt_parts_hold_k_persons(many_visits, k):
    fitted = synthesizer(parts="learnt", person_id="who", k=k).fit(many_visits)
    model = fitted.model_
    assert model.by_person and model.n_individuals == 150
    assert model.smallest_cluster >= k
    assert model.n_rows == len(many_visits) == len(fitted.sample())
    assert "who" not in fitted.sample()


def test_learnt_models_are_saved_whole(learnt, tmp_path):
    learnt.save(tmp_path / "m")
    loaded = CoclusterSynthesizer.load(tmp_path / "m", random_state=0)
    pd.testing.assert_frame_equal(loaded.sample(), learnt.sample())
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


@pytest.mark.slow
def test_learnt_parts_do_not_depend_on_the_number_of_jobs(table, learnt):
    again = synthesizer(parts="learnt", n_jobs=2).fit(table)
    pd.testing.assert_frame_equal(again.sample(), learnt.sample())


def test_without_time_parts_are_learnt_all_the_same(table):
    fitted = synthesizer(parts="learnt", n_iterations=50, time_limit=1e-9).fit(table)
    assert fitted.coclustering_.n_iter_ == 1
    assert "search" in fitted.cut_short_ and fitted.model_.smallest_cluster >= 10


@pytest.mark.slow
def test_who_stops_the_search_for_parts_waits_for_no_other_one(table):
    calls = []

    def stop(iteration, best):
        calls.append(iteration)
        if len(calls) == 1:
            raise KeyboardInterrupt

    fitted = synthesizer(parts="learnt", n_iterations=50, callback=stop).fit(table)
    assert len(calls) == 2 and fitted.coclustering_.n_iter_ == 1
    assert len(fitted.sample(5)) == 5


# Co-clusterings that were fitted


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"parts": "learnt"}, {"marginals": "cluster"}])
def test_the_own_co_clustering_given_back_changes_nothing(table, options):
    once = synthesizer(**options).fit(table)
    again = synthesizer(**options, model=once.coclustering_).fit(table)
    pd.testing.assert_frame_equal(once.sample(), again.sample())
    assert again.coclustering_ is once.coclustering_


def test_the_own_co_clustering_of_persons_given_back_changes_nothing(many_visits):
    once = synthesizer(person_id="who").fit(many_visits)
    again = synthesizer(person_id="who", model=once.coclustering_).fit(many_visits)
    pd.testing.assert_frame_equal(once.sample(), again.sample())


@pytest.mark.slow
@pytest.mark.parametrize("parts", ["fixed", "learnt"])
def test_clusters_of_a_fitted_co_clustering_are_kept(table, parts, monkeypatch):
    model = MODLCoclustering(parts=parts, n_iterations=3, random_state=0).fit(table)
    monkeypatch.setattr(MODLCoclustering, "fit", None)  # nothing is searched
    fitted = synthesizer(k=1, model=model).fit(table)
    # Individuals of equal parts are together, wherever the model had each.
    sizes = np.bincount(model.row_labels_)
    found = fitted.model_.dendrogram.row_sizes
    assert len(found) == len(sizes)
    assert np.abs(np.sort(found) - np.sort(sizes)).sum() < 0.1 * len(table)
    assert synthesizer(k=60, model=model).fit(table).model_.smallest_cluster >= 60


def test_models_of_rows_serve_persons(many_visits):
    rows = many_visits.drop(columns="who")
    model = MODLCoclustering(n_iterations=2, random_state=0).fit(rows)
    fitted = synthesizer(model=model, person_id="who", k=20).fit(many_visits)
    assert fitted.model_.n_individuals == 150 and fitted.model_.smallest_cluster >= 20


@pytest.mark.parametrize(
    "model, message",
    [
        ("people.model", "fitted MODLCoclustering. Received an object of type str"),
        (MODLCoclustering(), "fitted MODLCoclustering"),
        (("job", "age", 399), "of 400 rows. Received one of 399. Fit it again"),
        (("job", "age", 400), "Received one without 'wage'. Fit it on a table"),
    ],
)
def test_models_that_cannot_serve_are_refused(table, model, message):
    if isinstance(model, tuple):
        *names, n = model
        names = names if n == 400 else list(table)
        model = MODLCoclustering(n_iterations=1).fit(table[names].head(n))
    with pytest.raises(ParameterError, match=message.replace(".", r"\.")):
        synthesizer(model=model).fit(table)


def test_parts_of_another_kind_are_refused(table):
    with pytest.raises(ParameterError, match="parts to be one of 'fixed', 'learnt'"):
        synthesizer(parts="none").fit(table)
