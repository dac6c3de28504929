"""Moves to a grid of lower cost: from nothing, from one grid, from two.

A *descent* starts from many clusters and goes down a ladder of coarser ones: moves
until they stop paying, the cheapest merges, moves again. A *V-cycle* splits a few
clusters of a grid at random and comes down again; *resplits* pool two or three close
clusters and divide their values anew; a *crossing* comes down from the clusters that
two grids have in common. To *shake* a grid is some V-cycles of it, then resplits of the
best that they came down to. An *ascent* splits all clusters in two, again and again;
*regions* settles one group of close clusters after the other: both look at few clusters
for each value, which is what very large tables can bear. An ascent of very many rows is
one of some of them, whose clusters the others join. Each move keeps the grid of
lowest cost that it meets.

Notes
-----
Sweeps alone get stuck (Peixoto, "Merge-split Markov chain Monte Carlo for community
detection", 2020); the merges of the ladder are the greedy bottom-up of MODL (Boulle
2011) and the splits its neighbourhood search. Crossing by the meet of two partitions
is that of evolutionary clustering.
"""

from functools import partial

import numpy as np

from coclust_synth.modl.grid import _sweep_kernels
from coclust_synth.modl.grid.grid import Grid
from coclust_synth.modl.grid.state import CostTables, GridState
from coclust_synth.modl.search.loop import in_turn
from coclust_synth.modl.search.pool import PooledClusters, close_regions, settle_region

SIDES = ROWS, COLUMNS = 0, 1

# A side with at most this many values starts from one cluster a value, and each move
# takes it back there: its best partition for the other side's is cheap to find anew.
_MAX_FINE_START = 256
# The other sides start from this many random clusters ...
_N_RANDOM_CLUSTERS = 48
# ... or, with a catch-all, from this many of the most frequent values, which hold this
# share of the observations.
_N_FREQUENT_CLUSTERS = 20
_FREQUENT_SHARE = 0.5
# A table is huge with more non-empty counts than this, or with a mean count above that,
# which makes for very many clusters.
_MAX_COUNTS = 2_000_000
_MAX_MEAN = 100.0
# An ascent starts from this many, and ends where twice as many clusters add less than
# this share to what the grid gains over the null cost.
_N_FIRST_CLUSTERS = 16
_ASCENT_GAIN = 0.003
# With more than twice as many rows it is so many that ascend, drawn at random.
_N_ASCENDING = 200_000
# The others are swept over so many clusters close to the likeliest one: for 4.1 million
# rows and 980 clusters two such sweeps take .4 of the time of one over all clusters,
# and end at no higher cost.
_N_NEAR_LIKELIEST = 64
# No move goes on purpose above this many clusters: merges compare all pairs of them.
_MAX_CLUSTERS = 1024
# Sweeps of all values over the clusters close to their own, after such a split.
_N_CLOSE_SWEEPS = 2
# Times that all regions are settled in one move.
_N_REGION_PASSES = 3
# Sweeps of a new start before any merge.
_N_FIRST_SWEEPS = 3
# Each step of a ladder keeps this share of the clusters.
_LADDER_RATIO = 0.85
# A descent ends when its cost is this far above its lowest (nats per observation).
_LADDER_SLACK = 0.01
# A value whose best move would cost less than this is swept again soon (nats).
_CLOSE_CALL = 1.0
# Neighbours of a large side that a sweep looks at one after the other.
_RUN = 16
# Sweeps stop when a round of them gains less than this (nats).
_ROUND_GAIN = 1.0
# How many clusters a V-cycle splits: one of these.
_N_SPLITS = (1, 2, 4, 8, 16)
# A crossing starts from this many clusters for each one of the parents: one of these.
_CROSSING_RATIOS = (2, 3, 4)
# Clusters that are pooled and clusters they are divided into, and how often.
_RESPLITS = ((2, 2), (3, 3), (2, 3), (1, 2))
_RESPLIT_WEIGHTS = (0.55, 0.25, 0.1, 0.1)
# Tries of one round of resplits, and the sweeps of each at most.
_N_RESPLITS = 60
_MAX_RESPLIT_SWEEPS = 8
# The clusters pooled with a first one are among this many of the closest to it.
_N_CLOSEST = 6
# A shaken grid has so many V-cycles, each of all its clusters with this probability.
# Where both sides are large they cost more than resplits do, and one is enough. Chosen
# on nine columns of Adult, tried on covid, budgetfood, telco, loans and NMES1988.
_SHAKES = (4, 1 / 2)
_SHAKES_OF_TWO_LARGE_SIDES = (1, 1 / 6)
# Rounds of resplits of the best that came of it.
_N_SHAKEN_RESPLITS = 3
# From the second sweep on a resplit takes closer calls than this only (nats).
_RESPLIT_CLOSE_CALL = 2.0


class Explorer:
    """The moves to other grids, and the grid of lowest cost met on them.

    Parameters
    ----------
    tables : CostTables
    rng : numpy.random.Generator
    check_time : callable
        Called often; what it raises ends the move.
    run : callable, optional
        Does a list of calls without arguments, by default one after the other.

    Attributes
    ----------
    best : GridState or None
    best_cost : float
        Its cost (nats); infinite before the first grid.
    """

    def __init__(self, tables, rng, check_time, run=in_turn):
        self.tables = tables
        self.run = run
        self.rng = rng
        self.check_time = check_time
        sides = tables.contingency.sides
        self.n_values = tuple(len(side.size) for side in sides)
        self.large = self.large_sides(tables)
        self.best = None
        self.best_cost = np.inf

    @staticmethod
    def large_sides(tables):
        """The sides that have too many values to start from one cluster a value."""
        n_values = [len(side.size) for side in tables.contingency.sides]
        return [side for side in SIDES if n_values[side] > _MAX_FINE_START]

    @classmethod
    def is_huge(cls, tables):
        """Whether there is too much to sweep all values over all clusters often."""
        contingency = tables.contingency
        n_counts = len(contingency.sides[0].count)
        many_clusters = contingency.n_observations > _MAX_MEAN * n_counts
        too_much = n_counts > _MAX_COUNTS or many_clusters
        return too_much and len(cls.large_sides(tables)) > 0

    def _keep(self, state):
        """Note a state and return its cost."""
        cost = state.cost()
        if cost < self.best_cost - 1e-6:
            self.best, self.best_cost = state.copy(), cost
        return cost

    # Descents

    def descent(self, start):
        """Come down from many clusters.

        Parameters
        ----------
        start : {"values", "random", "frequent"}
            Clusters of the small sides, "values" being one a value, and of the large
            ones, "frequent" leaving all but frequent values to a catch-all.
        """
        state = GridState(self.tables, [self._start(side, start) for side in SIDES])
        for _ in range(_N_FIRST_SWEEPS):
            for side in SIDES:
                self._sweep_all(state, side)
        lowest = np.inf
        slack = _LADDER_SLACK * self.tables.contingency.n_observations
        while True:
            if self.large:
                self._refine_small_sides(state)
            for _ in range(_N_FIRST_SWEEPS):
                for side in self.large:
                    self._sweep_all(state, side)
            self._settle(state, n_rounds=2, n_turns=6)
            cost = self._keep(state)
            coarser = state.copy()
            coarser.merge(to_one_cell=True)
            self._keep(coarser)
            lowest = min(lowest, cost)
            if not self.large or cost > lowest + slack:
                return
            for side in self.large:
                j = state.shape[side]
                if j <= 2:
                    return
                state.merge_down(side, max(int(j * _LADDER_RATIO), 2))

    def _start(self, side, start):
        n, rng = self.n_values[side], self.rng
        if side not in self.large:
            return np.arange(n) if start != "random" else rng.integers(0, n, n)
        values = self.tables.contingency.sides[side]
        frequency = values.total / values.size
        if start == "frequent" and frequency.min() < frequency.max():
            frequent = _frequent_values(values)
            labels = np.zeros(n, dtype=np.int64)
            labels[frequent] = rng.integers(1, _N_FREQUENT_CLUSTERS + 1, len(frequent))
            return labels
        return rng.integers(0, _N_RANDOM_CLUSTERS, n)

    def _refine_small_sides(self, state):
        """Take the sides that are not large back to one cluster a value."""
        for side in SIDES:
            if side not in self.large:
                state.relabel(side, np.arange(self.n_values[side]))

    def ascent(self):
        """Split all clusters in two until it no longer pays, each time locally.

        Very many rows are left to the clusters of some of them: the likeliest one, then
        those close to it.
        """
        if self.n_values[ROWS] <= 2 * _N_ASCENDING:
            self._ascent()
            return
        state = GridState(self.tables, self._ascent_of_some())
        for _ in range(_N_CLOSE_SWEEPS):
            self._sweep_close_clusters(state, ROWS, n_closest=_N_NEAR_LIKELIEST)
        state.merge()
        self._keep(state)

    def _ascent_of_some(self):
        """Ascend with some rows; labels of all that are likeliest then."""
        contingency = self.tables.contingency
        n = self.n_values[ROWS]
        some = np.sort(self.rng.choice(n, _N_ASCENDING, replace=False))
        explorer = Explorer(
            CostTables(contingency.of_rows(some)), self.rng, self.check_time
        )
        explorer._ascent()
        state = explorer.best
        # Each cell counts one observation more, for the rows that are not among these.
        cells = state.cells.T + 1.0
        rows = _sweep_kernels.likeliest_clusters(
            contingency.sides[ROWS],
            state.labels[COLUMNS],
            np.log(state.sizes[ROWS] / state.sizes[ROWS].sum()).astype(np.float32),
            np.log(cells / cells.sum(axis=0)).astype(np.float32),
        )
        return rows, state.labels[COLUMNS]

    def _ascent(self):
        labels = [np.arange(n) for n in self.n_values]
        for side in self.large:
            labels[side] = self.rng.integers(0, _N_FIRST_CLUSTERS, self.n_values[side])
        state = GridState(self.tables, labels)
        for _ in range(_N_FIRST_SWEEPS):
            for side in self.large:
                self._sweep_all(state, side)
        null_cost = Grid.null(self.tables.contingency).cost
        lowest = null_cost
        while True:
            merged = state.copy()
            merged.merge()
            cost = self._keep(merged)
            pays = lowest - cost >= _ASCENT_GAIN * (null_cost - cost)
            if not pays or max(state.shape) > _MAX_CLUSTERS // 2:
                return
            lowest = cost
            for side in self.large:
                self._split(state, side, state.shape[side])
                for _ in range(_N_CLOSE_SWEEPS):
                    self._sweep_close_clusters(state, side)

    # Regions

    def regions(self, state):
        """Settle one region of close clusters after the other, several times over."""
        state = state.copy()
        for _ in range(_N_REGION_PASSES):
            side = self.rng.choice(self.large or SIDES)
            self._refine_small_sides(state)
            labels = state.labels[side].copy()
            n_clusters = state.shape[side]
            self.check_time()
            pools = self.run(
                partial(settle_region, state, side, region, rng)
                for region, rng in close_regions(state, side, self.rng)
            )
            for pool in pools:
                if pool is not None:
                    labels[pool.values] = n_clusters + pool.parts
                    n_clusters += int(pool.parts.max()) + 1
            state.relabel(side, labels)
            self._sweep_all(state, 1 - side)
            state.merge()
            self._keep(state)
        for side in self.large:
            self._sweep_close_clusters(state, side)
        self._keep(state)

    # V-cycles and crossings

    def v_cycle(self, state, *, of_all=False):
        """Split some clusters of one side of a grid, or all, and merge again."""
        state = state.copy()
        side = self.rng.choice(self.large or SIDES)
        n_before = list(state.shape)
        n_splits = self.rng.choice(_N_SPLITS)
        if of_all:
            n_splits = max(min(n_before[side], _MAX_CLUSTERS - n_before[side]), 0)
        self._split(state, side, n_splits)
        if self.large:
            self._refine_small_sides(state)
            self._sweep_all(state, side)
        self._come_down(state, [side], n_before)

    def crossing(self, one, other):
        """Come down from the largest clusters that two grids have in common."""
        ratio = self.rng.choice(_CROSSING_RATIOS)
        n_before = np.minimum(one.shape, other.shape)
        state = one.copy()
        for side in self.large:
            n_clusters = ratio * max(one.shape[side], other.shape[side])
            labels = self._meet(one.labels[side], other.labels[side], n_clusters)
            state.relabel(side, labels)
        self._refine_small_sides(state)
        for _ in range(2):
            for side in self.large:
                self._sweep_all(state, side)
        self._come_down(state, self.large, n_before)

    def _meet(self, one, other, n_clusters):
        """The largest `n_clusters` of the meet; the values of others at random."""
        pairs = one.astype(np.int64) * (int(other.max()) + 1) + other
        _, labels, sizes = np.unique(pairs, return_inverse=True, return_counts=True)
        largest = np.argsort(-sizes, kind="stable")[:n_clusters]
        number = np.full(len(sizes), -1)
        number[largest] = np.arange(len(largest))
        labels = number[labels]
        homeless = labels < 0
        labels[homeless] = self.rng.integers(0, len(largest), homeless.sum())
        return labels

    def _come_down(self, state, sides, n_before):
        """Settle and merge some sides until below the numbers of clusters before."""
        lowest = np.inf
        while True:
            self._settle(state, n_rounds=1, n_turns=5)
            cost = self._keep(state)
            lowest = min(lowest, cost)
            few = [max(_LADDER_RATIO * n_before[side] - 1, 2) for side in sides]
            steps = [
                side
                for side, fewest in zip(sides, few, strict=True)
                if state.shape[side] >= fewest
            ]
            if not steps or cost > lowest:
                return
            for side in steps:
                # Near the number of clusters before, one merge at a time.
                j = state.shape[side]
                target = j - 1
                if j > n_before[side] + 3:
                    target = min(target, int(j * _LADDER_RATIO) + 1)
                state.merge_down(side, target)

    def _split(self, state, side, n_splits):
        """Split up to `n_splits` clusters of one side, each in two random halves."""
        rng = self.rng
        j = state.shape[side]
        labels = state.labels[side].copy()
        jobs = []
        for cluster in rng.permutation(j)[:n_splits]:
            members = rng.permutation(np.flatnonzero(labels == cluster))
            if len(members) >= 2:
                new = j + len(jobs)
                labels[members[: len(members) // 2]] = new
                jobs.append((members, np.array([cluster, new])))
        state.relabel(side, labels)
        margin = np.empty(self.n_values[side])
        for _ in range(4):
            self.check_time()
            if state.sweep(side, jobs, margin) == 0.0:
                break
        state.drop_empty()

    # Resplits

    def resplits(self, state):
        """Pool close clusters of one side and divide them anew, many times over."""
        state = state.copy()
        cost = self._keep(state)
        side = self.rng.choice(self.large or SIDES)
        room = np.empty(self.n_values[side])
        for _ in range(_N_RESPLITS):
            self.check_time()
            pooled, parts = _RESPLITS[self.rng.choice(4, p=_RESPLIT_WEIGHTS)]
            if state.shape[side] <= pooled:
                continue
            labels = self._resplit(state, side, pooled, parts, room)
            if labels is not None:
                other = state.copy()
                other.relabel(side, labels)
                self._settle(other, n_rounds=1, n_turns=3)
                if self._keep(other) < cost:
                    state, cost = other, self.best_cost

    def shake(self, state):
        """Make V-cycles of a grid, and resplit the best that one came down to.

        What a V-cycle of a good grid comes down to costs more at first: on nine columns
        of Adult 153 of 160 did, and 123 after three rounds of resplits. These take most
        of the time, and gain little on a grid that costs much more.
        """
        both = len(self.large) == len(SIDES)
        n_v_cycles, of_all = _SHAKES_OF_TWO_LARGE_SIDES if both else _SHAKES
        for _ in range(n_v_cycles):
            self.v_cycle(state, of_all=self.rng.random() < of_all)
        for _ in range(_N_SHAKEN_RESPLITS):
            self.resplits(self.best)

    def _resplit(self, state, side, n_pooled, n_parts, margin):
        """Labels of one side where that seems to lower the cost, or None."""
        rng = self.rng
        j = state.shape[side]
        first = rng.integers(j)
        closest = np.argsort(state.merge_costs_of(side, first), kind="stable")
        others = rng.choice(closest[: min(_N_CLOSEST, j - 1)], n_pooled - 1, False)
        pool = PooledClusters(state, side, [first, *others], n_parts)
        if len(pool.values) < n_parts:
            return None
        values = rng.permutation(pool.values)
        pool.divide(values)
        for sweep in range(_MAX_RESPLIT_SWEEPS):
            if sweep > 1:
                values = values[margin[values] < _RESPLIT_CLOSE_CALL]
            if len(values) == 0 or pool.sweep(values, margin) > -_ROUND_GAIN / 2:
                break
        return pool.labels() if pool.change() < 0.0 else None

    # Sweeps and merges

    def settle(self, state):
        """Move values and merge clusters of a grid, from its finest small sides."""
        state = state.copy()
        self._refine_small_sides(state)
        self._settle(state, n_rounds=1, n_turns=6)
        self._keep(state)

    def _settle(self, state, *, n_rounds, n_turns):
        """Move values and merge clusters while the cost falls.

        Each round sweeps all values once, then up to `n_turns` times the close calls
        alone, and merges.
        """
        for _ in range(n_rounds):
            margins = {}
            gain = 0.0
            for side in SIDES:
                margins[side], change = self._sweep_all(state, side)
                gain += change
            for _ in range(n_turns):
                change = sum(
                    self._sweep_close_calls(state, side, margins[side])
                    for side in SIDES
                )
                gain += change
                if change > -_ROUND_GAIN:
                    break
            gain += state.merge()
            if gain > -5 * _ROUND_GAIN:
                break

    def _sweep_all(self, state, side):
        self.check_time()
        n = self.n_values[side]
        margin = np.empty(n)
        values = self._shuffled(np.arange(n))
        change = state.sweep(side, [(values, np.arange(state.shape[side]))], margin)
        state.drop_empty()
        return margin, change

    def _shuffled(self, values):
        """Values in runs of neighbours, which are near in memory; runs in any order."""
        starts = _RUN * self.rng.permutation(-(-len(values) // _RUN))
        places = (starts[:, np.newaxis] + np.arange(_RUN)).ravel()
        return values[places[places < len(values)]]

    def _sweep_close_clusters(self, state, side, *, n_closest=_N_CLOSEST):
        """Sweep all values of one side, each over the clusters close to its own."""
        self.check_time()
        labels, j = state.labels[side], state.shape[side]
        order = np.argsort(labels, kind="stable")
        first = np.searchsorted(labels[order], np.arange(j + 1))
        jobs = []
        for cluster in self.rng.permutation(j):
            members = order[first[cluster] : first[cluster + 1]]
            costs = state.merge_costs_of(side, cluster)
            costs[cluster] = -np.inf
            candidates = np.argsort(costs, kind="stable")[: n_closest + 1]
            jobs.append((self.rng.permutation(members), candidates))
        state.sweep(side, jobs, np.empty(len(labels)))
        state.drop_empty()

    def _sweep_close_calls(self, state, side, margin):
        if side in self.large:
            values = self._shuffled(np.flatnonzero(margin < _CLOSE_CALL))
        else:
            values = self.rng.permutation(len(margin))
        change = state.sweep(side, [(values, np.arange(state.shape[side]))], margin)
        state.drop_empty()
        return change


def _frequent_values(values):
    """The most frequent values of a side, up to a share of the observations."""
    order = np.argsort(-values.total / values.size, kind="stable")
    held = np.cumsum(values.total[order])
    n_frequent = np.searchsorted(held, _FREQUENT_SHARE * held[-1]) + 1
    return order[:n_frequent]
