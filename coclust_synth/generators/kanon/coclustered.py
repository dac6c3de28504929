"""What k-anonymous tables of a co-clustering share: from clusters to classes."""

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.individual_clusters import ClusteredRows, record_clusters
from coclust_synth.generators.kanon.anonymizer import KAnonymizer, Recoded
from coclust_synth.generators.kanon.classes.forming import (
    RecordClasses,
    class_problem,
    mean_loss,
)
from coclust_synth.generators.kanon.merging import enforce
from coclust_synth.generators.kanon.presence import (
    check_population,
    check_presence,
    presence_models,
    split_presence,
)
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.modl.estimator import MODLCoclustering
from coclust_synth.modl.fitted import check_columns, coclustering_of, is_fitted
from coclust_synth.modl.search.clock import Clock
from coclust_synth.modl.search.loop import DEFAULT_ITERATIONS
from coclust_synth.privacy.models.base import PrivacyModel
from coclust_synth.privacy.models.sensitive import (
    check_models,
    person_models,
    sensitive_models,
)
from coclust_synth.tables.generalized.column import GeneralizedColumn
from coclust_synth.tables.generalized.covering import (
    ALL,
    check_hierarchies,
    covering_nodes,
    leaves_in,
    named_once,
)
from coclust_synth.tables.generalized.leaf_coding import LeafCoding
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.people.people import read_population
from coclust_synth.validation import Seed, check_integer, check_search, check_share

_MAX_COUNTS = 1.5e9  # about 10 GB


class Covering(NamedTuple):
    """How the rows of each cluster are to be covered.

    Attributes
    ----------
    coding : LeafCoding
        Of the quasi-identifiers.
    is_interval, is_truthful : ndarray of bool, shape (d,)
        As of `class_problem`.
    labels : ndarray of int64, shape (n,)
        Cluster of each row.
    repeats : ndarray of float64, shape (d,), optional
        As of `class_problem`.
    """

    coding: LeafCoding
    is_interval: np.ndarray
    is_truthful: np.ndarray
    labels: np.ndarray
    repeats: np.ndarray | None = None


class Held(NamedTuple):
    """Classes for which models hold.

    Attributes
    ----------
    loss : float
    coding : LeafCoding
        Of their records.
    classes : RecordClasses
    suppressed : ndarray of bool, shape (N,)
        Records that are in no class.
    is_as_formed : bool
        Whether nothing was merged or suppressed.
    """

    loss: float
    coding: LeafCoding
    classes: RecordClasses
    suppressed: np.ndarray
    is_as_formed: bool


@dataclass(eq=False, repr=False, kw_only=True)
class CoclusterKAnonymizer(KAnonymizer):
    """Base of the anonymizers whose classes come from the clusters of a co-clustering.

    Parameters
    ----------
    k, quasi_identifiers, sensitive, sensitive_values, others, person_id
        As of `KAnonymizer`.
    models, population, max_suppressed, hierarchies, model
        As of `HybridKAnonymizer`.
    bins, n_iterations, time_limit, n_jobs, random_state, callback
        As of `HybridKAnonymizer`.
    """

    models: Sequence[tuple[str | None, PrivacyModel]] = ()
    population: pd.DataFrame | str | os.PathLike[str] | None = None
    max_suppressed: float = 0.0
    hierarchies: Mapping[str, GeneralizationHierarchy] | None = None
    model: PlainModel | MODLCoclustering | None = None
    bins: int = 10
    n_iterations: int = DEFAULT_ITERATIONS
    time_limit: float | None = None
    n_jobs: int | None = None
    random_state: Seed = None
    callback: Callable[..., object] | None = None

    def _check_options(self):
        check_share("max_suppressed", self.max_suppressed)
        check_integer("bins", self.bins, minimum=1)
        check_search(self.n_iterations, self.time_limit, self.n_jobs, self.random_state)
        is_saved = isinstance(self.model, PlainModel)
        if not (self.model is None or is_saved or is_fitted(self.model)):
            raise ParameterError(
                "Expected a PlainModel or a fitted MODLCoclustering. Received an "
                f"object of type {type(self.model).__name__}, which is not. Fit or "
                "load one."
            )
        check_models(self.models, presence=True)
        check_population(self.models, self.population, self.person_id)

    def _recode(self, people):
        frame, persons = people.frame, people.persons
        hierarchies = {}
        if self.hierarchies is not None:
            names = people.roles.quasi_identifiers
            hierarchies = check_hierarchies(self.hierarchies, frame, names)
        of_columns, presence = split_presence(self.models)
        on_sensitive = sensitive_models(
            frame, people.roles.sensitive, of_columns, persons
        )
        population = None
        if self.population is not None:
            population = read_population(self.population, people.asked)
        clock = Clock(self.time_limit)
        rows = self._clustered(people, clock)
        covering = self._covering(people, rows)
        coding = covering.coding
        check_memory(coding, self.k)
        problem = class_problem(
            coding.records,
            self.k,
            is_interval=covering.is_interval,
            is_truthful=covering.is_truthful,
            is_ordered=coding.is_ordered,
            repeats=covering.repeats,
            record_of_row=coding.inverse,
            persons=persons,
        )
        models = [*on_sensitive, *presence_models(presence, coding, population)]
        starts = [(self.k, covering.labels)]
        if models:
            models += person_models(self.k, persons)
            if not self.max_suppressed:
                starts += self._larger_starts(rows)
        found = []
        for candidate in self._candidates(coding, problem, people, starts, clock):
            found.append(self._held(*candidate, models))
            if len(found) == 1 and found[0].is_as_formed:
                break  # nothing fails: they are those without a model
        else:
            if persons is None:  # rows of a person can be of several records
                found += self._dealt(coding, problem, on_sensitive, models, clock)
        best = min(found, key=lambda own: own.loss)
        coding, formed = best.coding, best.classes
        suppressed = best.suppressed[coding.inverse]
        classes = formed.label[coding.inverse]
        kept = self._cover(rows, coding, formed.kept, classes, ~suppressed)
        classes[suppressed] = -1
        nodes = self._derived(people, rows) | hierarchies
        sets = self._leaf_sets(coding, kept, classes)
        columns = _release_columns(coding, classes, sets, nodes)
        if population is not None:
            check_presence(columns, presence, population)
        self.hierarchies_, self.cut_short_ = nodes, tuple(clock.cut_short)
        return Recoded(columns, classes)

    def _candidates(self, coding, problem, people, starts, clock):
        """Classes that models may be enforced on, one at least.

        Beside each, `RecordClasses`, come the coding and the problem of its records.
        """
        for place, (k, labels) in enumerate(starts):
            if place and clock.ends("moves"):
                return
            clusters = record_clusters(labels, coding, k, people.persons)
            own = problem._replace(k=k)
            for formed in self._forms(own, clusters, clock):
                own_coding, pieces, divided = self._divide(
                    people, coding, own, formed, clock
                )
                yield own_coding, pieces._replace(k=self.k), divided

    def _held(self, coding, problem, formed, models):
        """Classes of records merged, or suppressed, until models hold."""
        held, suppressed = formed, np.zeros(len(formed.label), dtype=bool)
        if models:
            held, suppressed = enforce(
                problem,
                formed,
                models,
                coding.inverse,
                max_suppressed=int(self.max_suppressed * len(coding.inverse)),
            )
        is_as_formed = len(formed.kept) == len(held.kept) and not suppressed.any()
        loss = mean_loss(problem, held, suppressed)
        return Held(loss, coding, held, suppressed, is_as_formed)

    def _dealt(self, coding, problem, on_sensitive, models, clock):
        """The same of dealt classes, from few large ones to many small ones."""
        found = []
        for formed in self._deals(problem, on_sensitive, coding.inverse):
            if clock.ends("moves"):
                break
            found.append(self._held(coding, problem, formed, models))
        return found

    def _clustered(self, people, clock):
        """The rows in the clusters of a model, as fine as the method asks for."""
        values, schema, model = people.values, people.asked, self.model
        if isinstance(model, PlainModel):
            check_columns(model.coding, schema.kept.names)
            self._check_parts(model.coding, values)
            self.coclustering_ = model
            return ClusteredRows.of_model(values, model, people.persons)
        model = coclustering_of(
            values,
            schema,
            model,
            clock,
            bins=self.bins,
            n_iterations=self.n_iterations,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
            callback=self.callback,
        )
        self.coclustering_ = model
        cut = self._cut(model.dendrogram_, clock)
        return ClusteredRows.of_cut(values, model.coding_, cut, people.persons)

    # --- what a method does of its own ----------------------------------------------

    def _check_parts(self, coding, table):
        """Refuse values that a saved model has no part for, where they matter."""

    @abstractmethod
    def _cut(self, dendrogram, clock):
        """The grid that the rows are in the clusters of, a `Cut`."""

    @abstractmethod
    def _covering(self, people, rows) -> Covering:
        """The clusters to begin with, and what covers them."""

    @abstractmethod
    def _forms(self, problem, clusters, clock):
        """Classes of k persons of the clusters of the records, `RecordClasses`.

        The first are the release where no model fails; of several those of the least
        loss are kept, once models hold.
        """

    def _divide(self, people, coding, problem, formed, clock):
        """The same with rows of a record in several classes, where that is nearer."""
        return coding, problem, formed

    def _larger_starts(self, rows):
        """Larger k, and clusters of so many, that classes are formed from as well.

        Classes of more persons hold a model sooner: those of k, merged until they do,
        can be far larger than they need to be. The classes of the least loss are kept.
        """
        return ()

    def _deals(self, problem, on_sensitive, record_of_row):
        """Classes that are alike in their sensitive values, `RecordClasses`.

        The largest first; those of the least loss are kept, once models hold.
        """
        return ()

    def _cover(self, rows, coding, kept, classes, left):
        """Leaves of each class, (n_classes, V): those that it was formed for."""
        return kept

    def _leaf_sets(self, coding, kept, classes):
        """Leaves that the label of each class stands for; see `LeafCoding`."""
        return coding.leaf_sets(kept)

    def _derived(self, people, rows):
        """Hierarchies of columns whose labels are nodes though nobody gave any."""
        return {}


def _release_columns(coding, classes, leaf_sets, hierarchies):
    """The generalised columns of some classes.

    Parameters
    ----------
    coding : LeafCoding
    classes : ndarray of int64, shape (n,)
        Class of each row; -1 if it is suppressed.
    leaf_sets : list of (members, sets)
        Cover of each class, as of `LeafCoding.leaf_sets`.
    hierarchies : mapping of column name to GeneralizationHierarchy
        Columns whose labels are nodes.

    Returns
    -------
    tuple of GeneralizedColumn
    """
    # Suppressed rows are one class more, whose labels stand for everything.
    extended = np.where(classes < 0, len(leaf_sets[0][1]), classes)
    columns = []
    for j, (members, sets) in enumerate(leaf_sets):
        column, leaves, labels = coding.columns[j], coding.leaves[j].leaves, None
        texts = coding.leaves[j].texts
        if column.name in hierarchies:
            hierarchy = hierarchies[column.name]
            members = leaves_in(members, leaves, hierarchy)
            leaves = hierarchy.leaves
            members, labels = covering_nodes(members, hierarchy)
            members = np.vstack([members, np.ones(len(leaves), dtype=bool)])
            labels = named_once(members, [*labels, ALL])
            texts = None  # the labels are those of the nodes
        else:
            members = np.vstack([members, np.ones(len(leaves), dtype=bool)])
        set_of_row = np.append(sets, len(members) - 1)[extended]
        ordered = coding.is_ordered[j]
        columns.append(
            GeneralizedColumn.from_members(
                column.name, leaves, ordered, members, set_of_row, labels, texts
            )
        )
    return tuple(columns)


def check_memory(coding, k):
    """Refuse what would need more counts of values by class than fit in memory."""
    n_values = coding.records.n_parts_per_variable
    n_counts = coding.records.n_individuals / k * n_values.sum()
    if n_counts > _MAX_COUNTS:
        widest = coding.columns[int(n_values.argmax())].name
        raise ParameterError(
            f"Expected at most {_MAX_COUNTS:.2g} counts of values by class. Received "
            f"{n_counts:.2g}, most of them of {widest!r}, a column of "
            f"{n_values.max():,} values. Leave it out, group its values, or choose a "
            "larger k."
        )
