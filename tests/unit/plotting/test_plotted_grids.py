"""What pictures of a co-clustering show, and how its clusters are told."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer, MODLCoclustering, ParameterError
from coclust_synth.modl.grid.cell_measures import cell_information
from coclust_synth.plotting import plot_dendrogram, plot_grid, plot_trace, shown_grid

N = 60
TABLE = pd.DataFrame(
    {
        "work": np.repeat(["cook", "smith", "clerk"], N),
        "tool": np.repeat(["knife", "hammer", "pen"], N),
        "place": np.repeat(["kitchen", "forge", "desk"], N),
        "shift": np.tile(["day", "night"], 3 * N // 2),
    }
)


@pytest.fixture(scope="module")
def model():
    return MODLCoclustering(n_iterations=4, random_state=0).fit(TABLE)


@pytest.fixture(scope="module")
def grid(model):
    return shown_grid(model)


def test_cells_are_those_of_the_model_in_the_order_of_the_trees(model, grid):
    assert grid.cells.shape == model.grid_.shape == grid.finest
    assert sorted(grid.cells.ravel()) == sorted(model.grid_.cells.ravel())
    assert grid.information == 1
    for tree, size in zip(grid.trees, grid.cells.shape, strict=True):
        runs = {i: (i, i) for i in range(size)}
        for i, (left, right) in enumerate(tree.merges):
            # A node is a run of clusters.
            assert runs[left][1] + 1 == runs[right][0]
            runs[size + i] = (runs[left][0], runs[right][1])
        assert runs[2 * size - 2] == (0, size - 1)
        assert list(tree.kept) == sorted(tree.kept, reverse=True)
    steps = sorted([*grid.trees[0].steps, *grid.trees[1].steps])
    assert steps == list(range(sum(grid.cells.shape) - 2))
    assert {tree.kept[-1] for tree in grid.trees} >= {0.0}


def test_clusters_are_told_by_their_parts(grid):
    for typical in grid.typical:
        # Work, tool and place say the same: one of them is told.
        (part,) = typical
        assert part.share == 1 and part.overall == pytest.approx(1 / 3)
    own = {frozenset(parts) for parts in grid.parts}
    assert frozenset({"work=cook", "tool=knife", "place=kitchen"}) in own


def test_a_coarser_level_keeps_less(model):
    coarse = shown_grid(model, (2, 9))
    assert coarse.cells.shape[0] == 2
    assert 0 < coarse.information < 1
    assert coarse.cells.sum() == model.grid_.cells.sum()
    shares = [part.share for typical in coarse.typical for part in typical]
    assert min(shares) > 0.4
    with pytest.raises(ParameterError, match="row clusters"):
        shown_grid(model, (0, 9))


def test_a_grid_is_drawn_with_what_its_cells_say(grid):
    ax = plot_grid(grid)
    drawn = ax.images[0].get_array()
    assert np.allclose(drawn, cell_information(grid.cells).T)
    assert len(ax.get_yticklabels()) == grid.cells.shape[1]
    assert ax.get_xticklabels()[0].get_text() == "1: 33.3%"
    assert ax.get_xlabel() == "clusters of individuals, and their share"


def test_joints_of_a_dendrogram_are_where_information_is_lost(grid):
    ax = plot_dendrogram(grid, "individuals")
    joints = [x[0] for x, _ in (line.get_data() for line in ax.lines) if x[0] == x[1]]
    assert 1 - grid.trees[0].kept[-1] in joints
    assert plot_dendrogram(grid).get_xlabel() == "share of the information lost"
    with pytest.raises(ParameterError, match="'rows'"):
        plot_dendrogram(grid, "rows")


def test_the_trace_ends_at_the_last_iteration(model):
    (line,) = plot_trace(model).lines
    x, y = line.get_data()
    assert x[-1] >= model.trace_[-1].iteration and y[-1] == 0
    assert y[0] == model.trace_[0].cost - model.cost_


def test_ticks_are_numbers_and_no_formulas(model):
    """Pages write texts as they are, so that a name can have dollars in it."""
    ax = plot_trace(model)
    ax.set_ylim(0, 2e4)
    ax.figure.draw_without_rendering()
    texts = [tick.get_text() for tick in ax.get_yticklabels()]
    assert {"0", "1", "10,000"} <= {*texts}


@pytest.mark.slow
def test_models_that_were_made_from_one(tmp_path):
    fitted = CoclusterSynthesizer(k=20, n_iterations=4, random_state=0).fit(TABLE)
    assert plot_grid(fitted).images
    fitted.save(tmp_path / "p.model")
    loaded = CoclusterSynthesizer.load(tmp_path / "p.model")
    grid = shown_grid(loaded)
    assert grid.individuals.sum() == 3 * N
    assert all(typical[0].share > 0.9 for typical in grid.typical)
    with pytest.raises(ParameterError, match="saved model"):
        plot_trace(loaded)
    for wrong in (MODLCoclustering(), TABLE):
        with pytest.raises(ParameterError, match="fitted MODLCoclustering"):
            plot_grid(wrong)


def test_clusters_of_persons_are_told_so():
    rows = TABLE.assign(who=np.arange(3 * N) // 2)
    fitted = CoclusterSynthesizer(
        k=10, n_iterations=2, person_id="who", random_state=0
    ).fit(rows)
    grid = shown_grid(fitted)
    assert grid.unit == "persons" and grid.individuals.sum() == 3 * N // 2
    assert plot_grid(fitted).get_xlabel() == "clusters of persons, and their share"


def test_a_table_without_structure_is_one_cell(rng):
    noise = pd.DataFrame({name: rng.choice(list("ab"), 60) for name in "xy"})
    model = MODLCoclustering(n_iterations=2, random_state=0).fit(noise)
    grid = shown_grid(model)
    assert grid.cells.shape == (1, 1) and grid.typical == ((),)
    assert len(plot_grid(model).images) == 1
    assert not plot_dendrogram(model).lines
