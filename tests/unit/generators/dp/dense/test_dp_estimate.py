import numpy as np
import pytest

from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.dp.dense.blocks import round_counts
from coclust_synth.generators.dp.dense.counts import (
    NoisyCounts,
    margin_labels,
    part_labels,
)
from coclust_synth.generators.dp.dense.estimate import estimate_joint, estimate_total
from coclust_synth.generators.dp.dense.partition import learn_partition
from coclust_synth.generators.dp.dense.split import choose_split

SIZES = (6, 5, 4)


def _table(rng, n_rows, sizes=SIZES):
    """Counts of a mixture of two products: all axes hang together."""
    halves = [
        np.einsum("i,j,k", *(rng.dirichlet(np.full(n, 0.7)) for n in sizes))
        for _ in range(2)
    ]
    joint = 0.5 * (halves[0] + halves[1])
    return rng.multinomial(n_rows, joint.ravel()).reshape(sizes)


def _measure(counts, labels, scale, rng):
    stop = 1.0 - np.exp(-1.0 / scale)
    sums = np.bincount(labels, counts.ravel()).astype(np.int64)
    noise = rng.geometric(stop, len(sums)) - rng.geometric(stop, len(sums))
    return NoisyCounts(labels, sums + noise, scale)


def _measurements(counts, rng, histogram_scale, scale, parts=None):
    sizes = counts.shape
    histogram = _measure(counts, np.arange(counts.size), histogram_scale, rng)
    margins = [
        _measure(counts, margin_labels(sizes, (k,)), scale, rng)
        for k in range(len(sizes))
    ]
    if parts is None:
        return histogram, margins
    labels = part_labels(sizes, range(len(sizes)), parts)
    return histogram, margins, parts, _measure(counts, labels, scale, rng)


def _hellinger(one, other):
    overlap = np.sqrt(one / one.sum() * (other / other.sum())).sum()
    return np.sqrt(max(1.0 - overlap, 0.0))


PARTS = [np.array([0, 0, 0, 1, 1, 1]), np.array([0, 1, 0, 1, 1]), np.zeros(4, int)]


# Counts


def test_labels_number_values_and_parts_in_c_order():
    cells = np.arange(120).reshape(SIZES)
    for axes in [(0,), (2,), (0, 2), (2, 0), (0, 1, 2)]:
        labels = margin_labels(SIZES, axes)
        wanted = [
            np.ravel_multi_index(
                [np.unravel_index(cell, SIZES)[k] for k in axes],
                [SIZES[k] for k in axes],
            )
            for cell in cells.ravel()
        ]
        assert labels.tolist() == wanted
    labels = part_labels(SIZES, (0, 1, 2), PARTS).reshape(SIZES)
    for i, j, k in np.ndindex(SIZES):
        assert labels[i, j, k] == 2 * PARTS[0][i] + PARTS[1][j]


@pytest.mark.parametrize("scale", [0.3, 2.0, 30.0])
def test_variance_is_that_of_the_discrete_laplace_law(scale):
    x = np.arange(-3000, 3001)
    weights = np.exp(-np.abs(x) / scale)
    variance = (weights * x**2).sum() / weights.sum()
    counts = NoisyCounts(np.zeros(1, int), np.zeros(1, int), scale, n_draws=3)
    assert counts.variance == pytest.approx(3 * variance)


def test_counts_are_checked():
    labels = np.array([0, 1, 2])
    with pytest.raises(ParameterError, match=r"positive scale.*Received 0\.0.*Give"):
        NoisyCounts(labels, np.zeros(3, int), 0.0)
    with pytest.raises(ParameterError, match=r"from 0 to 1.*one of 2.*Give one count"):
        NoisyCounts(labels, np.zeros(2, int), 1.0)


def test_total_weighs_measurements_by_their_precision():
    coarse = NoisyCounts(np.zeros(4, int), np.array([100]), 1.0)
    fine = NoisyCounts(np.arange(4), np.array([40, 40, 40, 20]), 1.0)
    assert estimate_total([coarse, fine]) == pytest.approx((4 * 100 + 140) / 5)
    assert estimate_total([NoisyCounts(np.zeros(4, int), np.array([-7]), 1.0)]) == 1.0


# Estimate


def test_counts_without_noise_come_back(rng):
    counts = _table(rng, 5_000)
    joint = estimate_joint(SIZES, *_measurements(counts, rng, 0.02, 0.02, PARTS))
    np.testing.assert_allclose(joint, counts, atol=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_nearer_than_the_histogram_and_than_independent_margins(seed):
    rng = np.random.default_rng(seed)
    counts = _table(rng, 10_000, (10, 9, 8))
    histogram, margins = _measurements(counts, rng, 20.0, 20.0)
    joint = estimate_joint(counts.shape, histogram, margins)
    clipped = np.maximum(histogram.counts, 0).reshape(counts.shape)
    independent = np.einsum("i,j,k", *(np.maximum(m.counts, 0) for m in margins))
    assert (joint > 0).all()
    assert abs(joint.sum() - 10_000) < 600
    assert _hellinger(joint, counts) < 0.7 * _hellinger(clipped, counts)
    assert _hellinger(joint, counts) < _hellinger(independent, counts)


def test_coarse_cells_that_are_certain_are_met():
    rng = np.random.default_rng(1)
    counts = _table(rng, 20_000)
    histogram, margins, parts, _ = _measurements(counts, rng, 30.0, 300.0, PARTS)
    labels = part_labels(SIZES, range(3), parts)
    grid = _measure(counts, labels, 0.5, rng)
    joint = estimate_joint(SIZES, histogram, margins, parts, grid)
    alone = estimate_joint(SIZES, histogram, margins)
    coarse = np.bincount(labels, counts.ravel())
    errors = [
        np.abs(np.bincount(labels, estimate.ravel()) - coarse).sum()
        for estimate in (joint, alone)
    ]
    assert errors[0] < 0.2 * errors[1]


def test_names_of_values_do_not_matter():
    rng = np.random.default_rng(2)
    counts = _table(rng, 3_000)
    order = [rng.permutation(n) for n in SIZES]
    histogram, margins, parts, grid = _measurements(counts, rng, 5.0, 9.0, PARTS)
    joint = estimate_joint(SIZES, histogram, margins, parts, grid)
    moved = [part[places] for part, places in zip(parts, order, strict=True)]
    renamed = estimate_joint(
        SIZES,
        NoisyCounts(
            histogram.labels,
            histogram.counts.reshape(SIZES)[np.ix_(*order)].ravel(),
            histogram.scale,
        ),
        [
            NoisyCounts(margin.labels, margin.counts[places], margin.scale)
            for margin, places in zip(margins, order, strict=True)
        ],
        moved,
        NoisyCounts(part_labels(SIZES, range(3), moved), grid.counts, grid.scale),
    )
    np.testing.assert_allclose(renamed, joint[np.ix_(*order)], rtol=1e-6)


def test_a_domain_with_nobody_in_it():
    counts = np.zeros(SIZES, dtype=np.int64)
    measured = _measurements(counts, np.random.default_rng(3), 50.0, 80.0, PARTS)
    joint = estimate_joint(SIZES, *measured)
    assert np.isfinite(joint).all() and (joint > 0).all()


def test_measurements_that_do_not_fit_are_refused(rng):
    counts = np.ones(SIZES, dtype=np.int64)
    histogram, margins, parts, grid = _measurements(counts, rng, 1.0, 1.0, PARTS)
    with pytest.raises(ParameterError, match=r"histogram of 60 cells.*120.*Give"):
        estimate_joint((6, 5, 2), histogram, margins)
    with pytest.raises(ParameterError, match=r"one margin per axis.*\(6, 5\)"):
        estimate_joint(SIZES, histogram, margins[:2])
    with pytest.raises(ParameterError, match=r"parts and grid together"):
        estimate_joint(SIZES, histogram, margins, parts)
    with pytest.raises(ParameterError, match=r"8 coarse cells.*4\s+counts"):
        finer = [*parts[:2], np.array([0, 0, 1, 1])]
        estimate_joint(SIZES, histogram, margins, finer, grid)


# Split


@pytest.mark.parametrize("epsilon", [1e-4, 0.01, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("sizes", [(3,), (10, 9, 16, 6, 2), (42,) * 4])
def test_the_split_spends_epsilon(epsilon, sizes):
    split = choose_split(epsilon, sizes)
    spent = split.margin * len(sizes) + split.histogram + split.grid
    assert spent == pytest.approx(epsilon)
    assert min(split.margin, split.histogram, split.grid) > 0


def test_margins_matter_more_in_large_domains_and_at_small_epsilon():
    def share(epsilon, sizes):
        return choose_split(epsilon, sizes).margin * len(sizes) / epsilon

    assert share(0.01, (10, 9, 16)) > share(1.0, (10, 9, 16))
    assert share(0.1, (10, 9, 16, 6, 2)) > share(0.1, (10, 9, 16))


@pytest.mark.parametrize("epsilon", [0, -1.0, float("inf"), float("nan")])
def test_epsilon_is_positive(epsilon):
    with pytest.raises(ParameterError, match="positive epsilon"):
        choose_split(epsilon, SIZES)


# Partition


def test_planted_parts_are_found_under_the_noise(rng):
    blocks = np.array([[5.0, 0.1], [0.1, 5.0]])
    rows, columns = np.repeat([0, 1], 8), np.tile([0, 1], 8)
    counts = rng.poisson(40 * blocks[np.ix_(rows, columns)])
    histogram = _measure(counts, np.arange(256), 10.0, rng)
    parts = learn_partition((16, 16), histogram, (True, False))
    assert parts[0].tolist() == rows.tolist()
    assert len({(a, b) for a, b in zip(parts[1], columns, strict=True)}) == 2
    assert parts[1].max() == 1


def test_nothing_is_found_in_noise(rng):
    counts = np.zeros((16, 16), dtype=np.int64)
    histogram = _measure(counts, np.arange(256), 10.0, rng)
    parts = learn_partition((16, 16), histogram, (True, False))
    assert [int(part.max()) for part in parts] == [0, 0]
    empty = NoisyCounts(np.arange(256), np.full(256, -1), 10.0)
    parts = learn_partition((16, 16), empty, (True, False))
    assert [part.tolist() for part in parts] == [[0] * 16] * 2


def test_values_that_no_cell_shows_have_parts_too():
    counts = np.zeros((5, 6), dtype=np.int64)
    counts[np.ix_([0, 1], [0, 1, 2])] = 100
    counts[np.ix_([4], [4, 5])] = 100
    histogram = NoisyCounts(np.arange(30), counts.ravel(), 1.0)
    intervals, groups = learn_partition((5, 6), histogram, (True, False))
    assert intervals.tolist() == [0, 0, 0, 1, 1]
    assert groups[3] == groups[0]
    assert groups[4] != groups[0]


# Rounding


@pytest.mark.parametrize("n_rows", [0, 1, 17, 1000, 12345])
def test_rounding_gives_the_rows_asked_for(n_rows):
    rng = np.random.default_rng(4)
    expected = rng.gamma(0.2, size=SIZES)
    rounded = round_counts(expected, n_rows, rng)
    exact = expected * n_rows / expected.sum()
    assert rounded.sum() == n_rows
    assert rounded.shape == SIZES
    assert (rounded >= np.floor(exact)).all() and (rounded <= exact + 2).all()


def test_whole_counts_stay():
    counts = _table(np.random.default_rng(5), 500)
    rounded = round_counts(counts.astype(float), 500, np.random.default_rng(0))
    np.testing.assert_array_equal(rounded, counts)


def test_small_cells_give_to_smaller_margins_stay():
    rng = np.random.default_rng(6)
    expected = rng.gamma(0.3, size=(20, 15, 10))
    expected *= 600 / expected.sum()
    plain, sharp = np.zeros(2), np.zeros(2)
    for seed in range(20):
        draws = np.random.default_rng(seed)
        for result, rounded in (
            (plain, draws.multinomial(600, expected.ravel() / 600).reshape(20, 15, 10)),
            (sharp, round_counts(expected, 600, draws)),
        ):
            result[0] += _hellinger(rounded, expected)
            result[1] += np.abs(
                rounded.sum(axis=(1, 2)) - expected.sum(axis=(1, 2))
            ).sum()
    assert sharp[0] < 0.95 * plain[0]
    assert sharp[1] < 0.5 * plain[1]


def test_rounding_refuses_what_it_cannot_share_out(rng):
    with pytest.raises(ParameterError, match=r"Received -1 rows"):
        round_counts(np.ones(SIZES), -1, rng)
    with pytest.raises(ParameterError, match=r"sum to 0\.0"):
        round_counts(np.zeros(SIZES), 3, rng)


@pytest.mark.parametrize("seed", range(3))
def test_rare_values_that_go_with_one_value_alone_are_not_lost(seed):
    # Causes of death, each of which a column of its own tells too: of independent
    # columns hardly anybody would have both.
    rng = np.random.default_rng(seed)
    sizes = (4, 2, 2, 3)
    cause = rng.choice(3, 6_000, p=[0.03, 0.43, 0.54])
    rows = rng.integers(0, 4, 6_000), cause == 0, cause == 1, cause
    cells = np.ravel_multi_index([np.asarray(row, dtype=int) for row in rows], sizes)
    counts = np.bincount(cells, minlength=48).reshape(sizes)
    histogram, margins = _measurements(counts, rng, 1.3, 70.0)
    joint = estimate_joint(sizes, histogram, margins)
    found, true = joint.sum(axis=0), counts.sum(axis=0)
    assert np.abs(found - true).sum() < 0.03 * true.sum()
    assert found[1, 0, 0] == pytest.approx(true[1, 0, 0], rel=0.2)
