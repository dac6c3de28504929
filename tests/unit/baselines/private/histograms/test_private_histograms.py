"""Private histograms of the literature: each with the check of its own paper.

Noise of the tests is seeded, and what it does to the methods' functions of noisy counts
is what is tested; that the noise is right is tested of the ledger.
"""

from itertools import combinations, pairwise
from math import log2

import numpy as np
import pandas as pd
import pytest
from naive import private_histograms as naive
from support.private_noise import forbid_noise, repeat_noise, silence_noise

from coclust_synth.baselines.private.histograms import structure_first
from coclust_synth.baselines.private.histograms.diffgen import DiffGen
from coclust_synth.baselines.private.histograms.dpcube import DPCube, uniform_boxes
from coclust_synth.baselines.private.histograms.noise_first import (
    NoiseFirst,
    best_buckets,
    smoothed,
)
from coclust_synth.baselines.private.histograms.p_hpartition import (
    PHPartition,
    cut_errors,
)
from coclust_synth.baselines.private.histograms.privelet import (
    Privelet,
    haar,
    inverse_haar,
)
from coclust_synth.baselines.private.histograms.structure_first import (
    MAX_COUNT,
    StructureFirst,
    least_squares,
    squares_within,
)
from coclust_synth.baselines.private.independent import IndependentMargins
from coclust_synth.exceptions import ParameterError, SchemaError

AGES = {"age": {"low": 0, "high": 99, "bins": 100, "missing": "?"}}
MIXED = AGES | {"sex": ["F", "M"], "pay": {"low": 0, "high": 63, "bins": 64}}


def people(n=4000, seed=0):
    rng = np.random.default_rng(seed)
    age = np.clip(rng.normal(40, 12, n), 0, 99).astype(int)
    return pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, "?", age.astype(str)),
            "sex": rng.choice(["F", "M"], n),
            "pay": np.clip(age // 2 + rng.integers(0, 20, n), 0, 63),
        }
    )


def error(found, counts):
    return float(np.square(found - counts).mean())


# Privelet


@pytest.mark.parametrize(
    "sizes, axes", [((7,), [1]), ((8, 3), [1, 0]), ((5, 6), [1, 1])]
)
def test_wavelets_come_back_and_a_row_changes_as_many_as_is_paid_for(sizes, axes):
    axes = [bool(own) for own in axes]
    counts = np.random.default_rng(0).integers(0, 50, sizes)
    coefficients = haar(counts, axes)
    assert np.array_equal(inverse_haar(coefficients, axes, sizes), counts)
    domain = {
        f"c{j}": {"low": 0, "high": size - 1, "bins": size}
        for j, size in enumerate(sizes)
    }
    transformed = [f"c{j}" for j, own in enumerate(axes) if own]
    generator = Privelet(1.0, domain, transformed=transformed)
    (query,) = generator.plan(100).queries
    paid = query.scale  # of epsilon 1
    for cell in np.ndindex(sizes):
        more = counts.copy()
        more[cell] += 1
        assert abs(haar(more, axes) - coefficients).sum() == pytest.approx(paid)


@pytest.mark.parametrize("size", [8, 16, 13])
def test_no_range_has_more_variance_than_the_paper_says(size):
    """At most (2 + log m) / 2 times that of a coefficient, whatever the range."""
    width = 1 << (size - 1).bit_length()
    inverse = np.array([inverse_haar(e, [True], [size]) for e in np.eye(width)])
    variances = [
        np.square(inverse[:, start:end].sum(axis=1)).sum()
        for start, end in combinations(range(size + 1), 2)
    ]
    assert max(variances) <= (2 + log2(width)) / 2
    # A thousand cells with noise of their own would have a thousand times one's.
    assert max(variances) < size / 2


def test_the_plan_tells_the_error_of_a_column(monkeypatch):
    """By the variances of cells, and of sums of all cells, of the other columns."""
    for transformed in (["age"], ["age", "pay"], []):
        generator = Privelet(1.0, MIXED, transformed=transformed)
        plan = generator.plan(1000)
        axes = [name in transformed for name in MIXED]
        sizes = (101, 2, 64)
        rng, found = np.random.default_rng(0), []
        shape = haar(np.zeros(sizes, dtype=int), axes).shape
        for _ in range(30):
            noise = rng.laplace(0, plan.queries[0].scale, shape)
            histogram = inverse_haar(noise, axes, sizes)
            found.append(
                [
                    abs(histogram.sum(axis=others)).sum() / 2000
                    for others in ((1, 2), (0, 2), (0, 1))
                ]
            )
        said = [min(own.error, 1.0) for own in plan.errors]
        assert said == pytest.approx(np.minimum(np.mean(found, axis=0), 1), rel=0.25)


def test_which_columns_are_transformed_is_told_by_the_domain():
    many = {"low": 0, "high": 4095, "bins": 4096}
    domain = {"age": many, "sex": ["F", "M"], "few": {"low": 0, "high": 9, "bins": 10}}
    generator = Privelet(1.0, domain)
    assert generator.plan(10).queries[0].scale == 13
    with pytest.raises(SchemaError, match="'aeg'"):
        Privelet(1.0, domain, transformed=["aeg"]).plan(10)
    with pytest.raises(ParameterError, match="at most 16,777,216 cells"):
        Privelet(1.0, domain | {"more": many | {"bins": 2049}}).plan(10)


# NoiseFirst


@pytest.mark.parametrize("seed", range(20))
def test_buckets_are_the_best_of_all(seed):
    rng = np.random.default_rng(seed)
    numbers, penalty = rng.integers(0, 30, 8), float(rng.choice([0.5, 20, 200]))

    def cost(ends):
        parts = np.split(numbers, ends[:-1])
        return sum(len(part) * part.var() + penalty for part in parts)

    every = [[*ends, 8] for n in range(8) for ends in combinations(range(1, 8), n)]
    assert cost(best_buckets(numbers, penalty)) == pytest.approx(min(map(cost, every)))


@pytest.mark.parametrize(
    "counts, most",
    [
        (np.repeat([50, 400, 10], [30, 40, 30]), 0.7),  # steps
        (np.arange(100) * 2, 0.8),  # a slope
        (np.random.default_rng(1).integers(0, 2000, 100), 1.1),  # nothing to merge
    ],
)
def test_means_of_neighbours_are_nearer_where_counts_are_smooth(counts, most):
    """The paper's claim: no worse than noise alone, nearer on smooth counts."""
    rng, scale = np.random.default_rng(0), 10.0
    noisy = [counts + np.rint(rng.laplace(0, scale, 100)) for _ in range(60)]
    of_noise = np.mean([error(own, counts) for own in noisy])
    merged = np.mean([error(smoothed(own, 2 * scale**2), counts) for own in noisy])
    assert merged <= most * of_noise


@pytest.mark.filterwarnings("ignore::coclust_synth.exceptions.DataWarning")
def test_what_is_missing_is_no_neighbour(monkeypatch):
    silence_noise(monkeypatch)
    table = pd.DataFrame({"age": ["99"] * 500 + ["?"] * 499 + ["98"] * 500})
    generator = NoiseFirst(0.01, AGES).fit(table)
    margin = generator.margins_[0]
    assert margin[98] == margin[99] and margin[100] == pytest.approx(499, abs=1)
    domain = {"a": {"low": 0, "high": 2**15, "bins": 2**15}}
    forbid_noise(monkeypatch)
    for kind, most in (
        (NoiseFirst, "16,384"),
        (StructureFirst, "2,048"),
        (PHPartition, "8,192"),
    ):
        with pytest.raises(ParameterError, match=f"at most {most} values"):
            kind(1.0, domain).fit(pd.DataFrame({"a": [1]}))


# StructureFirst


def test_squares_are_those_of_runs_and_least_those_of_all_cuts():
    counts = np.random.default_rng(0).integers(0, 40, 7)
    within = squares_within(counts)
    for i, j in combinations(range(8), 2):
        assert within[i, j] == int(
            np.floor(len(counts[i:j]) * counts[i:j].var() + 1e-9)
        )
    least = least_squares(within, 4)
    for b in (1, 2, 3):
        for end in range(b, 8):
            cuts = combinations(range(1, end), b - 1)
            ends = [(0, *cut, end) for cut in cuts]
            expected = min(sum(within[i, j] for i, j in pairwise(own)) for own in ends)
            assert least[b, end] == expected


@pytest.mark.slow
def test_a_row_changes_scores_by_no_more_than_is_paid_for(rng):
    for _ in range(300):
        bound = int(rng.choice([1, 3, 50, MAX_COUNT]))
        n, b = int(rng.integers(3, 9)), int(rng.integers(2, 4))
        counts = rng.integers(0, 2 * bound + 1, n)
        if rng.random() < 0.5:
            counts = rng.choice([0, bound - 1, bound], n)
        more = counts.copy()
        more[rng.integers(n)] += 1
        scores = []
        for own in (counts, more):
            within = squares_within(np.minimum(own, bound))
            least = least_squares(within, b)
            candidates = np.arange(b - 1, n)
            scores.append(least[b - 1, candidates] + within[candidates, n])
        assert abs(scores[0] - scores[1]).max() <= 2 * bound + 1


@pytest.mark.slow
def test_large_counts_are_cut_off_before_they_could_overflow():
    counts = np.full(2**11, MAX_COUNT)
    counts[::2] = 0
    within = squares_within(counts)
    assert within[0, -1] == 2**11 * (MAX_COUNT // 2) ** 2
    assert (within >= 0).all()


def test_structure_is_found_where_noise_is_small(monkeypatch):
    silence_noise(monkeypatch)
    counts = np.repeat([5, 200, 5, 60], [30, 20, 30, 20])
    table = pd.DataFrame({"age": np.repeat(np.arange(100), counts).astype(str)})
    generator = StructureFirst(1.0, AGES).fit(table)
    (ends,) = generator.buckets_
    assert len(ends) == 10 and {30, 50, 80, 100} <= set(ends.tolist())
    assert generator.margins_[0][:100] == pytest.approx(counts, abs=1)
    kinds = [entry.mechanism.split()[0] for entry in generator.ledger_.entries]
    assert kinds == ["discrete", *["noisy"] * 9, "discrete"]
    assert generator.ledger_.entries[1].sensitivity == 2 * len(table) + 1
    assert generator.ledger_.remaining == 0.0


def test_a_bound_that_is_declared_takes_no_count(monkeypatch):
    silence_noise(monkeypatch)
    generator = StructureFirst(1.0, MIXED, max_count=300, neighbours="replace")
    ledger = generator.fit(people()).ledger_
    assert "rows" not in {entry.what for entry in ledger.entries}
    assert {e.sensitivity for e in ledger.entries} == {2, 2 * 601}
    with pytest.raises(ParameterError, match="max_count"):
        StructureFirst(1.0, MIXED, max_count=0).plan(10)
    with pytest.raises(ParameterError, match="epsilon"):
        StructureFirst(1e-8, MIXED).plan(10)


# DPCube


def test_boxes_are_those_of_the_table_and_none_are_of_noise():
    counts = np.full((32, 24), 4)
    counts[:10, 12:] = 90
    rng, n_boxes = np.random.default_rng(0), []
    for _ in range(20):
        noisy = counts + np.rint(rng.laplace(0, 2.0, counts.shape))
        boxes = uniform_boxes(noisy, 8.0)
        inside = np.unique(boxes[:10, 12:])
        outside = np.setdiff1d(boxes, inside)
        assert not np.isin(boxes[counts == 4], inside).any()
        n_boxes.append(len(inside) + len(outside))
    assert np.mean(n_boxes) < 5
    assert (uniform_boxes(np.full((3, 3), 7), 1.0) == 0).all()
    assert (uniform_boxes(np.array([[5]]), 1.0) == 0).all()


def test_boxes_are_nearer_than_cells_where_the_table_has_some():
    """The paper's claim against noise in all cells, for the same epsilon."""
    counts = np.full((32, 24), 4)
    counts[:10, 12:] = 90
    rng, errors = np.random.default_rng(0), []
    for _ in range(20):
        of_cells = counts + rng.laplace(0, 1.0, counts.shape)
        noisy = counts + np.rint(rng.laplace(0, 2.0, counts.shape))
        boxes = uniform_boxes(noisy, 8.0).ravel()
        rows = np.bincount(boxes, counts.ravel())
        rows = rows + rng.laplace(0, 2.0, len(rows))
        found = (rows / np.bincount(boxes))[boxes].reshape(counts.shape)
        errors.append([error(found, counts), error(of_cells, counts)])
    boxes, cells = np.mean(errors, axis=0)
    assert boxes < 0.2 * cells


def test_both_looks_at_a_box_are_weighed_by_their_variance(monkeypatch):
    silence_noise(monkeypatch)
    table = people()
    generator = DPCube(1.0, MIXED).fit(table)
    counted = np.bincount(generator.boxes_, generator.counts_)
    cells = generator.domain_.to_cells(generator.domain_.encode(table))
    expected = np.bincount(generator.boxes_[cells], minlength=len(counted))
    assert counted == pytest.approx(expected)


# P-HPartition


@pytest.mark.parametrize("seed", range(30))
def test_cuts_are_scored_by_distances_that_a_row_changes_by_two(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, rng.choice([2, 9, 2**35]), rng.integers(1, 12))
    errors = cut_errors(counts)
    assert errors.tolist() == naive.cut_errors(counts.tolist())
    for value in range(len(counts)):
        more = counts.copy()
        more[value] += 1
        assert abs(cut_errors(more) - errors).max() <= 2


@pytest.mark.filterwarnings("ignore::coclust_synth.exceptions.DataWarning")
def test_steps_are_cut_where_they_are_and_no_run_is_cut_for_noise(monkeypatch):
    silence_noise(monkeypatch)
    counts = np.repeat([5, 200, 5, 60], [30, 20, 30, 20])
    table = pd.DataFrame({"age": np.repeat(np.arange(100), counts).astype(str)})
    generator = PHPartition(1.0, AGES).fit(table)
    choices = [e for e in generator.ledger_.entries if "max" in e.mechanism]
    assert {entry.sensitivity for entry in choices} == {2}  # its own, and the mean's
    (ends,) = generator.runs_
    assert ends.tolist() == [30, 50, 80, 100]
    assert generator.margins_[0][:100] == pytest.approx(counts, abs=1)
    *cuts, partition, counted = generator.ledger_.entries
    assert {cut.mechanism.split(", ")[-1] for cut in cuts} == {"in each part"}
    assert {cut.epsilon for cut in cuts} == {0.25 / 6}
    # What depths that cut nothing would have cost is in the counts.
    assert len(cuts) == 4 and partition.epsilon == 0.25
    assert counted.epsilon == pytest.approx(0.5 + 2 * 0.25 / 6)
    # A run costs what its noise is, 2 rows here and 200 there: these steps are less.
    coarse = PHPartition(0.01, AGES).fit(table.iloc[::50])
    assert coarse.runs_[0].tolist() == [100]


@pytest.mark.slow
@pytest.mark.parametrize("depth, most", [(1, 2), (2, 4), (7, 100)])
def test_a_value_is_in_as_many_cuts_as_the_depth(depth, most, monkeypatch, rng):
    silence_noise(monkeypatch)
    ages = np.repeat(np.arange(100), rng.permutation(100) ** 2)
    table = pd.DataFrame({"age": ages.astype(str)})
    generator = PHPartition(100.0, AGES, depth=depth).fit(table)
    (ends,) = generator.runs_
    assert len(ends) <= most and (depth > 2 or len(ends) == most)
    assert len(generator.ledger_.entries) <= depth + 2
    with pytest.raises(ParameterError, match="depth"):
        PHPartition(1.0, AGES, depth=0).plan(10)


@pytest.mark.slow
def test_runs_are_nearer_than_values_where_counts_are_smooth(monkeypatch):
    """The paper's claim: less error than noise alone, of counts that compress."""
    counts = np.repeat([50, 400, 10], [200, 200, 112])
    ages = np.repeat(np.arange(512), counts)
    domain = {"age": {"low": 0, "high": 511, "bins": 512}}
    repeat_noise(monkeypatch)
    table = pd.DataFrame({"age": ages})
    found = {
        kind: [
            np.abs(kind(0.05, domain).fit(table).margins_[0] - counts).sum()
            for _ in range(5)
        ]
        for kind in (PHPartition, IndependentMargins)
    }
    assert np.mean(found[PHPartition]) < 0.3 * np.mean(found[IndependentMargins])


# all of them


@pytest.mark.parametrize(
    "kind, options", [(PHPartition, {}), (DiffGen, {"targets": ["sex"]})]
)
def test_fits_spend_on_choices_no_more_than_the_plan_says(kind, options, monkeypatch):
    """What is left of them is spent on the last counts."""
    silence_noise(monkeypatch)
    for neighbours, per_person in (("add-remove", 1), ("replace", 3)):
        generator = kind(
            2.0, MIXED, neighbours=neighbours, rows_per_person=per_person, **options
        )
        plan, ledger = generator.plan(4000), generator.fit(people()).ledger_
        assert sum(q.share * q.times for q in plan.queries) == pytest.approx(1)
        for query in plan.queries:
            made = [e for e in ledger.entries if e.what == query.what]
            assert len(made) <= query.times
            assert {e.mechanism for e in made} <= {query.mechanism}
            if query.mechanism == "discrete Laplace":
                assert made[0].epsilon >= query.share * 2.0 * (1 - 1e-9)
            else:
                assert all(e.scale == pytest.approx(query.scale) for e in made)
        assert {e.what for e in ledger.entries} <= {q.what for q in plan.queries}
        assert ledger.remaining == 0.0
        sample = generator.sample(500, random_state=0)
        generator.domain_.encode(sample)
        assert len(sample) == 500


@pytest.mark.parametrize("kind", [Privelet, DPCube, NoiseFirst, StructureFirst])
def test_a_fit_spends_what_the_plan_says(kind, monkeypatch):
    silence_noise(monkeypatch)
    monkeypatch.setattr(structure_first, "_FEW", 20)
    for neighbours, per_person in (("add-remove", 1), ("replace", 3)):
        generator = kind(1.0, MIXED, neighbours=neighbours, rows_per_person=per_person)
        plan, ledger = generator.plan(4000), generator.fit(people()).ledger_
        said = [q for q in plan.queries for _ in range(q.times)]
        made = [(e.what, e.mechanism, e.cost, e.scale) for e in ledger.entries]
        assert [(q.what, q.mechanism) for q in said] == [own[:2] for own in made]
        assert np.allclose(
            [(q.share, q.scale) for q in said], [own[2:] for own in made], rtol=1e-9
        )
        assert ledger.remaining == 0.0
        sample = generator.sample(500, random_state=0)
        generator.domain_.encode(sample)
        assert len(sample) == 500


@pytest.mark.noise
@pytest.mark.parametrize(
    "kind", [Privelet, DPCube, NoiseFirst, StructureFirst, PHPartition]
)
def test_without_noise_the_columns_come_back(kind):
    table = people()
    domain = MIXED | {"pay": {"low": 0, "high": 63, "bins": 8}}
    generator = kind(1e6, domain).fit(table)
    assert generator.n_rows_ == len(table)
    found = generator.sample(random_state=0)["sex"].value_counts()
    assert found.to_dict() == pytest.approx(
        table["sex"].value_counts().to_dict(), abs=40
    )


@pytest.mark.filterwarnings("ignore::coclust_synth.exceptions.DataWarning")
@pytest.mark.noise
@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize(
    "kind, options", [(PHPartition, {}), (DiffGen, {"targets": ["sex"]})]
)
def test_hardly_any_rows(kind, options, n):
    generator = kind(0.01, MIXED, **options).fit(people().iloc[:n])
    assert generator.n_rows_ >= 0 and generator.ledger_.remaining == 0.0
    assert len(generator.sample(50)) == 50


@pytest.mark.parametrize("method", [StructureFirst, PHPartition])
def test_a_plan_says_that_merged_values_are_farther_off(method):
    """What is counted together is as unlike as the table says, which nobody opened."""
    ages = {"age": {"low": 0, "high": 99, "bins": 100}}
    (error,) = method(1.0, ages).plan(1000).errors
    assert error.cells < 100 and error.what.endswith("merged values are farther off)")
    (error,) = method(1.0, {"sex": ["F", "M"]}).plan(1000).errors
    assert error.what == "sex"
