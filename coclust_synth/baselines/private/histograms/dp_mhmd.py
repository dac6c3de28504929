"""DP-MHMD: contingency tables of declared groups of columns, and rows of them all."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.domain_synthesizer import DomainSynthesizer, check_budget
from coclust_synth.generators.dp.workload import as_workload
from coclust_synth.generators.draws import drawn_given, project_to_simplex
from coclust_synth.generators.release_plan import (
    make_plan,
    planned_counts,
    planned_error,
)

_MAX_CELLS = 2**20  # of a group


@dataclass(eq=False, repr=False, kw_only=True)
class DPMHMD(DomainSynthesizer):
    """Rows drawn from noisy contingency tables of groups of columns that overlap.

    epsilon-differentially private for the table's persons (see `PrivacyLedger` for what
    that leaves out). Which columns are a group is declared, as public knowledge; others
    are a group each, of weight 1. The columns of a group are counted together, with a
    share of epsilon by its weight. Rows are drawn group after group, in the order that
    is declared: of each the columns that no group before it holds, given those that
    one does.

    This is what of the method is private as it was described. There, records that lie
    far off are dropped first, and tests of independence on the records form the groups:
    both look at the rows, and nothing pays for it. How rows of several groups are made
    one is not in the description, and is this project's.

    **Sensitivity.** A row is in one cell of each contingency table: 1 for each.

    Parameters
    ----------
    epsilon : float
        Above 0.
    domain : Domain, path or mapping
    workload : path, or sequence of mapping, optional
        The groups: a TOML file as `coclust_synth.generators.dp.workload` has it, or the
        mappings that stand in it. Without, each column is drawn on its own.
    neighbours : {"add-remove", "replace"}, default="add-remove"
    rows_per_person : int, default=1

    Attributes
    ----------
    groups_ : list of tuple of str
        Columns of each group, those that groups before it hold first.
    ledger_ : PrivacyLedger
    counts_ : list of ndarray of float64
        Expected rows of each cell of each group, an axis for each of its columns,
        projected to sum to the number of rows.
    n_rows_ : int
        Noisy number of rows: the sums of all groups, the smaller ones counting more.

    References
    ----------
    H. Roy, M. Kantarcioglu, L. Sweeney, "Practical differentially private modeling of
    human movement data", DBSec 2016, as T. Benkhelif tells it, 2018, chapter 5, 2.2.6.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"sex": ["F", "M"] * 500, "smokes": ["no", "yes"] * 500})
    >>> domain = {"sex": ["F", "M"], "smokes": ["no", "yes"]}
    >>> groups = [{"columns": ["sex", "smokes"]}]
    >>> generator = DPMHMD(1.0, domain, workload=groups).fit(table)
    >>> generator.groups_, generator.ledger_.remaining
    ([('sex', 'smokes')], 0.0)
    """

    workload: str | os.PathLike[str] | Sequence[Mapping[str, Any]] | None = None

    def _check(self):
        self._groups, sizes = list(self._ordered()), self.domain_.sizes
        most = max(prod(sizes[j] for j in columns) for columns, _, _ in self._groups)
        if most > _MAX_CELLS:
            raise ParameterError(
                f"Expected groups of at most {_MAX_CELLS:,} cells. Received one of "
                f"{most:,}. Name fewer columns in it."
            )
        least = min(share for _, _, share in self._groups)
        check_budget(self.epsilon, None, 0.9 * least)

    def _ordered(self):
        """Columns of each group, how many of them come before, and share of epsilon."""
        names, sets = self.domain_.names, ()
        if self.workload is not None:
            sets = as_workload(self.workload, None, names).sets
        alone = set(range(len(names))).difference(*(members for members, _ in sets))
        sets += tuple((frozenset([j]), 1) for j in sorted(alone))
        total, before = sum(weight for _, weight in sets), frozenset()
        for members, weight in sets:
            known = sorted(members & before)
            yield (*known, *sorted(members - before)), len(known), weight / total
            before |= members

    def _cells_of(self, columns):
        return tuple(self.domain_.sizes[j] for j in columns)

    def _told(self, columns):
        return " × ".join(self.domain_.names[j] for j in columns)

    def _plan(self, n_rows, ledger):
        queries, errors = [], []
        for columns, _, share in self._groups:
            what, cost = self._told(columns), share * ledger.total
            n_cells = prod(self._cells_of(columns))
            queries.append(planned_counts(ledger, f"counts of {what}", n_cells, cost))
            noise = ledger.count_noise(cost)
            errors.append(planned_error(what, n_cells, noise, n_rows))
        return make_plan(ledger, n_rows, "margins", queries, errors)

    def _measure(self, codes, ledger):
        noisy, left = [], 1.0
        for columns, _, share in self._groups:
            shape = self._cells_of(columns)
            cells = np.ravel_multi_index(tuple(codes[:, j] for j in columns), shape)
            counts = np.bincount(cells, minlength=prod(shape))
            cost = ledger.remaining * min(share / left, 1.0)
            what = f"counts of {self._told(columns)}"
            noisy.append(ledger.noisy_counts(counts, cost=cost, what=what))
            left -= share
        # The variance of a sum of noisy counts is as the number of them.
        weights = [share**2 / prod(self._cells_of(c)) for c, _, share in self._groups]
        n_rows = max(
            0, round(np.average([own.sum() for own in noisy], weights=weights))
        )
        self.groups_ = [
            tuple(self.domain_.names[j] for j in columns)
            for columns, _, _ in self._groups
        ]
        self.counts_ = [
            project_to_simplex(own, max(n_rows, 1)).reshape(self._cells_of(columns))
            for own, (columns, _, _) in zip(noisy, self._groups, strict=True)
        ]
        return n_rows

    def _draw(self, n, rng):
        codes = np.zeros((n, len(self.domain_.sizes)), dtype=np.int32)
        for (columns, n_known, _), counts in zip(
            self._groups, self.counts_, strict=True
        ):
            known, new = columns[:n_known], columns[n_known:]
            if not new:
                continue
            shape = self._cells_of(known)
            given = np.zeros(n, dtype=np.int64)
            if known:
                given = np.ravel_multi_index(tuple(codes[:, j] for j in known), shape)
            cells = drawn_given(counts.reshape(prod(shape), -1), given, rng)
            drawn = np.unravel_index(cells, self._cells_of(new))
            codes[:, list(new)] = np.column_stack(drawn)
        return codes
