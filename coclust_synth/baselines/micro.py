"""MICRO: the thesis's microaggregation, in the clusters of a co-clustering."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from coclust_synth.generators.individual_clusters import ClusteredRows
from coclust_synth.generators.kanon.anonymizer import KAnonymizer, Recoded
from coclust_synth.modl.estimator import MODLCoclustering
from coclust_synth.modl.fitted import check_given, coclustering_of
from coclust_synth.modl.search.clock import Clock
from coclust_synth.modl.search.loop import DEFAULT_ITERATIONS
from coclust_synth.tables.column import ORDERED_KINDS
from coclust_synth.tables.generalized.column import GeneralizedColumn
from coclust_synth.tables.generalized.leaf_coding import LeafCoding
from coclust_synth.validation import Seed, check_integer, check_search


@dataclass(eq=False, repr=False, kw_only=True)
class MicroAnonymizer(KAnonymizer):
    """k-anonymous tables of the most frequent part of each column in each cluster.

    The classes are the clusters of a co-clustering, at the finest level whose clusters
    all hold k. In each column all rows of a cluster get the same label: the part (an
    interval of numbers or a category) that most of its rows are in; of equally frequent
    parts the first. A label stands for the values of the table that are in the part.

    Rows in other parts are perturbed: their labels do not stand for their values, and
    what is rare in every cluster is lost. This is what the thesis calls MICRO, as there
    is no microaggregation of categories; it is not MDAV. What the rows of a class have
    in common is not protected. Nor is it protected that a value occurs: the leaves of
    ``release_``, which are written with it, are all values of the table.

    Parameters
    ----------
    k : int
        Rows of each class, at least, and with `person_id` different persons; from 2 to
        their number.
    quasi_identifiers, sensitive, sensitive_values, others, person_id
        As of `HybridKAnonymizer`.
    model : MODLCoclustering, optional
        Fitted to these rows; by default one is fitted to the quasi-identifiers. A saved
        model cannot be used, as it holds no rows.
    bins : int, default=10
        Intervals of numeric columns in the co-clustering that is fitted.
    n_iterations, time_limit, n_jobs, random_state, callback
        Those of `HybridKAnonymizer`.

    Attributes
    ----------
    release_, classes_, report_, roles_
        As of `KAnonymizer`. Nothing is suppressed.
    coclustering_ : MODLCoclustering
        Confidential.
    cut_short_ : tuple of str
        What there was no time to complete: "search" or "splits".

    References
    ----------
    T. Benkhelif, "Publication de donnees personnelles respectueuse de la vie privee",
    PhD thesis, Universite de Nantes, 2018, chapter 4, evaluation.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"pet": list("aabbcc") * 4, "food": list("xxxxyy") * 4})
    >>> anonymizer = MicroAnonymizer(k=12, n_iterations=3, random_state=0)
    >>> anonymizer.fit_transform(table).to_frame().drop_duplicates()
      pet food
    0   a    x
    """

    model: MODLCoclustering | None = None
    bins: int = 10
    n_iterations: int = DEFAULT_ITERATIONS
    time_limit: float | None = None
    n_jobs: int | None = None
    random_state: Seed = None
    callback: Callable[..., object] | None = None

    def _check_options(self):
        check_integer("bins", self.bins, minimum=1)
        check_search(self.n_iterations, self.time_limit, self.n_jobs, self.random_state)
        check_given(self.model)

    def _recode(self, people):
        clock = Clock(self.time_limit)
        model = coclustering_of(
            people.values,
            people.asked,
            self.model,
            clock,
            bins=self.bins,
            n_iterations=self.n_iterations,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
            callback=self.callback,
        )
        cut = model.dendrogram_.cut(k=self.k, clock=clock)
        self.coclustering_, self.cut_short_ = model, tuple(clock.cut_short)
        rows = ClusteredRows.of_cut(
            people.values, model.coding_, cut, people.persons
        ).even_cut(self.k)
        classes = np.unique(rows.row_labels, return_inverse=True)[1]
        coding = LeafCoding.learn(
            people.values, people.asked, parts=model.coding_, part_codes=rows.part_codes
        )
        columns = tuple(
            GeneralizedColumn.from_members(
                column.name,
                own.leaves,
                column.kind in ORDERED_KINDS,
                _most_frequent(part, codes, classes),
                classes,
                None,
                own.texts,
            )
            for column, own, part, codes in zip(
                coding.columns,
                coding.leaves,
                coding.groups,
                coding.leaf_codes.T,
                strict=True,
            )
        )
        return Recoded(columns, classes)


def _most_frequent(part, codes, classes):
    """Leaves of each class's most frequent part, bool (n_classes, n_leaves).

    `part` is that of each leaf; missing values, where they are no part, have -1 and are
    one all the same, after the others.
    """
    own = np.unique(np.where(part < 0, part.max() + 1, part), return_inverse=True)[1]
    shape = (int(classes.max()) + 1, int(own.max()) + 1)
    counts = np.zeros(shape, dtype=np.int64)
    np.add.at(counts, (classes, own[codes]), 1)
    return own == counts.argmax(axis=1)[:, np.newaxis]
