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

from coclust_synth.generators.plain.structured.checks import check
from coclust_synth.generators.plain.structured.dates.date_features import DateFeature
from coclust_synth.generators.plain.structured.dates.distances import Distance
from coclust_synth.generators.plain.structured.drawn import Drawn
from coclust_synth.generators.plain.structured.equal import Equal
from coclust_synth.generators.plain.structured.roundness import Roundness
from coclust_synth.generators.plain.structured.staying import Stayed
from coclust_synth.generators.plain.trees.column_tree import ColumnTree
from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.relations import DayOf
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
            "columns": [drawn.to_dict() for drawn in self.columns],
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
        columns = _columns(data["columns"], arrays, coding)
        rules = Rules(
            tuple(map(Rule.from_dict, data["rules"])),
            tuple(map(Combinations.from_dict, data["combinations"])),
            # The first models had none.
            tuple(map(Lookup.from_dict, data.get("lookups", ()))),
        )
        structure = cls(
            coding,
            columns,
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
        check(structure)
        return structure


def _columns(saved, arrays, coding):
    """How each column of a saved model is drawn."""
    # Models that were saved before expect nothing.
    expected = [each.get("expected") for each in saved]
    shapes = [each["tree"] for each in saved]
    shapes += [shape for shape in expected if shape is not None]
    parts = [each.get("parts", ()) for each in saved]
    shapes += [shape for of in parts for _, shape in of]
    trees = ColumnTree.parted(shapes, arrays)
    own, others = trees[: len(saved)], iter(trees[len(saved) :])
    of_expected = [None if shape is None else next(others) for shape in expected]
    of_parts = [[next(others) for _ in of] for of in parts]
    both = zip(saved, own, of_expected, of_parts, strict=True)
    return tuple(
        Drawn.from_dict(each, coding.parts[int(each["column"])], *of)
        for each, *of in both
    )


def _feature(data):
    """A part of a date, or what is drawn before a number, of a saved model."""
    kinds = {"steps": Roundness, "other": Equal}
    kind = next((kinds[key] for key in kinds if key in data), DateFeature)
    return kind.from_dict(data)
