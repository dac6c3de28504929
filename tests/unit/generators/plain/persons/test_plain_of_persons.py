"""Synthetic rows drawn within clusters of persons, who have several rows each."""

import warnings
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.visits import visits

from coclust_synth import DataWarning
from coclust_synth.exceptions import ModelFileError, ParameterError, TableError
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.generators.plain.synthesizer import CoclusterSynthesizer
from coclust_synth.modl.grid.grid import Contingency
from coclust_synth.modl.grid.individuals import person_grid
from coclust_synth.modl.search.two_sides import search_grid
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.rows import collapse


def fitted(table, **options):
    options = {"within": "independent"} | options
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return CoclusterSynthesizer(
            person_id="who", n_iterations=3, random_state=0, **options
        ).fit(table.drop(columns="pin"))


def parts_of_persons(codes, offsets, who):
    """How often each person has each part, by loops."""
    found = {}
    for row, person in zip(codes.tolist(), who.tolist(), strict=True):
        own = found.setdefault(person, Counter())
        own.update(a + b for a, b in zip(row, offsets.tolist(), strict=True) if a >= 0)
    return found


@settings(deadline=None, max_examples=examples(40))
@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_a_person_has_the_parts_of_all_rows(seed, n_persons):
    rng = np.random.default_rng(seed)
    n = n_persons * 3
    codes = rng.integers(-1, 3, (n, 2))
    codes[0] = [0, 1]
    who = np.append(np.arange(n_persons), rng.integers(0, n_persons, n - n_persons))
    rows, inverse = collapse(codes, [3, 3])
    grid = person_grid(rows, inverse, Persons("who", who))
    side = grid.contingency.sides[0]
    expected = parts_of_persons(codes, rows.offsets, who)
    for person, own in enumerate(grid.row_of_person):
        entries = slice(side.indptr[own], side.indptr[own + 1])
        each = side.count[entries] // side.size[own]
        found = dict(zip(side.opposite[entries].tolist(), each.tolist(), strict=True))
        assert found == dict(expected.get(person, {}))
    assert side.size.tolist() == np.bincount(grid.row_of_person).tolist()
    # The same for any order of the rows.
    order = rng.permutation(n)
    codes_again = pd.factorize(who[order])[0]
    again = person_grid(rows, inverse[order], Persons("who", codes_again)).contingency
    for one, other in zip(grid.contingency.sides, again.sides, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_persons_of_one_row_are_as_rows(rng):
    rows, inverse = collapse(rng.integers(0, 4, (60, 3)), [4, 4, 4])
    by_person = person_grid(rows, inverse, Persons("who", np.arange(60))).contingency
    by_row = Contingency.from_distinct_rows(rows)
    costs = [
        search_grid(c, n_iterations=3, seed=0).grid.cost for c in (by_person, by_row)
    ]
    assert by_person.log_fact_values == pytest.approx(by_row.log_fact_values)
    assert costs[0] == pytest.approx(costs[1])
    assert sorted(by_person.sides[0].size) == sorted(by_row.sides[0].size)


@pytest.mark.parametrize("k", [1, 5, 12, 40])
@pytest.mark.parametrize("marginals", ["grid", "cluster"])
def test_clusters_hold_k_persons(k, marginals):
    table = visits(np.random.default_rng(3), 80)
    synthesizer = fitted(table, k=k, rare=1, marginals=marginals)
    model = synthesizer.model_
    assert (model.n_individuals, model.n_rows) == (80, len(table))
    assert model.smallest_cluster >= k and model.by_person
    assert (model.cluster_rows >= model.dendrogram.row_sizes).all()
    drawn = synthesizer.sample()
    assert list(drawn) == ["age", "town", "sex", "ill"] and len(drawn) == len(table)
    # Rows count in what is drawn, however many a person has.
    for name in ("town", "sex", "ill"):
        shares = [own[name].value_counts() for own in (table, drawn)]
        assert shares[0].sub(shares[1], fill_value=0).abs().max() <= 0.05 * len(table)


@pytest.mark.slow
def test_the_default_k_is_of_persons():
    table = visits(np.random.default_rng(4), 300)
    assert fitted(table).k_ == 15


@pytest.mark.slow
def test_a_saved_model_knows_both_numbers(tmp_path):
    table = visits(np.random.default_rng(5), 60)
    synthesizer = fitted(table, k=6)
    synthesizer.save(tmp_path / "a.model")
    model = PlainModel.load(tmp_path / "a.model")
    assert (model.n_individuals, model.n_rows) == (60, len(table))
    again = CoclusterSynthesizer.load(tmp_path / "a.model", random_state=0)
    pd.testing.assert_frame_equal(again.sample(), synthesizer.sample())
    assert again.sample(k=30).shape == (len(table), 4)
    names = [str(who).encode() for who in table["who"]]
    content = (tmp_path / "a.model").read_bytes()
    assert not any(name in content for name in names)
    # What says that it is of rows does not fit together.
    object.__setattr__(model, "by_person", False)
    model.save(tmp_path / "b.model")
    with pytest.raises(ModelFileError, match="do not fit together"):
        PlainModel.load(tmp_path / "b.model")


@pytest.mark.slow
def test_a_value_of_many_rows_of_one_person_is_no_heap():
    """20 rows of one person share a number that nobody else has: it is not told."""
    rng = np.random.default_rng(6)
    table = pd.DataFrame(
        {
            "who": np.append(np.arange(200), np.full(40, 7)),
            "pay": np.append(rng.normal(1000, 100, 200).round(2), np.full(40, 1234.56)),
            "sex": rng.choice(["F", "M"], 240),
            "pin": 0,
        }
    )
    assert (fitted(table, k=10).sample(2000)["pay"] == 1234.56).sum() == 0
    rows = CoclusterSynthesizer(k=10, n_iterations=3, random_state=0)
    drawn = rows.fit(table[["pay", "sex"]]).sample(2000)
    assert (drawn["pay"] == 1234.56).sum() > 100


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"k": 31}, ParameterError, "number of persons, 30"),
        ({"person_id": "wo"}, TableError, "'who'"),
    ],
)
def test_what_cannot_be_is_refused(options, error, message):
    table = visits(np.random.default_rng(0), 30)
    options = {"person_id": "who"} | options
    with pytest.raises(error, match=message):
        CoclusterSynthesizer(**options).fit(table.drop(columns="pin"))
