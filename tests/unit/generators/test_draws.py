import numpy as np
import pytest

from coclust_synth.generators.draws import allot, draw_categories, even_points

WEIGHTS = [
    np.array([3]),
    np.array([5, 0, 2, 0.5]),
    np.array([0, 0, 1, 0]),
    np.array([461, 1152, 872, 964, 1]),
    np.full(7, 0.1),
    np.array([1e-300, 1e300]),
    np.random.default_rng(0).gamma(0.3, size=200),
]


class Uniform:
    """A generator that draws what it is told."""

    def __init__(self, value):
        self.value = value

    def random(self):
        return self.value


# Allotment


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("n", [0, 1, 2, 17, 1000, 48_842])
def test_allotments_are_whole_and_near_their_share(weights, n):
    expected = weights * (n / weights.sum())
    for seed in range(20):
        drawn = allot(weights, n, np.random.default_rng(seed))
        assert drawn.dtype == np.int64 and drawn.sum() == n
        assert (drawn >= np.floor(expected - 1e-9)).all()
        assert (drawn <= np.ceil(expected + 1e-9)).all()
        assert (drawn[weights == 0] == 0).all()


def test_as_many_draws_as_individuals_are_no_draw():
    sizes = np.array([50, 1, 100, 49])
    for u in (1e-9, 0.3, 1 - 1e-9):
        np.testing.assert_array_equal(allot(sizes, 200, Uniform(u)), sizes)
        np.testing.assert_array_equal(allot(sizes, 400, Uniform(u)), 2 * sizes)


@pytest.mark.slow
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("n", [1, 3, 10])
def test_allotments_are_their_expectation_on_average(weights, n):
    # Over evenly spaced starts each mean is its expectation but for one start a end.
    starts = (np.arange(1000) + 0.5) / 1000
    mean = np.mean([allot(weights, n, Uniform(u)) for u in starts], axis=0)
    np.testing.assert_allclose(mean, weights * (n / weights.sum()), atol=2.1e-3)


def test_allotments_are_unbiased(rng):
    # Hoeffding: a mean of 4,000 differences of at most 1 is off by more than 0.0555
    # with probability 2 exp(-2 * 4000 * 0.0555^2) = 4e-11, any of 5 with 2e-10.
    weights, n = np.array([3.0, 1, 1, 0.25, 7]), 10
    mean = np.mean([allot(weights, n, rng) for _ in range(4000)], axis=0)
    np.testing.assert_allclose(mean, weights * (n / weights.sum()), atol=0.0555)


# Points


@pytest.mark.parametrize("n", [1, 2, 3, 100, 256, 1023])
@pytest.mark.parametrize("d", [1, 2, 9, 40])
def test_each_coordinate_is_a_systematic_sample(n, d):
    points = even_points(n, d, np.random.default_rng(n + d))
    assert points.shape == (n, d)
    assert (points >= 0.0).all() and (points < 1.0).all()
    np.testing.assert_allclose(np.diff(np.sort(points, axis=0), axis=0), 1 / n)
    assert len(np.unique(points[0])) == d  # each from a start of its own


def test_no_points():
    assert even_points(0, 3, np.random.default_rng(0)).shape == (0, 3)


def test_points_fill_the_plane():
    # Two coordinates of a scrambled Sobol sequence are a (0, m, 2)-net: each of the
    # 2^a x 2^b boxes has its share exactly.
    x, y = even_points(256, 2, np.random.default_rng(3)).T
    for a in range(1, 8):
        boxes = np.floor(x * 2**a) * 2 ** (8 - a) + np.floor(y * 2 ** (8 - a))
        assert np.bincount(boxes.astype(int)).tolist() == [1] * 256


def test_points_of_many_dimensions_are_paired_evenly():
    points = even_points(1000, 12, np.random.default_rng(4)) < 0.5
    for i in range(12):
        for j in range(i):
            # 250 expected; independent uniforms would be off by 14 as a rule.
            assert abs((points[:, i] & points[:, j]).sum() - 250) <= 25


def test_a_point_is_uniform_on_average():
    # 2,000 starts; Hoeffding: off by more than 0.08 with probability 6e-11.
    rng = np.random.default_rng(1)
    first = np.array([even_points(5, 2, rng)[0] for _ in range(2000)])
    for share in (0.1, 0.5, 0.77):
        assert abs((first < share).mean(axis=0) - share).max() < 0.08
    assert abs(((first < 0.5).all(axis=1)).mean() - 0.25) < 0.08


class LastUniform:
    """Uniforms just below 1, and otherwise a usual generator."""

    def __init__(self):
        self.rng = np.random.default_rng(0)
        self.bit_generator = self.rng.bit_generator

    def random(self, d):
        return np.full(d, 1 - 2**-53)

    def integers(self, high):
        return self.rng.integers(high)


def test_points_stay_below_1_from_the_last_start(monkeypatch):
    class Sobol:
        def __init__(self, d, rng):
            self.d = d

        def random_base2(self, m):
            return np.tile(np.arange(2**m)[:, None] / 2**m, self.d)

    monkeypatch.setattr("scipy.stats.qmc.Sobol", Sobol)
    assert (even_points(1000, 2, LastUniform()) < 1.0).all()


# Categories


def test_categories_by_the_inverse_of_the_distribution_function():
    probabilities = np.array([0.25, 0.0, 0.5, 0.25])
    points = np.array([0.0, 0.2499, 0.25, 0.7499, 0.75, 1 - 2**-53])
    assert draw_categories(probabilities, points).tolist() == [0, 0, 2, 2, 3, 3]


@pytest.mark.parametrize(
    "probabilities",
    [
        [0.0, 1.0, 0.0],
        [1.0],
        [0.0, 0.0, 0.3, 0.0, 0.7, 0.0, 0.0],
        [0.1] * 10 + [0.0],
        [0.0] + [1 / 49] * 49 + [0.0],
        [1e-300, 0.0, 1.0],
    ],
)
def test_categories_of_probability_0_are_never_drawn(probabilities):
    probabilities = np.array(probabilities)
    ends = np.cumsum(probabilities)
    points = np.concatenate(
        [np.linspace(0, 1, 500, endpoint=False), ends, np.nextafter(ends, 0)]
    )
    points = np.append(points[points < 1], [0.0, np.nextafter(1.0, 0.0)])
    drawn = draw_categories(probabilities, points)
    assert (probabilities[drawn] > 0).all()


def test_systematic_points_give_each_category_its_share(rng):
    probabilities = rng.dirichlet(np.full(9, 0.4))
    for n in (1, 10, 333):
        points = even_points(n, 1, rng)[:, 0]
        counts = np.bincount(draw_categories(probabilities, points), minlength=9)
        assert (np.abs(counts - n * probabilities) < 1).all()
