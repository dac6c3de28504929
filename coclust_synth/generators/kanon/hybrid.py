"""k-anonymous tables: rows in classes of at least k, each under one cover."""

from dataclasses import replace

import numpy as np
from sklearn.base import BaseEstimator

from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.derived.hierarchies import part_hierarchies
from coclust_synth.generators.individual_clusters import (
    ClusteredRows,
    record_clusters,
)
from coclust_synth.generators.kanon.classes import (
    class_problem,
    cover_classes,
    form_classes,
)
from coclust_synth.generators.kanon.coc import thesis_cover
from coclust_synth.generators.kanon.enforce import (
    PresenceModel,
    check_presence,
    enforce,
)
from coclust_synth.generators.kanon.released_columns import release_columns
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.modl.fitted import (
    check_columns,
    check_search,
    coclustering_of,
    is_fitted,
)
from coclust_synth.modl.search.clock import Clock
from coclust_synth.modl.search.two_sides import DEFAULT_ITERATIONS
from coclust_synth.privacy.models.presence import DeltaPresence
from coclust_synth.privacy.models.sensitive import (
    check_models,
    person_models,
    sensitive_models,
)
from coclust_synth.privacy.release import ReleaseReport, release_table
from coclust_synth.tables.generalized.covering import check_hierarchies
from coclust_synth.tables.generalized.leaf_coding import LeafCoding
from coclust_synth.tables.people.people import People, read_population
from coclust_synth.tables.people.roles import check_sensitive_values
from coclust_synth.validation import (
    check_choice,
    check_integer,
    check_share,
)

METHODS = ("hybrid", "coc", "coc_hg")

_MAX_COUNTS = 1.5e9  # about 10 GB


class HybridKAnonymizer(BaseEstimator):
    """k-anonymous tables from a MODL co-clustering of individuals and parts.

    Rows are gathered in classes of at least k; all rows of a class are released under
    one cover: for each quasi-identifier one label, which stands for a set of original
    values. So every combination of labels in the released table is that of k rows or
    more, whatever the labels are (k-anonymity, Samarati and Sweeney 1998).

    The classes begin as the clusters of individuals of the co-clustering: the finest
    uneven cut of its dendrogram, each branch of which goes down while its clusters hold
    k. They are cut into classes of k rows and improved by moving rows while an
    approximation of how well the table gives the joint distributions back rises; see
    `coclust_synth.generators.kanon.classes` for the objective. No step goes below k.

    Where a person can have several rows, k rows may be those of fewer than k persons:
    name the column of the persons, and every class has rows of k different ones, and
    models are counted by persons, see `coclust_synth.privacy.models.person_values`. How
    many rows a person has, and that several rows are the same person's, is not hidden:
    who knows all rows of somebody can look for classes that fit all of them.

    k-anonymity keeps somebody who knows the quasi-identifiers of a person from telling
    the person's row from k - 1 others. It does not protect what all rows of a class
    share: ask for `models` on sensitive columns. It says nothing of columns that are
    released as they are and can be known otherwise, nor of several releases of the same
    people together. Which labels there are depends on the rows.

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
    method : {"hybrid", "coc", "coc_hg"}, default="hybrid"
        ``"hybrid"``: as above. ``"coc"`` and ``"coc_hg"``: the thesis's, see
        `coclust_synth.generators.kanon.coc`, on the even cut: sets of parts, or nodes
        of hierarchies.
    truthful : bool, default=False
        Whether each label stands for all values of its class, as in a generalisation;
        otherwise for those that give the distributions back best, and rows that hold
        others are perturbed. Only with ``method="hybrid"``.
    intervals : bool, default=False
        Whether labels of numeric, date and ordinal columns are intervals; otherwise
        sets of values or of runs. Columns of more than 128 such values always have
        intervals, and truthful ones. Only with ``method="hybrid"``.
    models : sequence of (column or None, PrivacyModel)
        What must hold for each class beside k: models of `coclust_synth.privacy` on
        one sensitive column, or on each of them; `DeltaPresence` with None. Classes
        that fail are merged.
    population : DataFrame or path, optional
        The people among whom the table's are, for `DeltaPresence`.
    max_suppressed : float, default=0
        Share of the rows that may be suppressed rather than merged when models fail:
        released with ``*``, all values, in every quasi-identifier, together a class
        of k or more for which the models hold too. Nothing is suppressed for k alone.
    sensitive_values : {"keep", "shuffle", "class", "table"} or mapping, default="keep"
        Sensitive values are kept with their rows, shuffled inside their class (which
        unlinks several of them from each other), drawn from the values of the class, or
        from those of the table: by the system's entropy, as whoever knew a seed could
        undo it. A mapping says so by column. Models are enforced on the original
        values; only "keep" and "shuffle" release just these.
    others : {"drop", "keep"}, default="drop"
        What is done with columns that are neither. Identifiers are dropped.
    person_id : str, optional
        Column that names the person of each row; never released. By default each row
        is a person.
    hierarchies : mapping of column name to GeneralizationHierarchy, optional
        Labels of these columns are nodes: the lowest that covers the values. Under
        ``method="coc_hg"`` the others' hierarchies are derived from the model.
    model : PlainModel or MODLCoclustering, optional
        A fitted model of the quasi-identifiers; by default one is fitted.
    bins : int, default=10
        Intervals of numeric columns in the co-clustering that is fitted.
    n_iterations, n_jobs, random_state, callback
        Those of `MODLCoclustering`.
    time_limit : float, optional
        Seconds: three quarters for the search, the rest for finer clusters and moves of
        rows. What they begin with, models and labels are done whole.

    Attributes
    ----------
    release_ : GeneralizedTable
        In an order that tells nothing of that of the table: by labels, then values.
    classes_ : ndarray of int64, shape (n,)
        Class of each row of the table given; -1 if it is suppressed. Confidential.
    report_ : ReleaseReport
    roles_ : Roles
    cut_short_ : tuple of str
        What the time did not last for: "search", "splits" or "moves" of rows.

    References
    ----------
    T. Benkhelif, "Publication de donnees personnelles respectueuse de la vie privee",
    PhD thesis, Universite de Nantes, 2018, chapter 4.

    Examples
    --------
    >>> table = pd.DataFrame({"pet": list("aabbcc") * 4, "food": list("xxxxyy") * 4})
    >>> anonymizer = HybridKAnonymizer(k=12, n_iterations=3, random_state=0)
    >>> anonymizer.fit_transform(table).class_sizes.tolist()
    [24]
    """

    def __init__(
        self,
        k,
        *,
        quasi_identifiers=None,
        sensitive=None,
        method="hybrid",
        truthful=False,
        intervals=False,
        models=(),
        population=None,
        max_suppressed=0.0,
        sensitive_values="keep",
        others="drop",
        person_id=None,
        hierarchies=None,
        model=None,
        bins=10,
        n_iterations=DEFAULT_ITERATIONS,
        time_limit=None,
        n_jobs=None,
        random_state=None,
        callback=None,
    ):
        self.k = k
        self.quasi_identifiers = quasi_identifiers
        self.sensitive = sensitive
        self.method = method
        self.truthful = truthful
        self.intervals = intervals
        self.models = models
        self.population = population
        self.max_suppressed = max_suppressed
        self.sensitive_values = sensitive_values
        self.others = others
        self.person_id = person_id
        self.hierarchies = hierarchies
        self.model = model
        self.bins = bins
        self.n_iterations = n_iterations
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback

    def fit(self, table, schema=None):
        """Form the classes of a table, and the table to release.

        Parameters
        ----------
        table : DataFrame, path or Table
            At least k rows.
        schema : Schema, optional
            What is known of the columns; by default inferred.

        Returns
        -------
        HybridKAnonymizer
            Itself.

        Raises
        ------
        ParameterError, TableError, SchemaError
            Before the search starts; ParameterError also where the table, even as one
            class, cannot satisfy a model, or the labels do not hold delta-presence.
        """
        self._check_options()
        people = People.of(
            table,
            schema,
            k=self.k,
            quasi_identifiers=self.quasi_identifiers,
            sensitive=self.sensitive,
            others=self.others,
            person_id=self.person_id,
        )
        frame, schema, asked = people.frame, people.schema, people.asked
        persons = people.persons
        roles = self.roles_ = people.roles
        names = roles.quasi_identifiers
        how = check_sensitive_values(self.sensitive_values, roles.sensitive)
        hierarchies = {}
        if self.hierarchies is not None:
            hierarchies = check_hierarchies(self.hierarchies, frame, names)
        on_sensitive = sensitive_models(
            frame,
            roles.sensitive,
            [own for own in self.models if not isinstance(own[1], DeltaPresence)],
            persons,
        )
        population = None
        if self.population is not None:
            population = read_population(self.population, asked)
        clock = Clock(self.time_limit)
        rows = self._clustered(frame, asked, persons, clock)
        if self.method == "hybrid":
            coding = LeafCoding.learn(frame, asked)
            is_interval = coding.is_grouped | (coding.is_ordered & self.intervals)
            is_truthful = coding.is_grouped | self.truthful
            labels = rows.uneven_cut(self.k)
        else:
            coding = LeafCoding.learn(
                frame, asked, parts=rows.coding, part_codes=rows.part_codes
            )
            is_interval = np.zeros(len(names), dtype=bool)
            is_truthful = ~is_interval
            labels = rows.even_cut(self.k).row_labels
        clusters = record_clusters(labels, coding, self.k, persons)
        _check_memory(coding, self.k)
        problem = class_problem(
            coding.records,
            self.k,
            is_interval=is_interval,
            is_truthful=is_truthful,
            record_of_row=coding.inverse,
            persons=persons,
        )
        if self.method == "hybrid":
            formed = form_classes(
                problem, clusters, seed=self.random_state, clock=clock
            )
        else:
            formed = cover_classes(problem, clusters)
        suppressed = np.zeros(len(clusters), dtype=bool)
        models = [*on_sensitive, *self._presence_models(coding, population)]
        if models:
            formed, suppressed = enforce(
                problem,
                formed.label,
                models + person_models(self.k, persons),
                coding.inverse,
                max_suppressed=int(self.max_suppressed * len(frame)),
            )
        classes = formed.label[coding.inverse]
        kept = formed.kept
        if self.method != "hybrid":
            left = ~suppressed[coding.inverse]
            even = replace(
                rows.even_cut(self.k),
                part_codes=rows.part_codes[left],
                row_labels=classes[left],
            )
            kept = thesis_cover(even, coding)
        if self.method == "coc_hg":
            hierarchies = self._derived(frame, asked, rows) | hierarchies
        classes[suppressed[coding.inverse]] = -1
        columns = release_columns(coding, classes, kept, hierarchies)
        report = ReleaseReport.of(frame, columns, classes, persons)
        release = release_table(frame, schema, columns, classes, roles, how)
        if population is not None:
            check_presence(release, self._asked_presence(), population)
        self.classes_, self.report_, self.release_ = classes, report, release
        self.cut_short_ = tuple(clock.cut_short)
        return self

    def fit_transform(self, table, schema=None):
        """Form the classes of a table and give the table to release.

        Returns
        -------
        GeneralizedTable
            ``release_``.
        """
        return self.fit(table, schema).release_

    # --- what is asked ------------------------------------------------------------

    def _check_options(self):
        check_integer("k", self.k, minimum=2)
        check_choice("method", self.method, METHODS)
        if self.method != "hybrid" and (self.truthful or self.intervals):
            raise ParameterError(
                'Expected truthful and intervals with method="hybrid" only. Received '
                f"them with {self.method!r}. Leave them out."
            )
        check_share("max_suppressed", self.max_suppressed)
        check_search(
            self.bins,
            self.n_iterations,
            self.time_limit,
            self.n_jobs,
            self.random_state,
        )
        if not (
            self.model is None
            or isinstance(self.model, PlainModel)
            or is_fitted(self.model)
        ):
            raise ParameterError(
                "Expected a PlainModel or a fitted MODLCoclustering. Received an "
                f"object of type {type(self.model).__name__}, which is not. Fit or "
                "load one."
            )
        check_models(self.models, presence=True)
        presence = any(isinstance(model, DeltaPresence) for _, model in self.models)
        if presence != (self.population is not None):
            raise ParameterError(
                "Expected a population with DeltaPresence, and only then. Received "
                f"{'the model' if presence else 'a population'} alone. Give both."
            )
        if presence and self.person_id is not None:
            raise ParameterError(
                "Expected DeltaPresence of a table of one row a person. Received it "
                f"with the persons of {self.person_id!r}: the rows of a person can be "
                "in several classes, and the share of the population that a class has "
                "is not defined. Leave one of them out."
            )

    def _presence_models(self, coding, population):
        if population is None:
            return []
        codes, weight = np.unique(
            coding.population_codes(population), axis=0, return_counts=True
        )
        return [PresenceModel(model, codes, weight) for model in self._asked_presence()]

    def _asked_presence(self):
        return [model for _, model in self.models if isinstance(model, DeltaPresence)]

    # --- the model ----------------------------------------------------------------

    def _clustered(self, frame, schema, persons, clock):
        """The rows in the clusters of a model, as fine as the method asks for."""
        model = self.model
        if isinstance(model, PlainModel):
            check_columns(model.coding, schema.kept.names)
            if self.method != "hybrid":
                model.coding.encode(frame)  # refuses a value that is in no part
            return ClusteredRows.of_model(frame, model, persons)
        model = coclustering_of(
            frame,
            schema,
            model,
            clock,
            bins=self.bins,
            n_iterations=self.n_iterations,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
            callback=self.callback,
        )
        dendrogram = model.dendrogram_
        is_best = self.method == "hybrid"
        cut = dendrogram.best() if is_best else dendrogram.cut(k=self.k, clock=clock)
        return ClusteredRows.of_cut(frame, model.coding_, cut, persons)

    def _derived(self, frame, asked, rows):
        return part_hierarchies(
            frame,
            asked,
            rows.coding,
            rows.part_codes,
            rows.column_labels,
            rows.dendrogram.merges,
        )


def _check_memory(coding, k):
    """Refuse what would need more counts of values by class than fit in memory."""
    n_values = coding.records.n_parts_per_variable
    n_counts = coding.records.n_individuals / k * n_values.sum()
    if n_counts > _MAX_COUNTS:
        widest = coding.columns[int(n_values.argmax())].name
        raise ParameterError(
            f"Expected at most {_MAX_COUNTS:.2g} counts of values by class. Received "
            f"{n_counts:.2g}, of which most are of {widest!r}, a column of "
            f"{n_values.max():,} values. Leave it out, group its values, or choose a "
            "larger k."
        )
