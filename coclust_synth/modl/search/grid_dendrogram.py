"""Every level of a grid: merges of the best one, and finer ones, made on demand.

The best grid is the most probable one, not the finest that a use can bear: synthetic
tables come closer to the table from finer grids. Below the best grid first the column
clusters (parts) are split, down to single values, then the row clusters (individuals)
while both halves hold at least `min_size`. Each split is the one of least cost that
moves from random halves find; the mirror of the merges above. Where the time is over
the clusters that are left stay whole.
"""

import heapq
from dataclasses import dataclass, field, fields

import numpy as np

from coclust_synth.modl.grid.dendrogram import Cut, Dendrogram
from coclust_synth.modl.grid.grid import Contingency, Grid
from coclust_synth.modl.grid.state import CostTables, GridState
from coclust_synth.modl.search.clock import Clock
from coclust_synth.modl.search.neighbourhoods import COLUMNS, ROWS

# Sweeps of the members of two halves, unless they stop paying before (nats).
_MAX_SWEEPS = 12
_SWEEP_GAIN = 1.0


def refine(contingency, grid, dendrogram, *, min_size, seed=0, clock=None):
    """Split the clusters of the best grid.

    Parameters
    ----------
    contingency : Contingency
    grid : Grid
        The best grid.
    dendrogram : Dendrogram
        Its dendrogram.
    min_size : int, >= 1
        Individuals that each row cluster holds at least. Clusters that hold fewer
        already are left as they are; equal rows stay together.
    seed : int or numpy.random.SeedSequence
    clock : Clock, optional
        Splits end when its time is over; it notes "splits" then.

    Returns
    -------
    Cut
        The finest grid; its dendrogram leads back by the splits undone to the best
        grid, then by the merges above it.
    """
    rng = np.random.default_rng(seed)
    clock = Clock(None) if clock is None else clock
    state = GridState(CostTables(contingency), (grid.row_labels, grid.column_labels))
    splits = [
        (side, kept, new)
        for side, smallest in ((COLUMNS, 1), (ROWS, min_size))
        for kept, new in _split_side(state, side, smallest, rng, clock)
    ]
    merges = np.array(splits[::-1], dtype=np.int64).reshape(-1, 3)
    finest = (state.cells, *state.sizes)
    finer = Dendrogram.from_merges(contingency, finest, merges, grid.cost)
    # What the best grid costs beside its contingency is the same below it.
    below = finer.costs[:-1] + (dendrogram.costs[0] - finer.costs[-1])
    return Cut(
        *(labels.astype(np.int64) for labels in state.labels),
        Dendrogram(
            *finest,
            np.vstack([merges, dendrogram.merges]),
            np.append(below, dendrogram.costs),
            grid.cost,
        ),
    )


def _split_side(state, side, min_size, rng, clock):
    """Split the clusters of one side until none can be; changes `state`.

    A round of splits that the time does not last for is taken back.

    Returns the splits (kept, new) in the order of a dendrogram: of those whose cluster
    is there, the one whose smaller half is largest first. So a cut at any size finds
    the clusters split as far as it can bear.
    """
    n_before = state.shape[side]
    weights = state.tables.contingency.sides[side].size
    margin = np.empty(len(weights))
    children = {}
    sizes = {}
    open_clusters = range(n_before)
    while len(open_clusters):
        labels = state.labels[side].copy()
        new = state.shape[side]
        jobs = []
        for cluster in open_clusters:
            members = rng.permutation(np.flatnonzero(labels == cluster))
            half = _half(weights[members], min_size)
            if half:
                labels[members[half:]] = new + len(jobs)
                jobs.append((members, np.array([cluster, new + len(jobs)])))
        if not jobs or clock.ends("splits"):
            break
        before = state.labels[side].copy()
        state.relabel(side, labels)
        _sweep(state, side, jobs, margin, clock, min_size=1)
        if clock.ends("splits"):
            state.relabel(side, before)
            break
        state.relabel(side, _fill_up(state, side, jobs, margin, labels, min_size))
        _sweep(state, side, jobs, margin, clock, min_size=min_size)
        pairs = [tuple(map(int, candidates)) for _, candidates in jobs]
        for kept, new in pairs:
            children.setdefault(kept, []).append(new)
            sizes[new] = int(state.sizes[side][[kept, new]].min())
        open_clusters = [cluster for pair in pairs for cluster in pair]
    return _in_order(children, sizes, n_before)


def _sweep(state, side, jobs, margin, clock, *, min_size):
    for _ in range(_MAX_SWEEPS):
        if clock.is_over():
            return
        if state.sweep(side, jobs, margin, min_size=min_size) > -_SWEEP_GAIN:
            return


def _fill_up(state, side, jobs, margin, halves, min_size):
    """Labels in which every cluster of a split holds `min_size` values.

    A cluster that the moves left with fewer gets those of the other that cost least
    to move; where that leaves the other with too few, both go back to their halves.
    """
    labels = state.labels[side].copy()
    weights = state.tables.contingency.sides[side].size
    sizes = state.sizes[side]
    for members, pair in jobs:
        small, large = pair[np.argsort(sizes[pair], kind="stable")]
        lacking = min_size - sizes[small]
        if lacking <= 0:
            continue
        others = members[labels[members] == large]
        others = others[np.argsort(margin[others], kind="stable")]
        given = np.cumsum(weights[others])
        n_given = int(np.searchsorted(given, lacking)) + 1
        if sizes[large] - given[n_given - 1] >= min_size:
            labels[others[:n_given]] = small
        else:
            labels[members] = halves[members]
    return labels


def _half(weights, min_size):
    """Where to cut some members in two halves, each of `min_size` values; 0 if not."""
    total = np.cumsum(weights)
    enough = (total >= min_size) & (total[-1] - total >= min_size)
    if not enough.any():
        return 0
    distance = np.where(enough, np.abs(2 * total - total[-1]), np.inf)
    return int(distance.argmin()) + 1


def _in_order(children, sizes, n_before):
    """Splits (kept, new), the largest smaller half first, each after its parent's.

    `children` lists what was split off each cluster, in time; only the first of them
    that is not done yet can be next.
    """
    ready = [
        (-sizes[children[kept][0]], children[kept][0], kept)
        for kept in range(n_before)
        if kept in children
    ]
    heapq.heapify(ready)
    order = []
    while ready:
        _, new, kept = heapq.heappop(ready)
        order.append((kept, new))
        children[kept] = children[kept][1:]
        for cluster in (kept, new):
            if children.get(cluster):
                first = children[cluster][0]
                heapq.heappush(ready, (-sizes[first], first, cluster))
    return order


@dataclass(frozen=True, eq=False, repr=False)
class GridDendrogram(Dendrogram):
    """The dendrogram of the best grid, which can be cut above and below it.

    The arrays of `Dendrogram` are those of the best grid and of its merges. What is
    finer is split the first time that a cut asks for it, and kept.

    Attributes
    ----------
    contingency : Contingency
    grid : Grid
        The best grid.
    seed : int or numpy.random.SeedSequence
        Of the splits: equal cuts are equal at any time.
    rows : ndarray of int64, shape (n,)
        Row of the contingency table of each individual.
    """

    contingency: Contingency
    grid: Grid
    seed: int | np.random.SeedSequence | None
    rows: np.ndarray
    _finer: dict = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def from_grid(cls, contingency, grid, *, seed=0, rows=None):
        """Build the dendrogram of a grid.

        Parameters
        ----------
        contingency : Contingency
        grid : Grid
            The best grid.
        seed : int or numpy.random.SeedSequence
        rows : ndarray of int64, shape (n,), optional
            Row of the contingency table of each individual; by default each row once.
        """
        best = Dendrogram.from_grid(contingency, grid)
        if rows is None:
            rows = np.arange(len(grid.row_labels))
        own = {f.name: getattr(best, f.name) for f in fields(best)}
        return cls(**own, contingency=contingency, grid=grid, seed=seed, rows=rows)

    def best(self):
        """The cut that is the best grid."""
        labels = self.grid.row_labels, self.grid.column_labels
        return self._of_individuals(Cut(*labels, self.from_step(0)))

    def cut(self, *, k=None, n_clusters=None, information=None, clock=None):
        """The grid asked for; exactly one of the three says how.

        Parameters
        ----------
        k : int, optional
            The finest grid whose every row cluster holds at least k individuals, from
            1 to their number. Where the best grid's hold more, its column clusters are
            split down to single parts, then its row clusters as far as k allows. Equal
            rows stay together, so that with k = 1 each distinct row is a cluster.
        n_clusters : tuple of int (J_1, J_2), optional
            The finest grid of at most so many row and column clusters. Where J_2 is
            above the best grid's, its column clusters are split, up to single parts;
            row clusters are split by k alone.
        information : float, optional
            The coarsest grid that keeps at least this share of the best grid's
            information, in [0, 1].
        clock : Clock, optional
            Clusters are not split any further when its time is over: the grid is then
            coarser than asked for.

        Returns
        -------
        Cut
            With the cluster of each individual and of each part.

        Raises
        ------
        ParameterError
            If not exactly one is given, or it is out of range.
        """
        asked = {"k": k, "n_clusters": n_clusters, "information": information}
        # Checks what is asked, and is the answer where the best grid is fine enough.
        step = self.step_at(**asked)
        n_individuals = int(self.row_sizes.sum())
        if k is not None and k < self.row_sizes.min():
            cut = self._refined(clock, min_size=k)
        elif n_clusters is not None and n_clusters[1] > len(self.column_sizes):
            cut = self._refined(clock, min_size=n_individuals)
        else:
            return self.best().coarser(step)
        return self._of_individuals(cut.coarser(cut.dendrogram.step_at(**asked)))

    def uneven_cut(self, k, *, clock=None):
        """The best grid, in which each cluster is split or merged as k asks.

        Clusters of parts are single parts; those of individuals are split as far as k
        allows, and of fewer than k merged, each with the one that it costs least to
        merge it with. A level of the dendrogram, see `cut`, has clusters that are
        larger than k asks, and fewer clusters of parts.

        Parameters
        ----------
        k : int
            From 1 to the number of individuals.
        clock : Clock, optional
            As for `cut`.

        Returns
        -------
        Cut

        Raises
        ------
        ParameterError
            If k is out of range.
        """
        self.step_at(k=k)
        return self._of_individuals(self._refined(clock, min_size=k).merged(k))

    def _refined(self, clock, *, min_size):
        """The grid split as far as row clusters of `min_size` allow, made once.

        Where all individuals are too few for two, columns alone are split.
        """
        clock = Clock(None) if clock is None else clock
        finer = self._finer.get(min_size)
        if finer is None:
            finer = refine(
                self.contingency,
                self.grid,
                self,
                min_size=min_size,
                seed=self.seed,
                clock=clock,
            )
            if "splits" not in clock.cut_short:
                self._finer[min_size] = finer
        return finer

    def _of_individuals(self, cut):
        """The cut with one row label for each individual."""
        return Cut(cut.row_labels[self.rows], cut.column_labels, cut.dendrogram)
