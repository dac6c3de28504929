"""k-anonymous tables by global recoding: one level of a hierarchy for each column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coclust_synth.baselines.class_labels import node_column
from coclust_synth.baselines.lattice.branch_and_bound import branch_and_bound
from coclust_synth.baselines.lattice.lattice import MAX_NODES
from coclust_synth.baselines.lattice.problem import Feasibility, LatticeProblem
from coclust_synth.baselines.lattice.published import (
    datafly,
    flash,
    incognito,
    samarati,
)
from coclust_synth.baselines.lattice.quality import QUALITY
from coclust_synth.baselines.lattice.table import LatticeTable
from coclust_synth.generators.kanon.anonymizer import KAnonymizer, Recoded
from coclust_synth.privacy.models.base import PrivacyModel
from coclust_synth.privacy.models.sensitive import check_models, models_of_classes
from coclust_synth.tables.generalized.covering import hierarchies_of_all
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.validation import (
    check_choice,
    check_integer,
    check_seconds,
    check_share,
)

SEARCHES = {
    "flash": flash,
    "branch_and_bound": branch_and_bound,
    "incognito": incognito,
    "samarati": samarati,
    "datafly": datafly,
}


@dataclass(eq=False, repr=False, kw_only=True)
class LatticeAnonymizer(KAnonymizer):
    """k-anonymous tables by full-domain generalisation along hierarchies.

    All values of a column are released as their nodes on one level of its hierarchy.
    Rows in classes that are too small, or that break a model, are suppressed: released
    as the root in every column. The combinations of levels are the nodes of a lattice.
    The one with the lowest `metric` is found, and proven to be the lowest, as in ARX.
    If the budget of the search ends before, the best node so far is taken, and `bound_`
    says how far from the lowest it can be.

    `HybridKAnonymizer` says what k-anonymity leaves unprotected. Suppressed rows may be
    fewer than k, and no model applies to them, but their sensitive values are released
    like all others. If somebody is in no other class, these are known.

    Parameters
    ----------
    k : int
        Rows of each class, at least, and with `person_id` different persons; from 2 to
        their number.
    hierarchies : mapping of column name to GeneralizationHierarchy
        One for every quasi-identifier; heights can differ.
    search : str, default="flash"
        ``"flash"``, ``"branch_and_bound"`` and ``"incognito"`` find the same optimum.
        Lattices of more than 2^20 nodes are too large for Flash: branch and bound,
        which has no such limit, is used instead. ``"samarati"`` takes the best node of
        the lowest height, ``"datafly"`` generalises the column with most values.
        Neither proves anything: their `bound_` is that of the original values.
    metric : str, default="loss"
        What is minimised: ``"loss"``, ``"loss_arithmetic"``, ``"precision"``,
        ``"dm"``, ``"class_size"``, ``"entropy"`` or ``"normalized_entropy"``; see
        `coclust_synth.baselines.lattice.quality`.
    max_suppressed : float, default=0
        Share of the rows that may be suppressed, in [0, 1].
    models : sequence of (column or None, PrivacyModel)
        What must hold for each class in addition to k: models of
        `coclust_synth.privacy` on one sensitive column, or on each of them; not
        `DeltaPresence`.
    quasi_identifiers, sensitive, sensitive_values, others, person_id
        As of `HybridKAnonymizer`.
    max_checks : int, default=200000
        Nodes that branch and bound looks at, at most; at least 1. Equal budgets give
        equal results. The default takes about a minute on 50,000 rows of 15 columns.
    time_limit : float, optional
        Seconds that branch and bound searches, at most. A run that this ends may give
        another result when it is repeated.

    Attributes
    ----------
    release_, classes_, report_, roles_
        As of `KAnonymizer`.
    node_ : tuple of int
        Level of each quasi-identifier, in the order of ``roles_.quasi_identifiers``.
    score_ : float
        The metric of the released table.
    bound_ : float
        No node has a lower score than this; it is `score_` if the search has finished.
    optimal_ : bool
        Whether the two are equal.
    checks_ : int
        Nodes whose classes were looked at.

    References
    ----------
    See the modules of `coclust_synth.baselines` named as the searches.

    Examples
    --------
    >>> import pandas as pd
    >>> from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
    >>> lines = [("cook", "food", "*"), ("baker", "food", "*"), ("smith", "metal", "*")]
    >>> work = GeneralizationHierarchy.from_lines("work", lines)
    >>> table = pd.DataFrame({"work": ["cook", "smith", "baker", "smith"]})
    >>> anonymizer = LatticeAnonymizer(k=2, hierarchies={"work": work}).fit(table)
    >>> anonymizer.node_, anonymizer.release_["work"].labels
    ((1,), ('food', 'metal'))
    """

    hierarchies: Mapping[str, GeneralizationHierarchy]
    search: str = "flash"
    metric: str = "loss"
    max_suppressed: float = 0.0
    models: Sequence[tuple[str | None, PrivacyModel]] = ()
    max_checks: int = 200_000
    time_limit: float | None = None

    def _check_options(self):
        check_choice("search", self.search, SEARCHES)
        check_choice("metric", self.metric, QUALITY)
        check_share("max_suppressed", self.max_suppressed)
        check_integer("max_checks", self.max_checks, minimum=1)
        check_seconds("time_limit", self.time_limit)
        check_models(self.models)

    def _recode(self, people):
        names, frame = people.roles.quasi_identifiers, people.frame
        hierarchies = hierarchies_of_all(self.hierarchies, frame, names)
        models = models_of_classes(people, self.models, self.k)
        leaf_codes = [
            hierarchy.leaf_codes(frame[name])
            for name, hierarchy in zip(names, hierarchies, strict=True)
        ]
        table = LatticeTable(
            leaf_codes, hierarchies, [(own.codes, own.n_codes) for own in models]
        )
        limit = int(self.max_suppressed * table.n_rows)
        feasibility = Feasibility(self.k, models, limit)
        problem = LatticeProblem(table, feasibility, QUALITY[self.metric](table))
        found = self._search(problem)
        self.node_, self.score_, self.bound_, self.checks_ = found
        self.optimal_ = self.score_ == self.bound_
        classes, of_row = table.class_codes(self.node_)
        kept = ~feasibility.judge(classes).failing
        numbers = np.where(kept, np.cumsum(kept) - 1, -1)
        row_classes = numbers[of_row]
        columns = tuple(
            node_column(
                name,
                hierarchy,
                codes,
                hierarchy.node_of(level),
                hierarchy.labels[level],
                row_classes < 0,
            )
            for name, hierarchy, codes, level in zip(
                names, hierarchies, leaf_codes, self.node_, strict=True
            )
        )
        return Recoded(columns, row_classes)

    def _search(self, problem):
        search = SEARCHES[self.search]
        if search is flash and problem.lattice.n_nodes > MAX_NODES:
            search = branch_and_bound
        if search is not branch_and_bound:
            return search(problem)
        return search(problem, max_checks=self.max_checks, time_limit=self.time_limit)
