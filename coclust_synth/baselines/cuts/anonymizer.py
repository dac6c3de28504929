"""k-anonymous tables by cuts: nodes of several levels of a hierarchy in a column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coclust_synth.baselines.class_labels import node_column
from coclust_synth.baselines.cuts.searches import bottom_up, top_down
from coclust_synth.baselines.cuts.table import CutTable
from coclust_synth.baselines.cuts.worth import information, loss
from coclust_synth.baselines.targets import check_target, check_target_name
from coclust_synth.generators.kanon.anonymizer import KAnonymizer, Recoded
from coclust_synth.privacy.classes import code_values, count_matrix
from coclust_synth.privacy.models.base import PrivacyModel
from coclust_synth.privacy.models.sensitive import check_models, models_of_classes
from coclust_synth.tables.generalized.covering import hierarchies_of_all
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.validation import check_choice

SEARCHES = {"top_down": top_down, "bottom_up": bottom_up}


@dataclass(eq=False, repr=False, kw_only=True)
class CutAnonymizer(KAnonymizer):
    """k-anonymous tables by nodes of hierarchies, on several levels of a column.

    Each value of a column is released, in all rows, as one node above it or as itself.
    So are all other values under that node. Rare values can therefore be grouped while
    frequent ones are kept; `LatticeAnonymizer` cannot do this, as its nodes are of one
    level. The cuts are found step by step and are not proven to be the best. With a
    target they are chosen to predict it.

    `HybridKAnonymizer` says what k-anonymity leaves unprotected. Nothing is suppressed.

    Parameters
    ----------
    k : int
        Rows of each class, at least, and with `person_id` different persons; from 2 to
        their number.
    hierarchies : mapping of column name to GeneralizationHierarchy
        One for every quasi-identifier; heights can differ.
    search : {"top_down", "bottom_up"}, default="top_down"
        ``"top_down"``: top-down specialisation (TDS), from the roots to children as
        long as k and the models hold. Each step is the one that adds most information
        about the target, for each row by which the smallest class shrinks.
        ``"bottom_up"``: bottom-up generalisation (BUG), from the values to parents
        until k and the models hold. Each step is the one that loses least information,
        for each row by which the smallest class grows.
    target : str, optional
        A column that is no quasi-identifier, whose values classes should tell apart; a
        missing value counts as one. Its distribution shows in the labels: if it is
        sensitive, name it as such. By default cells should stand for few values: the
        loss is used instead of the information.
    models : sequence of (column or None, PrivacyModel)
        What must hold for each class in addition to k: models of
        `coclust_synth.privacy` on one sensitive column, or on each of them; not
        `DeltaPresence`. Steps are scored by rows alone, whatever the models and the
        persons.
    quasi_identifiers, sensitive, sensitive_values, others, person_id
        As of `HybridKAnonymizer`.

    Attributes
    ----------
    release_, classes_, report_, roles_
        As of `KAnonymizer`.
    cuts_ : dict of str to tuple of str
        Nodes that the values of each quasi-identifier are released as, in the order of
        their first values, including nodes that no row has.
    steps_ : tuple of (str, str)
        Column and node that was specialised, or generalised to, in order.

    Notes
    -----
    With a target, a node whose rows all have one value of it is not specialised, as
    this would add nothing about the target [1]_. For other uses such a release loses
    more than necessary.
    Rows are gathered once, and every step looks at their distinct combinations: the
    48,842 rows of UCI Adult in eight columns take .1 to .3 CPU seconds.

    References
    ----------
    .. [1] B. C. M. Fung, K. Wang and P. S. Yu, "Anonymizing classification data for
       privacy preservation", IEEE TKDE 19(5), 2007.
    .. [2] K. Wang, P. S. Yu and S. Chakraborty, "Bottom-up generalization: a data
       mining solution to privacy protection", ICDM 2004.

    Examples
    --------
    >>> import pandas as pd
    >>> from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
    >>> lines = [("cook", "food", "*"), ("baker", "food", "*"), ("smith", "metal", "*")]
    >>> work = GeneralizationHierarchy.from_lines("work", lines)
    >>> table = pd.DataFrame({"work": ["cook", "smith", "baker", "smith"]})
    >>> anonymizer = CutAnonymizer(k=2, hierarchies={"work": work}).fit(table)
    >>> anonymizer.cuts_, anonymizer.steps_
    ({'work': ('food', 'smith')}, (('work', '*'), ('work', 'metal')))
    """

    hierarchies: Mapping[str, GeneralizationHierarchy]
    search: str = "top_down"
    target: str | None = None
    models: Sequence[tuple[str | None, PrivacyModel]] = ()

    def _check_options(self):
        check_choice("search", self.search, SEARCHES)
        check_target_name(self.target)
        check_models(self.models)

    def _recode(self, people):
        names, frame = people.roles.quasi_identifiers, people.frame
        hierarchies = hierarchies_of_all(self.hierarchies, frame, names)
        if self.target is not None:
            check_target(self.target, people, self.person_id)
        models = models_of_classes(people, self.models, self.k)
        leaf_codes = [
            hierarchy.leaf_codes(frame[name])
            for name, hierarchy in zip(names, hierarchies, strict=True)
        ]
        table = CutTable.of(leaf_codes, hierarchies, models)
        worth = self._worth(table, leaf_codes, frame)
        cuts, steps, classes = SEARCHES[self.search](table, worth, self.k)
        labels = [tree.labels for tree in table.trees]
        self.steps_ = tuple((names[j], labels[j][node]) for j, node in steps)
        self.cuts_, columns = {}, []
        not_suppressed = np.zeros(len(frame), dtype=bool)
        for j, (name, hierarchy) in enumerate(zip(names, hierarchies, strict=True)):
            nodes = np.unique(cuts[j])
            nodes = nodes[np.argsort(table.trees[j].first[nodes])]
            self.cuts_[name] = tuple(labels[j][node] for node in nodes)
            place = np.empty(table.trees[j].n_nodes, dtype=np.int64)
            place[nodes] = np.arange(len(nodes))
            columns.append(
                node_column(
                    name,
                    hierarchy,
                    leaf_codes[j],
                    place[cuts[j]],
                    self.cuts_[name],
                    not_suppressed,
                )
            )
        return Recoded(tuple(columns), classes[table.inverse])

    def _worth(self, table, leaf_codes, frame):
        """What the children of each node tell, by column."""
        if self.target is None:
            return [
                loss(tree, np.bincount(codes, minlength=tree.n_leaves))
                for tree, codes in zip(table.trees, leaf_codes, strict=True)
            ]
        target = code_values(frame[self.target])
        return [
            information(
                tree,
                count_matrix(codes, target.codes, (tree.n_leaves, len(target.values))),
            )
            for tree, codes in zip(table.trees, leaf_codes, strict=True)
        ]
