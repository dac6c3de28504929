"""k-anonymous tables: rows in classes of at least k, each under one cover."""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from coclust_synth.generators.kanon.classes.costs import OBJECTIVES
from coclust_synth.generators.kanon.classes.dividing.dividing import can_divide, divide
from coclust_synth.generators.kanon.classes.forming import (
    RecordClasses,
    class_forms,
    cover_classes,
)
from coclust_synth.generators.kanon.coclustered import CoclusterKAnonymizer, Covering
from coclust_synth.generators.kanon.counted import CountedRelease, write_release
from coclust_synth.generators.kanon.dealing import Deal
from coclust_synth.privacy.classes import code_values
from coclust_synth.scale.engines import open_source
from coclust_synth.tables.files import atomic_folder, check_folder
from coclust_synth.tables.generalized.leaf_coding import LeafCoding
from coclust_synth.tables.schema import Schema
from coclust_synth.validation import check_choice

_LARGER = 4  # times as many persons in a class, each time that classes are formed anew


@dataclass(eq=False, repr=False, kw_only=True)
class HybridKAnonymizer(CoclusterKAnonymizer):
    """k-anonymous tables from a MODL co-clustering of individuals and parts.

    Rows are gathered in classes of at least k rows. In each quasi-identifier all rows
    of a class get the same label, which stands for a set of original values. Every
    combination of labels in the released table is therefore that of k rows or more,
    whatever the labels are (k-anonymity, Samarati and Sweeney 1998).

    Classes start as clusters of individuals of the co-clustering: the finest uneven cut
    of its dendrogram, in which each branch goes down as long as its clusters hold k. Or
    they start as boxes, cut along one column at a time, if these are nearer to the
    table and lose less. Larger classes are cut into classes of k rows. Rows then move
    between classes as long as the joint distributions of the release come nearer to
    those of the table, by an approximation; see
    `coclust_synth.generators.kanon.classes.forming` for the objective. If there are few
    combinations of values, of many rows each, equal rows may then be divided among
    classes, by the joint distribution itself; see
    `coclust_synth.generators.kanon.classes.dividing`. No step goes below k.

    If a person can have several rows, k rows may be those of fewer than k persons. Name
    the column of the persons: every class then has rows of k different persons, and
    models count persons, see `coclust_synth.privacy.models.sensitive`. How many rows a
    person has, and that several rows are the same person's, is not hidden: whoever
    knows all rows of somebody can look for classes that fit all of them.

    k-anonymity keeps somebody who knows the quasi-identifiers of a person from telling
    the person's row from k - 1 others. It does not protect what all rows of a class
    share: ask for `models` on sensitive columns. It does not protect columns that are
    released as they are and can be known from elsewhere, nor people who are in several
    releases. The choice of labels depends on the rows.

    Parameters
    ----------
    k : int
        Rows of each class, at least, and with `person_id` different persons; from 2 to
        their number.
    quasi_identifiers : sequence of str, optional
        Columns to generalise. By default those whose role in the schema says so, or
        else every column that is neither sensitive nor an identifier.
    sensitive : sequence of str, optional
        Columns that nobody should learn; by default those of the schema.
    truthful : bool, default=False
        Whether each label stands for all values of its class, as in a generalisation.
        Otherwise it stands for those that keep the distributions best, and rows with
        other values are perturbed.
    intervals : bool, default=False
        Whether labels of numeric, date and ordinal columns are intervals; otherwise
        sets of values or of runs. If such a column has more than 128 values, classes
        are formed by groups of neighbouring values, and its labels are truthful: the
        values of the class, or with intervals from its least to its greatest.
    objective : {"both", "distance", "loss"}, default="both"
        What starting classes are chosen for: small distance from the joint
        distributions, labels of few of a column's values, or both. From there rows move
        to reduce the distance, and large classes are cut anew if that costs less.
    models : sequence of (column or None, PrivacyModel)
        What must hold for each class in addition to k: models of
        `coclust_synth.privacy` on one sensitive column, or on each of them;
        `DeltaPresence`, `KMap` and `Sampled` with None. Classes that fail are merged.
        If nothing may be suppressed, classes of 4 k, 16 k … rows are tried as well,
        since they fail less often, and the classes that lose least are released.
    population : DataFrame or path, optional
        The people whom the table is a part of, for `DeltaPresence` and `KMap`.
    max_suppressed : float, default=0
        Share of the rows that may be suppressed rather than merged if models fail. They
        are released with ``*``, which stands for all values, in every quasi-identifier.
        Together they are a class of k or more, for which the models hold too. Nothing
        is suppressed for k alone.
    sensitive_values : str or mapping of column name to str, default="keep"
        "keep": sensitive values stay with their rows. "shuffle": they are shuffled
        inside their class, so that several columns are no longer linked. "class",
        "table": they are drawn from the values of the class, or from those of the
        table. These draws use the system's entropy, since whoever knew a seed could
        undo them. "means": numbers become means of groups of k near numbers of the
        table, each column by itself (see `coclust_synth.privacy.means`); other values
        are kept. A mapping says so by column. Models are enforced on the original
        values; only "keep" and "shuffle" release just these.
    others : {"drop", "keep"}, default="drop"
        What is done with columns that are neither quasi-identifiers nor sensitive.
        Identifiers are always dropped.
    person_id : str, optional
        Column that names the person of each row; never released. By default each row
        is a person.
    hierarchies : mapping of column name to GeneralizationHierarchy, optional
        Labels of these columns are nodes: the lowest that covers the values.
    model : PlainModel or MODLCoclustering, optional
        A fitted model of the quasi-identifiers; by default one is fitted.
    bins : int, default=10
        Intervals of numeric columns in the co-clustering that is fitted.
    n_iterations, n_jobs, random_state, callback
        Those of `MODLCoclustering`.
    time_limit : float, optional
        Seconds: three quarters for the search, the rest for finer clusters and moves of
        rows. Starting classes, models and labels are always completed.

    Attributes
    ----------
    release_ : GeneralizedTable
        Rows are sorted by labels, then by values, so that their order shows nothing of
        that of the table.
    classes_ : ndarray of int64, shape (n,)
        Class of each row of the table given; -1 if it is suppressed. Confidential.
    report_ : ReleaseReport
    roles_ : Roles
    coclustering_ : MODLCoclustering or PlainModel
        The model that classes started from. Confidential.
    hierarchies_ : dict of str to GeneralizationHierarchy
        Hierarchies of the columns whose labels are nodes.
    cut_short_ : tuple of str
        What there was no time to complete: "search", "splits" or "moves" of rows.

    References
    ----------
    T. Benkhelif, "Publication de donnees personnelles respectueuse de la vie privee",
    PhD thesis, Universite de Nantes, 2018, chapter 4.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"pet": list("aabbcc") * 4, "food": list("xxxxyy") * 4})
    >>> anonymizer = HybridKAnonymizer(k=12, n_iterations=3, random_state=0)
    >>> anonymizer.fit_transform(table).class_sizes.tolist()
    [24]
    """

    truthful: bool = False
    intervals: bool = False
    objective: str = "both"

    def fit_write(
        self, source: Any, out: str | os.PathLike[str], schema: Schema | None = None
    ) -> CountedRelease:
        """Release a table that an engine counts, as a folder of Parquet files.

        Classes are formed from the distinct rows, labels are joined to the rows, and
        rows and classes are counted again on the files before the folder gets its
        name. Rows come in the order of their labels; ``_labels.json`` says what these
        stand for. What `fit` learns is not set: the rows are not here.

        Parameters
        ----------
        source : what `coclust_synth.scale.open_source` takes
            A folder of Parquet files, a table of ibis, or another. It must not change
            meanwhile.
        out : path
            A folder that is not there, or is empty.
        schema : Schema, optional
            What is known of the columns.

        Returns
        -------
        CountedRelease

        Raises
        ------
        ParameterError, TableError, SchemaError
            Before the search; TableError also where the files do not hold the rows
            that were counted, in classes of k. There is no folder then.
        OutputError
            If it cannot be written, or holds files.
        """
        check_folder(out, False, lambda name: False)
        with atomic_folder(out) as folder:
            return write_release(self, open_source(source), folder, schema)

    def _check_options(self):
        check_choice("objective", self.objective, OBJECTIVES)
        super()._check_options()

    def _cut(self, dendrogram, clock):
        return dendrogram.best()

    def _covering(self, people, rows):
        coding = LeafCoding.learn(people.values, people.asked)
        is_interval = coding.is_ordered & self.intervals
        # Where labels are wider than the values that a class holds, nearness is all.
        is_wider = is_interval | (self.population is not None)
        is_wider |= np.isin(
            [c.name for c in coding.columns], [*(self.hierarchies or ())]
        )
        return Covering(
            coding,
            is_interval,
            coding.is_grouped | self.truthful,
            rows.uneven_cut(self.k),
            np.where(is_wider, 1.0, coding.repeats),
        )

    def _forms(self, problem, clusters, clock):
        return class_forms(
            problem,
            clusters,
            seed=self.random_state,
            objective=self.objective,
            clock=clock,
        )

    def _divide(self, people, coding, problem, formed, clock):
        if self.population is not None or not can_divide(problem):
            return coding, problem, formed
        own = divide(problem, formed, objective=self.objective, clock=clock)
        # Rows are drawn in the order of what is released of them: that of the table,
        # which may be known, tells nothing.
        names = (*people.roles.sensitive, *people.roles.others)
        values = [code_values(people.frame[name]).codes for name in names]
        order = np.lexsort([*coding.leaf_codes.T, *values])
        coding = coding.in_pieces(own.record, own.weight, self.random_state, order)
        return coding, own.of(problem), RecordClasses(own.label, own.kept)

    def _larger_starts(self, rows):
        k = _LARGER * self.k
        while k <= rows.n_persons // 2:
            yield k, rows.uneven_cut(k)
            k *= _LARGER

    def _deals(self, problem, on_sensitive, record_of_row):
        wanted = [own for own in on_sensitive if not own.grows]
        if not wanted:
            return  # near classes come to hold by merging, with fewer rows
        deal = Deal(problem, wanted, record_of_row, self.objective)
        n_classes, n_rows = 2, problem.weight.sum()
        while 2 * self.k * n_classes <= n_rows:
            yield cover_classes(problem, deal.classes(n_classes))
            n_classes += max(1, n_classes // 2)

    def _leaf_sets(self, coding, kept, classes):
        if self.population is not None:  # presence was enforced under wider labels
            return coding.leaf_sets(kept)
        return coding.held_sets(kept, classes, intervals=self.intervals)
