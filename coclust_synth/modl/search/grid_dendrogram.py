"""Every level of a grid's hierarchy, also the finer ones, which are made on demand."""

from dataclasses import dataclass, field, fields

import numpy as np

from coclust_synth.modl.grid.contingency import Contingency
from coclust_synth.modl.grid.dendrogram import Cut, Hierarchy
from coclust_synth.modl.grid.grid import Grid
from coclust_synth.modl.search.clock import Clock
from coclust_synth.modl.search.refine import refine


@dataclass(frozen=True, eq=False)
class GridHierarchy(Hierarchy):
    """The hierarchy of the best grid, which can be cut above and below it.

    The arrays of `Hierarchy` are those of the best grid and of its merges. What is
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
        """Build the hierarchy of a grid.

        Parameters
        ----------
        contingency : Contingency
        grid : Grid
            The best grid.
        seed : int or numpy.random.SeedSequence
        rows : ndarray of int64, shape (n,), optional
            Row of the contingency table of each individual; by default each row once.
        """
        best = Hierarchy.from_grid(contingency, grid)
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
        return self._of_individuals(cut.coarser(cut.hierarchy.step_at(**asked)))

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
        return Cut(cut.row_labels[self.rows], cut.column_labels, cut.hierarchy)
