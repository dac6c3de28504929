"""Plain synthetic tables: each individual cluster redrawn from its own parameters."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.plain.counted import FittedCounts, fit_counts
from coclust_synth.generators.plain.fitting import (
    check_leaves,
    check_rare,
    clustered_rows,
    clusters_inside,
    count_parts,
    cut_at,
    default_k,
    structure_of,
    warn_of_small,
)
from coclust_synth.generators.plain.model import CUTS, PlainModel
from coclust_synth.generators.plain.rows import ModelRows
from coclust_synth.modl.estimator import PARTS, MODLCoclustering
from coclust_synth.modl.fitted import check_given, check_model, clusters_of, fit_in_time
from coclust_synth.modl.learnt.coding import learn_released_parts
from coclust_synth.modl.search.clock import SEARCH_SHARE, Clock
from coclust_synth.modl.search.loop import DEFAULT_ITERATIONS
from coclust_synth.scale.engines import is_engine_table, open_source
from coclust_synth.tables.generalized.covering import check_hierarchies
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.parts.folded.folding import (
    find_foldings,
    fold,
    made_by,
    unmoved,
    untold_by,
)
from coclust_synth.tables.parts.folded.lacked_keys import told_of, with_marks
from coclust_synth.tables.parts.no_dates import beside_missing_as_dates, with_no_dates
from coclust_synth.tables.parts.rare.released import release_values
from coclust_synth.tables.people.nested_keys import find_nested_keys, with_numbers
from coclust_synth.tables.people.people import Persons, check_k, set_aside
from coclust_synth.tables.reading.native import in_library, library_of
from coclust_synth.tables.reading.settling import settle_patterns
from coclust_synth.tables.reading.table import TableLike, as_table
from coclust_synth.tables.rules.compared.orders import find_orders
from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.found import rules_of, with_combinations_of
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.values.keys import learn_keys
from coclust_synth.validation import (
    Seed,
    check_choice,
    check_fitted,
    check_integer,
    check_jobs,
    check_search,
    check_seed,
    seed_sequence,
    set_feature_names,
)

WITHIN = ("independent", "trees")
MARGINALS = ("grid", "cluster")


@dataclass(eq=False, repr=False, kw_only=True)
class CoclusterSynthesizer(BaseEstimator):
    """Synthetic rows from a MODL co-clustering of individuals and parts.

    The table becomes a grid of clusters of individuals and clusters of parts (one
    part is a category, an interval, or missing). Each synthetic individual belongs to
    a cluster. `within` says how values are drawn there. With "trees" each variable is
    drawn from a tree on the cluster and on the variables before it, and rules that hold
    in the table are kept. With "independent" each variable is drawn on its own: a part
    from the cluster's distribution, then a value inside the part.

    Individuals are rows or, with `person_id`, persons who can have several rows. The
    observations of a person are the parts of all their rows, and k counts persons. With
    trees a person is drawn once: what is the same in all of their rows, how many rows
    there are, and then each row given the one before it, see `PersonStructure`. Persons
    are named anew. Independent variables are drawn row by row within the clusters of
    persons. It is then not kept which rows are one person's, in what order they follow
    each other, how many a person has, and what is the same in all of them.

    The co-clustering is a `MODLCoclustering` of the released values, or one that was
    fitted before, see `model`.

    Plain synthetic data carry no formal privacy guarantee. Rows are drawn, not copied,
    from clusters of at least `k` individuals. By chance many drawn rows equal a row of
    the table, and some of these are unique there. What all members of a cluster have in
    common shows. Released values are shared by several people:

    - categories that `rare` individuals hold. Rarer ones are drawn as common ones, or
      released as a group (`(other)`, see `coclust_synth.tables.parts.rare.rare`);
    - numbers and dates that 20 individuals hold. Others are drawn between round numbers
      that 20 individuals lie around.

    A domain that the schema calls public is released as it stands. That a number is
    missing shows however few individuals lack it.

    Parameters
    ----------
    k : int, optional
        Individuals that each cluster holds at least, from 1 to n; by default that of
        `default_k`, which is 100 for 2,000 individuals or more. The fitted model holds
        nothing finer. From k = 2 on, clusters of the best grid are split as far as k
        allows. With k = 1 the grid is kept as it is, however small its clusters are.
        See `cut`.
    rare : int, optional
        Individuals that a category describes at least, from 1 to k; by default 10, or
        k if that is less. `rare` of a column in the schema takes precedence.
    hierarchies : mapping of column name to GeneralizationHierarchy, optional
        Hierarchies of columns of texts: their rare categories are released as nodes.
    within : {"independent", "trees"}, default="trees"
        How values are drawn inside a cluster. ``"independent"``: each variable on its
        own, as in the thesis. ``"trees"``: dependence between variables is kept. Each
        variable has a tree on the cluster and on the variables before it. The clusters
        are those of the best grid, merged until each holds k individuals; leaves hold k
        individuals or more. Values are drawn as `AtomParts` says. Sums, orders, nested
        codes and combinations that never occur are found and kept, see `Structure`.
        Trees show more of the table: a leaf is an intersection of conditions, and its
        counts are drawn from as they are, down to a count of 1 for a single value.
    marginals : {"grid", "cluster"}, default="grid"
        Where the parts of independent variables are drawn from. ``"grid"``: from the
        cells and the overall frequency of each part, by equations 3.1-3.8 of Benkhelif
        (2018). ``"cluster"``: from the frequencies inside the cluster, which is closer
        to the table and shows more of it.
    cut : {"uneven", "even"}, default="uneven"
        Clusters of independent variables. ``"uneven"``: those of the best grid are
        split as far as k allows, and each of fewer than k individuals is merged with
        the one that it costs least to merge it with. ``"even"``: the finest level of
        the dendrogram whose clusters all hold k, as in the thesis. This merges clusters
        of parts as well.
    person_id : str, optional
        Column that names the person of each row; it is not modelled. If variables have
        trees, drawn persons are named in sequence, by none of its values. By default
        each row is a person.
    model : MODLCoclustering, optional
        Fitted to these rows, or to their persons: its clusters are taken instead of a
        search. Parts are still those of the released values, each in the cluster of
        parts in which most of its rows were.
    parts : {"fixed", "learnt"}, default="fixed"
        ``"fixed"``: categories, and the intervals of `binning`, `bins` and `cuts`.
        ``"learnt"``: groups of categories, and intervals between round numbers that 20
        individuals lie around, searched for the cost of `variable_parts_cost_terms`;
        the clusters are then searched for these parts. Missing values are a part in
        either case.
    binning : {"heaped", "quantile", "width"}, default="heaped"
        Intervals of numeric columns; ``"heaped"`` gives a value that more than
        1 / `bins` of the rows share a part of its own.
    bins : int, default=10
        Intervals asked for in each numeric column.
    cuts : mapping of column name to sequence of float, optional
        Cut points to use instead for some numeric columns.
    n_iterations : int, default=128
        Budget of the search: descents and V-cycles; with learnt parts, of each of the
        two searches.
    time_limit : float, optional
        Seconds of the fit, in addition to `n_iterations`: three quarters for the
        search, the rest to split clusters as far as k allows. The first iteration of
        the search is always completed, as are the coding of the table and the merges of
        the grid. A fit that was cut short cannot be repeated exactly.
    n_jobs : int, optional
        Iterations of the search that run at a time, as joblib's `n_jobs`: threads, or
        what `joblib.parallel_config` says. The result is the same for any number.
    random_state : int, SeedSequence, Generator or None, default=None
        Seed of the search, and of `sample` if that is given none.
    callback : callable, optional
        Called after each iteration of the search with (iteration, TracePoint).

    Attributes
    ----------
    k_ : int
        Only after `fit`: the k that was given, or the default.
    rare_ : int
        Only after `fit`: the `rare` that was given, or the default.
    pooled_ : tuple of Pooled
        Only after `fit`: columns with values that are released as others, how many
        values and how many rows. It is not saved.
    model_ : PlainModel
        All that `sample` uses and `save` writes.
    rules_ : tuple of Rule
        Only after `fit`: rules that drawn rows keep if values are drawn from trees,
        each with how many rows it is about. They are saved, but without the number of
        rows that break them.
    cut_short_ : tuple of str
        Only after `fit`: what there was no time to complete, of "search" and "splits".
    coclustering_ : MODLCoclustering
        Only after `fit`: the co-clustering, with the best grid and the trace; `model`
        if one was given. It is not saved.
    n_features_in_, feature_names_in_
        Only after `fit`: of all columns of the table, as in every estimator of
        scikit-learn.

    References
    ----------
    T. Benkhelif, "Publication de donnees personnelles respectueuse de la vie privee",
    PhD thesis, Universite de Nantes, 2018, chapter 3.

    Examples
    --------
    >>> import pandas as pd
    >>> from coclust_synth import infer_schema
    >>> table = pd.DataFrame({"sex": ["F", "M"] * 50, "age": range(100)})
    >>> synthesizer = CoclusterSynthesizer(k=10, n_iterations=5, random_state=0)
    >>> schema = infer_schema(table).keep("age")
    >>> synthesizer.fit(table, schema).sample(3).shape
    (3, 2)
    """

    k: int | None = None
    rare: int | None = None
    hierarchies: Mapping[str, GeneralizationHierarchy] | None = None
    within: str = "trees"
    marginals: str = "grid"
    cut: str = "uneven"
    person_id: str | None = None
    model: MODLCoclustering | None = None
    parts: str = "fixed"
    binning: str = "heaped"
    bins: int = 10
    cuts: Mapping[str, Sequence[float]] | None = None
    n_iterations: int = DEFAULT_ITERATIONS
    time_limit: float | None = None
    n_jobs: int | None = None
    random_state: Seed = None
    callback: Callable[..., object] | None = None

    def fit(self, table: TableLike, schema: Schema | None = None) -> Self:
        """Learn a model of a table.

        Parameters
        ----------
        table : DataFrame, path, Table, or what `open_source` takes
            At least two rows. A folder of Parquet files, a table of ibis or of a base,
            and a `CountSource` are counted where they are, see `coclust_synth.scale`;
            what is learnt of rows, of persons or by a given model is not to be had of
            them.
        schema : Schema, optional
            What is known of the columns; by default inferred. Columns whose
            treatment is "drop" are left out.

        Returns
        -------
        CoclusterSynthesizer
            Itself.

        Raises
        ------
        ParameterError, TableError, SchemaError
            Before the search starts.
        """
        self._check_options()
        if is_engine_table(table):
            source = open_source(table)
            return self._take(fit_counts(self, source, schema), None, source.names)
        seed = seed_sequence("random_state", self.random_state)
        clock = Clock(self.time_limit)
        library, table = library_of(table), as_table(table, schema)
        if self.within == "trees":
            table = settle_patterns(table)
        (frame, schema), values = table, table.values
        persons, n_individuals = None, len(frame)
        if self.person_id is not None:
            persons = Persons.of(frame, self.person_id)
            _check_no_key(schema, self.person_id)
            schema, n_individuals = set_aside(schema, self.person_id), persons.n
        if self.k is not None:
            check_k(self.k, len(frame), persons)
        k = default_k(n_individuals) if self.k is None else self.k
        if self.within == "trees":
            check_leaves(k, n_individuals)
        rare = check_rare(self.rare, k, schema)
        if self.model is not None:
            check_model(self.model, schema.kept.names, len(frame), persons)
        hierarchies = self.hierarchies
        if hierarchies is not None:
            hierarchies = check_hierarchies(hierarchies, frame, schema.kept.names)
        if self.within == "trees" and self.model is None:
            schema = with_no_dates(values, schema, persons)
        else:
            schema = beside_missing_as_dates(schema, lambda c: frame[c.name].hasnans)
        spelt, nested = self._spelt(table, rare, k, persons, schema)
        values, schema = with_numbers(*fold(values, schema, spelt), nested, persons)
        whose = None if persons is None else persons.codes
        keys = learn_keys(frame, schema, whose, may_lack=self.model is None)
        values, schema = with_marks(values, schema, keys, rare)
        released = release_values(
            values, schema, rare, persons=persons, hierarchies=hierarchies
        )
        evidence = rules = None
        if self.within == "trees":
            evidence = Evidence.of(released, persons)
            rules, spelt = _rules_and_spelt(schema, evidence, spelt, k, nested)
        released = released.drop(untold_by(spelt))
        coding, n_iterations = self._parts_of(released, persons, seed, clock)
        coclustering, dendrogram = self._coclustered(
            (values, coding, released, persons), n_iterations, seed, clock
        )
        structure = inside = None
        if self.within == "trees":
            best = dendrogram.best()
            clustered = clustered_rows(released, coding, best, persons)
            learnt = evidence, rules, clustered, k, seed, nested
            structure = structure_of(frame, schema, *learnt)
            cut = best.coarser(dendrogram.step_at(k=k))
            inside = clusters_inside(clustered, cut, k)
        else:
            cut = cut_at(dendrogram, k, self.cut, clock)
        model = PlainModel(
            coding,
            cut.dendrogram,
            cut.column_labels,
            dendrogram.contingency.sides[1].total,
            self._cluster_parts(dendrogram, cut),
            by_person=persons is not None,
            structure=structure,
            k=k,
            keys=keys,
            cut=self.cut if structure is None else "even",
            structure_clusters=inside,
            spelt=spelt,
        )
        warn_of_small(model)
        rules = () if rules is None else rules.but_of(untold_by(spelt)).all
        numbered = {own.column for own in nested}  # of whose numbers nothing is told
        pooled = told_of(released.pooled, keys)
        pooled = tuple(own for own in pooled if own.column not in numbered)
        own = k, rare, pooled, rules, coclustering, tuple(clock.cut_short)
        return self._take(FittedCounts(model, *own), library, frame.columns)

    def _take(self, fitted, library, names):
        """Keep what was learnt of a table with columns of these names."""
        set_feature_names(self, names)
        self.k_, self.rare_, self.pooled_ = fitted.k, fitted.rare, fitted.pooled
        self.rules_, self.cut_short_ = fitted.rules, fitted.cut_short
        self.coclustering_ = fitted.coclustering
        self.model_, self.library_ = fitted.model, library
        return self

    def _coclustered(self, table, n_iterations, seed, clock):
        """The co-clustering of a table, or the one that was given, and its merges."""
        values, coding, released, persons = table
        if self.model is None:
            coclustering = fit_in_time(
                released.values,
                released.schema,
                clock,
                persons,
                parts=coding,
                n_iterations=n_iterations,
                n_jobs=self.n_jobs,
                random_state=seed,
                callback=self.callback,
            )
            return coclustering, coclustering.dendrogram_
        merges = clusters_of(
            self.model, values, coding, released.values, persons, seed=seed
        )
        return self.model, merges

    def _spelt(self, table, rare, k, persons, schema):
        """Columns that spell others, and keys that rows of a person share.

        None with a model, whose parts are of texts, and none where rows are drawn one
        by one.
        """
        if self.within != "trees" or self.model is not None:
            return (), ()
        but = self.hierarchies or ()
        spelt = find_foldings(table.values, schema, rare, k, persons=persons, but=but)
        return spelt, find_nested_keys(table.frame, schema, persons, k)

    def _cluster_parts(self, dendrogram, cut):
        """Rows of each cluster of a cut that have each part, where that is asked."""
        if self.marginals == "grid":
            return None
        return count_parts(dendrogram, cut.row_labels)

    def _check_options(self):
        check_choice("within", self.within, WITHIN)
        check_choice("marginals", self.marginals, MARGINALS)
        check_choice("cut", self.cut, CUTS)
        for name, default in (("marginals", "grid"), ("cut", "uneven")):
            asked = getattr(self, name)
            if self.within == "trees" and asked != default:
                raise ParameterError(
                    f"Expected {name} of variables that are drawn with "
                    f'within="independent". Received {name}={asked!r} with '
                    'within="trees". Leave one of them out.'
                )
        check_choice("parts", self.parts, PARTS)
        check_search(self.n_iterations, self.time_limit, self.n_jobs, self.random_state)
        if self.k is not None:
            check_integer("k", self.k, minimum=1)
        if self.rare is not None:
            check_integer("rare", self.rare, minimum=1)
        check_given(self.model)

    def _parts_of(self, released, persons, seed, clock):
        """The parts of a released table, and the iterations left for their grid."""
        own = {"persons": persons, "pools": released.pools}
        if self.parts == "fixed":
            options = {"binning": self.binning, "bins": self.bins, "cuts": self.cuts}
            coding = TableCoding.learn(
                released.values, released.schema, **options, **own
            )
            return coding, self.n_iterations
        coding, search = learn_released_parts(
            released.values,
            released.schema,
            **own,
            seed=seed,
            n_iterations=self.n_iterations,
            time_limit=clock.first(SEARCH_SHARE / 2),
            n_jobs=self.n_jobs,
            callback=self.callback,
        )
        # Who stopped the search for parts waits for no other one.
        return coding, 1 if search.stopped_by == "user" else self.n_iterations

    def sample(
        self,
        n: int | None = None,
        *,
        k: int | None = None,
        given: str | None = None,
        where: str | None = None,
        n_per: str | None = None,
        random_state: Seed = None,
    ) -> pd.DataFrame:
        """Draw synthetic rows, in random order; those of a person side by side.

        Rows that meet conditions have the distribution of the model under them: they
        are as those that meet them among many rows without conditions. The clusters
        and parts of independent variables are drawn so from the start; what is left,
        rows are drawn for until enough meet it, up to the tries of
        `generators.plain.rows`. Persons of several rows are drawn whole: they meet
        conditions if all of their rows do.

        Parameters
        ----------
        n : int, optional
            Number of rows; as many as the table had by default.
        k : int, optional
            Draw from a coarser grid, whose clusters hold at least k individuals; from
            trees without the splits that leave fewer. Not from trees of persons.
        given : str, optional
            Conditions on single columns, such as ``"sex=F,age>=60"``; the grammar is
            that of `coclust_synth.tables.conditions`.
        where : str, optional
            Conditions between columns too, such as ``"total = net + tax"``. Dates are
            days in sums: ``"discharged <= admitted + 30"``.
        n_per : str, optional
            As many rows for each value of a column of categories, or, where columns are
            drawn from trees, of whole numbers that 20 individuals have each, such as
            ``"region=100"``, which is the same in all rows of a person. Values that
            fewer than k individuals have, under the other conditions, are left out with
            a warning.
        random_state : int, SeedSequence, Generator or None, default=None
            By default that of the synthesizer.

        Returns
        -------
        DataFrame
            With the columns and types of the table; of the library whose frame was
            fitted, by default pandas.

        Raises
        ------
        NotFittedError
            Before `fit` or `load`.
        ParameterError
            If `n` is below 1, `k` below that of the model, which tells nothing of fewer
            individuals, or above their number; if conditions do not read, name what is
            not in the model, are met by fewer than k individuals by the model (the
            share of drawn rows that meet them, times the individuals of the table), or
            by too few of the rows tried; if the column of `n_per` differs within
            persons.

        Warns
        -----
        DataWarning
            If values of `n_per` are left out.
        """
        model = self._fitted()
        check_choice("marginals", self.marginals, MARGINALS)
        if n is not None:
            check_integer("n", n, minimum=1)
        if k is not None:
            model = model.coarsened(k)
        rows, n = ModelRows.asked(model, self.marginals, n, given, where, n_per)
        seed = self.random_state if random_state is None else random_state
        check_jobs("n_jobs", self.n_jobs)
        check_seed("random_state", seed)
        rng = np.random.default_rng(seed)
        frame = model.finished(rows.draw(n, rng))
        return in_library(frame, getattr(self, "library_", None))

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the model to a file, from which `load` and `sample` go on.

        Raises
        ------
        OutputError
            If the file exists and `force` is false, or cannot be written.
        """
        self._fitted().save(path, force=force)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, random_state: Seed = None) -> Self:
        """Read a model that `save` wrote.

        Raises
        ------
        ModelFileError
            If the file is missing, truncated, foreign, or of a newer format.
        """
        model = PlainModel.load(path)
        marginals = "grid" if model.cluster_parts is None else "cluster"
        within, cut = "trees", "uneven"
        if model.structure is None:
            within, cut = "independent", model.cut
        synthesizer = cls(
            within=within, marginals=marginals, cut=cut, random_state=random_state
        )
        synthesizer.model_ = model
        return synthesizer

    def _fitted(self):
        check_fitted(self, "model_")
        return self.model_


def clusters_for_another_k(
    synthesizer: CoclusterSynthesizer,
) -> MODLCoclustering | None:
    """The co-clustering that a fit to the same table, for another k, can be given.

    None, by which it is searched again, where columns were learnt from by labels, keys
    by numbers or marks, or dates that stand for none: those of a model that is given
    are as the table has them.
    """
    model = synthesizer.model_
    has_no_dates = any(own.no_date is not None for own in model.drawn_schema.columns)
    is_other = model.spelt or model.nested or model.lacked_keys or has_no_dates
    return None if is_other else synthesizer.coclustering_


def _rules_and_spelt(schema, evidence, spelt, k, nested):
    """The rules of a table, and how its texts are spelt beside these.

    A schema that states rules cannot know of columns that are made: their orders are
    found, and what never occurs beside those of which nothing is told. No rule is about
    numbers of nested keys.
    """
    stated, made, untold = schema.kept.rules, made_by(spelt), untold_by(spelt)
    if stated is not None and made:
        orders = find_orders(evidence, k)
        stated += tuple(own for own in orders if made.issuperset(own.columns))
    rules = rules_of(evidence, stated, k).but_of({own.column for own in nested})
    if untold:
        rules = with_combinations_of(untold, rules, evidence, k)
    return rules, unmoved(spelt, [rule.relation for rule in rules.all])


def _check_no_key(schema, person_id):
    """Refuse a key that the persons are told by."""
    if schema[person_id].treatment == "key":
        raise ParameterError(
            "Expected keys that are not the column of the persons, as persons are "
            f"named anew in any case. Received {person_id!r} as both. Leave out the "
            "key."
        )
