import math

import numpy as np
import pytest
from naive import cell_measures as naive

from coclust_synth.modl.grid.cell_measures import cell_contrast, cell_information


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (5, 4), (7, 1)])
@pytest.mark.parametrize("seed", range(3))
def test_the_measures_are_those_of_the_formulas(shape, seed):
    cells = np.random.default_rng(seed).poisson(1.5, shape)
    cells[0, 0] += 1
    counts = cells.tolist()
    assert cell_information(cells) == pytest.approx(
        np.array(naive.cell_information(counts))
    )
    assert cell_contrast(cells) == pytest.approx(np.array(naive.cell_contrast(counts)))


def test_independent_cells_say_nothing():
    cells = np.outer([1, 2, 3], [4, 5])
    assert cell_contrast(cells) == pytest.approx(0)
    assert cell_information(cells) == pytest.approx(0)


def test_the_cells_of_a_bijection_say_all():
    cells = np.diag([1, 1, 2])
    entropy = -(2 * 0.25 * math.log(0.25) + 0.5 * math.log(0.5))
    assert cell_information(cells).sum() == pytest.approx(entropy)
    assert cell_contrast(cells)[0, 1] == -math.inf


def test_merging_rows_never_adds_information():
    cells = np.random.default_rng(0).poisson(3, (6, 5))
    merged = np.vstack([cells[0] + cells[1], cells[2:]])
    assert cell_information(merged).sum() <= cell_information(cells).sum()


def test_an_empty_table_says_nothing():
    assert not cell_information(np.zeros((2, 3))).any()
    assert not cell_contrast(np.zeros((2, 3))).any()
