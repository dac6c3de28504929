"""What hangs together in a table: a tree for each column, and rules that are kept.

A structure is learnt inside a co-clustering: the cluster of an individual, of k at
least, is the first thing that a column can depend on, the columns before it are the
others. Each leaf describes k individuals or more, each atom and each pooled category as
many as `AtomParts` and `release_values` say. A rule is found in all rows: that it holds
is told of everybody, and one person who breaks it can make it disappear.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from coclust_synth.generators.plain.structured.dates.date_features import DateFeature
from coclust_synth.generators.plain.structured.dates.distances import Distance
from coclust_synth.generators.plain.structured.dates.following import calendar_of
from coclust_synth.generators.plain.structured.drawn import Drawn
from coclust_synth.generators.plain.structured.equal import Equal
from coclust_synth.generators.plain.structured.learning import Learning
from coclust_synth.generators.plain.structured.leaves.along import Along
from coclust_synth.generators.plain.structured.leaves.inside import Inside
from coclust_synth.generators.plain.structured.roundness import Roundness
from coclust_synth.generators.plain.structured.staying import Stayed
from coclust_synth.generators.plain.trees.column_tree import ColumnTree
from coclust_synth.generators.plain.trees.mostly import MostlyTold
from coclust_synth.tables.laws.calendars import Calendar
from coclust_synth.tables.laws.grains import Grains
from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.relations import (
    DayOf,
    Dependence,
    Fit,
    Nested,
    Never,
    relation_from_dict,
)
from coclust_synth.tables.rules.evidence import Evidence, number_scales
from coclust_synth.tables.rules.kept import Rule, Rules
from coclust_synth.tables.rules.measured import count_broken
from coclust_synth.tables.rules.values.combinations import (
    Combinations,
    from_digits,
    to_digits,
)
from coclust_synth.tables.rules.values.lookup import Lookup


@dataclass(frozen=True, eq=False)
class Structure:
    """What the rows of a cluster are drawn from.

    Attributes
    ----------
    coding : TableCoding
        Atoms and categories of each of the d columns.
    columns : tuple of Drawn
        In the order in which they are drawn.
    rules : Rules
        That the table respects, and that are kept: statements about all its rows.
    bins : tuple of ndarray of int32
        Of each column, the bin of each of its codes.
    cluster_rows : ndarray of int64, shape (C,)
        Rows of each cluster of individuals.
    given : tuple of int, default=()
        Columns that are not drawn: others depend on them.
    cluster_merges : ndarray of int64, shape (C - 1, 2), or None
        How the clusters become one, see `ClusteredRows.uneven_merges`; None where
        nothing coarser is asked of it.
    features : tuple of DateFeature, Roundness and Equal, default=()
        Parts of dates, how round numbers are, and whether they equal others, that trees
        ask for: their codes come after the cluster.
    distances : tuple of Distance, default=()
        That trees ask for: their codes come after those of features.
    reach : mapping of int to ndarray of bool, shape (C, bins of the column)
        Bins of a column that each cluster may have, see `find_reach`; of other columns
        they may have any.
    stayed : tuple of Stayed, default=()
        That trees ask for: their codes come after those of distances.
    """

    coding: TableCoding
    columns: tuple[Drawn, ...]
    rules: Rules
    bins: tuple[np.ndarray, ...]
    cluster_rows: np.ndarray
    given: tuple[int, ...] = ()
    cluster_merges: np.ndarray | None = None
    features: tuple[DateFeature | Roundness | Equal, ...] = ()
    distances: tuple[Distance, ...] = ()
    reach: Mapping[int, np.ndarray] = field(default_factory=dict)
    stayed: tuple[Stayed, ...] = ()

    @cached_property
    def unbound(self):
        """Names of the columns that are, see `Drawn.is_unbound`."""
        names = self.coding.names
        return {names[own.column] for own in self.columns if own.is_unbound}

    def ends_of(self, name):
        """The numbers that the atoms of a column go from and to, (2,) float64."""
        parts = self.coding.parts[self.coding.names.index(name)]
        ends = np.array([parts.lows.min(), parts.highs.max()])
        return ends / self.scales[name].per_day

    def room_of(self, rule):
        """Lowest and highest number that a rule may say of its target, (2,) float64.

        It is between its ends then: what is said is rounded, to half a step beyond, and
        of a moment the day is said. Ends are rounded: of a day that begins with the
        last one nothing else is left.
        """
        (first, last), scale = self.ends_of(rule.target), self.scales[rule.target]
        if isinstance(rule, DayOf):
            return np.floor([first, last if scale.per_day == 1 else np.ceil(last) - 1])
        half = (getattr(scale.ruler, "step", None) or 0) / 2 / scale.per_day
        return np.array([first - half, last + half])

    @cached_property
    def last_values(self):
        """Numbers that columns go from and to where 20 have them.

        By the name of the column, (2,) float64 each: infinite where fewer do. Nobody is
        below the first, or above the last: an age of 18 at which all may marry, deaths
        that an order with a balance below 0 would have there.
        """
        ends = {}
        for drawn in self.columns:
            name = self.coding.names[drawn.column]
            parts = self.coding.parts[drawn.column]
            is_about = drawn.fit is not None and drawn.fit.about
            if isinstance(parts, AtomParts) and len(parts.lows) and not is_about:
                is_value = parts.lows == parts.highs
                first, last = parts.lows.argmin(), parts.highs.argmax()
                own = self.ends_of(name)
                held = is_value[first], is_value[last]
                if any(held):
                    ends[name] = np.where(held, own, (-np.inf, np.inf))
        return ends

    @property
    def schema(self):
        """Of the columns."""
        return self.coding.schema

    @cached_property
    def scales(self):
        """Between values and numbers, of the columns that rules compare."""
        return number_scales(self.coding)

    @classmethod
    def learn(
        cls,
        evidence,
        rules,
        clusters,
        k,
        given=(),
        earlier=None,
        listed=(),
        only_for=None,
        order=None,
    ):
        """Grow a tree for each column of a table.

        Parameters
        ----------
        evidence : Evidence
            The table, in atoms.
        rules : Rules
            Of the table.
        clusters : ndarray of int64, shape (n,)
            Cluster of each individual, of k at least.
        k : int
            Individuals of each leaf, at least.
        given : sequence of str, default=()
            Columns that others depend on, and that are known when they are drawn.
        earlier : mapping of str to str, optional
            Of columns, that of `given` with their value of the row before; empty for
            first rows of persons.
        listed : collection of str, default=()
            Numbers that are codes: their order says nothing.
        only_for : mapping of str to str, optional
            Of columns of `given`, the only one that depends on each.
        order : sequence of str, optional
            Columns in the order in which they are drawn, but after what they are told
            from; by default that of the table.

        Returns
        -------
        Structure
        """
        of_rows = given, earlier, listed, only_for, order
        learning = Learning(evidence, rules, clusters, k, *of_rows)
        columns = tuple(learning.columns())
        drawn = [each.column for each in columns]
        return cls(
            evidence.coding,
            columns,
            rules,
            evidence.of_codes,
            np.bincount(clusters),
            learning.given,
            features=learning.features,
            distances=learning.distances,
            stayed=learning.stayed,
            reach=find_reach(evidence, rules.tables, clusters, drawn),
        )

    def count_broken(self, frame, pools=()):
        """How many rows of a table that was drawn from it break each rule.

        Parameters
        ----------
        frame : DataFrame
        pools : sequence of Pool, default=()
            Of rows of persons, whose columns are coded without: values that stand for
            several break no rule of codes and labels.

        Returns
        -------
        list of int or None
            None of a fit that is about right.
        """
        names = {*self.coding.names}
        asked = [p for p in pools if {p.name, p.parent or p.name} <= names]
        coding = replace(self.coding, pools=self.coding.pools or tuple(asked))
        evidence = Evidence.of_drawn(frame, coding, self.bins)
        return count_broken(self.rules, evidence)

    def to_dict(self):
        """JSON compatible form of all but the trees, whose arrays are `arrays`."""
        return {
            "coding": self.coding.to_dict(),
            "columns": [
                {
                    "column": drawn.column,
                    "fit": None if drawn.fit is None else drawn.fit.to_dict(),
                    "residuals": None
                    if drawn.residuals is None
                    else drawn.residuals.to_dict(),
                    "fill": drawn.fill,
                    "equals": drawn.equals.to_dict()
                    if isinstance(drawn.equals, Fit)
                    else drawn.equals,
                    "tied": drawn.tied,
                    "tree": drawn.tree.shape(),
                }
                | (
                    {"expected": drawn.expected.shape()}
                    if drawn.expected is not None
                    else {}
                )
                | {"parts": [[place, tree.shape()] for place, tree in drawn.parts]}
                | ({"is_unbound": True} if drawn.is_unbound else {})
                | {"calendar": drawn.calendar and drawn.calendar.to_dict()}
                | ({"grains": drawn.grains.to_dict()} if drawn.grains else {})
                | ({"along": drawn.along.to_dict()} if drawn.along else {})
                | ({"inside": drawn.inside.to_dict()} if drawn.inside else {})
                | ({"seasons": list(drawn.seasons)} if drawn.seasons else {})
                | (
                    {"told": [own.to_dict() for own in drawn.told]}
                    if drawn.told
                    else {}
                )
                for drawn in self.columns
            ],
            "rules": [rule.to_dict() for rule in self.rules.all],
            "combinations": [each.to_dict() for each in self.rules.combinations],
            "lookups": [each.to_dict() for each in self.rules.lookups],
            "bins": [of.tolist() for of in self.bins],
            "cluster_rows": self.cluster_rows.tolist(),
            "given": list(self.given),
            "cluster_merges": None
            if self.cluster_merges is None
            else self.cluster_merges.tolist(),
            "features": [own.to_dict() for own in self.features],
            "distances": [own.to_dict() for own in self.distances],
            "stayed": [own.to_dict() for own in self.stayed],
            "reach": {str(j): to_digits(may) for j, may in self.reach.items()},
        }

    def arrays(self):
        """Arrays of all trees, one after the other."""
        expected = [drawn.expected for drawn in self.columns]
        return ColumnTree.joined(
            [
                *(drawn.tree for drawn in self.columns),
                *(tree for tree in expected if tree is not None),
                *(tree for drawn in self.columns for _, tree in drawn.parts),
            ]
        )

    @classmethod
    def from_dict(cls, data, arrays):
        """Inverse of `to_dict` and `arrays`.

        Raises
        ------
        ValueError, KeyError, TypeError
            If the pieces do not fit together.
        """
        coding = TableCoding.from_dict(data["coding"])
        # Models that were saved before expect nothing.
        expected = [each.get("expected") for each in data["columns"]]
        shapes = [each["tree"] for each in data["columns"]]
        shapes += [shape for shape in expected if shape is not None]
        parts = [each.get("parts", ()) for each in data["columns"]]
        shapes += [shape for of in parts for _, shape in of]
        trees = ColumnTree.parted(shapes, arrays)
        others, columns = iter(trees[len(expected) :]), []
        of_expected = [None if shape is None else next(others) for shape in expected]
        of_parts = [
            tuple((int(place), next(others)) for place, _ in of) for of in parts
        ]
        own_trees = zip(trees, of_expected, of_parts, strict=False)
        for each, own in zip(data["columns"], own_trees, strict=True):
            fit, residuals = each["fit"], each["residuals"]
            columns.append(
                Drawn(
                    int(each["column"]),
                    own[0],
                    None if fit is None else relation_from_dict(fit),
                    None if residuals is None else AtomParts.from_dict(residuals),
                    float(each["fill"]),
                    _equals(each["equals"]),
                    None if each.get("tied") is None else tuple(each["tied"]),
                    *own[1:],
                    bool(each.get("is_unbound", False)),
                    _calendar(each, coding),
                    Grains.from_dict(each["grains"]) if "grains" in each else None,
                    Along.from_dict(each["along"]) if "along" in each else None,
                    Inside.from_dict(each["inside"]) if "inside" in each else None,
                    tuple(map(float, each.get("seasons", ()))),
                    tuple(map(MostlyTold.from_dict, each.get("told", ()))),
                )
            )
        rules = Rules(
            tuple(map(Rule.from_dict, data["rules"])),
            tuple(map(Combinations.from_dict, data["combinations"])),
            # The first models had none.
            tuple(map(Lookup.from_dict, data.get("lookups", ()))),
        )
        structure = cls(
            coding,
            tuple(columns),
            rules,
            tuple(np.array(of, dtype=np.int32) for of in data["bins"]),
            np.array(data["cluster_rows"], dtype=np.int64),
            tuple(map(int, data["given"])),
            None
            if data["cluster_merges"] is None
            else np.array(data["cluster_merges"], dtype=np.int64).reshape(-1, 2),
            # Models that were saved before have parts of dates only.
            tuple(map(_feature, data.get("features", data.get("date_features", ())))),
            tuple(map(Distance.from_dict, data.get("distances", ()))),
            {int(j): from_digits(may) for j, may in data.get("reach", {}).items()},
            tuple(map(Stayed.from_dict, data.get("stayed", ()))),
        )
        structure._check()
        return structure

    def _check(self):
        """Raise a ValueError unless kernels can be trusted with all indices."""
        n_codes = [parts.n_parts for parts in self.coding.parts]
        if not (self.cluster_rows >= 0).all() or not self.cluster_rows.any():
            raise ValueError("clusters")
        merges = self.cluster_merges
        if merges is not None:
            made = np.arange(len(merges)) + len(self.cluster_rows)
            each_once = np.sort(merges.ravel())
            if (
                len(merges) != len(self.cluster_rows) - 1
                or (each_once != np.arange(2 * len(merges))).any()
                or (merges >= made[:, None]).any()
            ):
                raise ValueError("cluster_merges")
        known = {own.column for own in self.features}
        known |= {own.since for own in self.features} - {None}
        equals = [own for own in self.features if isinstance(own, Equal)]
        known |= {of for own in equals for of in (own.other, own.beside)} - {None}
        if not known <= set(range(len(n_codes))):
            raise ValueError("features")
        ends = {end for own in self.distances for end in (own.column, own.since)}
        if not ends <= {j for j, n in enumerate(self.coding.names) if n in self.scales}:
            raise ValueError("distances")
        of_stayed = {end for own in self.stayed for end in (own.column, own.since)}
        if not of_stayed <= set(range(len(n_codes))):
            raise ValueError("stayed")
        asked = *self.features, *self.distances, *self.stayed
        n_asked = [own.n_codes for own in asked]
        n_asked = [*n_codes, len(self.cluster_rows), *n_asked]
        drawn = [each.column for each in self.columns]
        if sorted([*drawn, *self.given]) != list(range(len(n_codes))):
            raise ValueError("columns")
        known_before = {*self.given}
        for each in self.columns:
            n_own = each.parts_of(self.coding.parts[each.column]).n_parts
            each.tree.check(n_own + (each.equals is not None), n_asked)
            for other, says in each.told:
                is_sound = other in known_before and len(says) == n_codes[other]
                if not is_sound or min(says) < -1 or max(says) >= n_own:
                    raise ValueError("told")
            known_before.add(each.column)
            if each.expected is not None:
                each.expected.check(n_own, n_asked)
            if each.along is not None:
                each.along.check(len(each.tree.left), {*self.scales})
            if each.inside is not None:
                numbers = {
                    j for j, n in enumerate(self.coding.names) if n in self.scales
                }
                each.inside.check(len(each.tree.left), numbers)
            for place, tree in each.parts:
                if self.features[place].column != each.column:
                    raise ValueError("parts")
                tree.check(self.features[place].n_codes, n_asked)
        for of, n in zip(self.bins, n_codes, strict=True):
            if len(of) != n or (of < 0).any():
                raise ValueError("bins")
        about_values = [
            r for r in self.rules.relations if isinstance(r, Nested | Never)
        ]
        if len(about_values) != len(self.rules.combinations):
            raise ValueError("rules")
        self._check_lookups()
        for j, may in self.reach.items():
            n_bins = self.bins[j].max(initial=0) + 1 if j in drawn else 0
            if may.shape != (len(self.cluster_rows), n_bins):
                raise ValueError("reach")
        for rule in self.rules.combinations:
            for side, n in zip(
                (rule.first, rule.second), rule.allowed.shape, strict=True
            ):
                if self.bins[side].max(initial=0) >= n:
                    raise ValueError("combinations")

    def _check_lookups(self):
        """Raise a ValueError unless each dependence has one, of known codes."""
        names = self.coding.names
        n_codes = dict(zip(names, self.coding.n_parts_per_variable, strict=True))
        held = {(own.columns, own.target) for own in self.rules.lookups}
        dependences = {
            (each.parents, each.target)
            for each in self.rules.relations
            if isinstance(each, Dependence)
        }
        if not dependences <= held:
            raise ValueError("lookups")
        for own in self.rules.lookups:
            classes = () if own.limits is None else own.limits.classes
            told = np.concatenate([own.codes, *classes])
            beyond = told.max(initial=0) >= n_codes[own.target]
            sizes = np.array([n_codes[name] for name in own.columns])
            if beyond or (own.keys >= sizes).any():
                raise ValueError("lookups")


def _feature(data):
    """A part of a date, or what is drawn before a number, of a saved model."""
    kinds = {"steps": Roundness, "other": Equal}
    kind = next((kinds[key] for key in kinds if key in data), DateFeature)
    return kind.from_dict(data)


def _equals(data):
    """What a column of a saved model equals: a column, a sum of others, or None."""
    return relation_from_dict(data) if isinstance(data, dict) else data


def _calendar(data, coding):
    """Of dates that a fit is about; models saved before have that of the column."""
    if "calendar" in data:
        own = data["calendar"]
        return None if own is None else Calendar.from_dict(own)
    is_about = data["fit"] is not None and relation_from_dict(data["fit"]).about
    parts = coding.parts[int(data["column"])]
    is_of_dates = is_about and isinstance(parts, AtomParts)
    return calendar_of(parts) if is_of_dates else None


def find_reach(evidence, tables, clusters, order):
    """Bins of columns that a cluster may have, where there are some that it may not.

    Those who apply for a loan alone have no joint income, and nobody whose debts are
    beyond 40 % of the own income applies alone. A tree that tells the debts may still
    leave such debts to a cluster of people who apply alone. The rule then gives these a
    joint income, which nobody of the cluster has: one row in thirty too many has one.
    So a cluster may have a bin if of each later column it has a bin that may meet it:
    all bins that its own individuals have. That nobody of a cluster has a bin, which
    one person of it can change, is told by the leaves of the trees as well.

    Parameters
    ----------
    evidence : Evidence
    tables : mapping of (int, int) to ndarray of bool
        Bins of two columns that may meet, see `Rules.tables`.
    clusters : ndarray of int64, shape (n,)
        Of each row.
    order : sequence of int
        Columns that are drawn, in order.

    Returns
    -------
    dict of int to ndarray of bool, shape (number of clusters, bins of the column)
    """
    reach, held = {}, {}
    for at, j in reversed([*enumerate(order)]):
        own = [
            # Of a cluster, how many of the bins that it has may meet each one.
            held[later].astype(np.float32) @ tables[later, j]
            for later in order[at + 1 :]
            if (later, j) in tables
        ]
        may = np.all([met > 0 for met in own], axis=0) if own else np.True_
        if not may.all():
            reach[j] = may
        held[j] = np.zeros((clusters.max() + 1, evidence.n_bins[j]), dtype=bool)
        held[j][clusters, evidence.bins[:, j]] = True
    return reach
