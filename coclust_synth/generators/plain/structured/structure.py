"""What hangs together in a table: a tree for each column, and rules that are kept.

A structure is learnt inside a co-clustering: the cluster of an individual, of k at
least, is the first thing that a column can depend on, the columns before it are the
others. Each leaf describes k individuals or more, each atom and each pooled category as
many as `AtomParts` and `release_values` say. A rule is found in all rows: that it holds
is told of everybody, and one person who breaks it can make it disappear.
"""

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from coclust_synth.generators.plain.structured.ties import find_stays, find_tie
from coclust_synth.generators.plain.structured.trees import ColumnTree, grow_tree
from coclust_synth.tables.draws.rulers import ContinuousRuler
from coclust_synth.tables.parts.atoms import AtomParts, learn_atoms
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.relations import (
    Dependence,
    Nested,
    Never,
    Relation,
    Share,
    relation_from_dict,
)
from coclust_synth.tables.rows import count_values
from coclust_synth.tables.rules.combinations import Combinations
from coclust_synth.tables.rules.dependences import Lookup
from coclust_synth.tables.rules.evidence import Evidence, number_scales
from coclust_synth.tables.rules.fits import dependants, misses
from coclust_synth.tables.rules.found import Rule, Rules, count_broken
from coclust_synth.tables.schema import LISTED_KINDS

# Logarithms of residuals are told to so many digits.
_LOG_DIGITS = 6


@dataclass(frozen=True, eq=False)
class Drawn:
    """How one column is drawn.

    Attributes
    ----------
    column : int
        Its position.
    tree : ColumnTree
        Over the codes of its parts, or of what a fit leaves; the cluster of the
        individual is the column after the last one.
    fit : Fit, Share, DatePart, Age or None
    residuals : AtomParts or None
        What the fit leaves.
    fill : float
        What the fit is taken to say where it says nothing.
    equals : str or None
        A column drawn before, of which this one has the value where its code is one
        more than there are parts.
    tied : (float, float) or None
        From where to where `equals` is then, of numbers. None of other columns, and of
        models that were saved before: from the lowest to the highest end of the column.
    expected : ColumnTree or None
        Over what does not change from row to row, and without ties: rows get this
        distribution, see `balance`. None of rows that are no later ones of a person.
    """

    column: int
    tree: ColumnTree
    fit: Relation | None = None
    residuals: AtomParts | None = None
    fill: float = 0.0
    equals: str | None = None
    tied: tuple[float, float] | None = None
    expected: ColumnTree | None = None

    def parts_of(self, parts):
        """What is drawn: residuals, or `parts`, those of the column."""
        return parts if self.residuals is None else self.residuals

    def base(self, numbers):
        """What the fit says of each row, given the numbers drawn; None without one."""
        if self.fit is None:
            return None
        base = self.fit.predict(numbers)
        return np.where(np.isnan(base), self.fill, base)

    def with_base(self, base, residuals, parts, scale):
        """Values of the column: what the fit says, and what it leaves."""
        if isinstance(self.fit, Share):
            return scale.nearest(base * residuals)
        if not self.fit.logarithms:
            return scale.ruler.snap(scale.nearest(base) + residuals)
        values = scale.nearest(np.exp(base + residuals))
        if self.fit.about:
            return np.clip(values, parts.lows.min(), parts.highs.max())
        return values


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
    """

    coding: TableCoding
    columns: tuple[Drawn, ...]
    rules: Rules
    bins: tuple[np.ndarray, ...]
    cluster_rows: np.ndarray
    given: tuple[int, ...] = ()
    cluster_merges: np.ndarray | None = None

    @property
    def schema(self):
        """Of the columns."""
        return self.coding.schema

    @cached_property
    def scales(self):
        """Between values and numbers, of the columns that rules compare."""
        return number_scales(self.coding)

    @classmethod
    def learn(cls, evidence, rules, clusters, k, given=(), earlier=None):
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
            Of columns, that of `given` with their value of the row before.

        Returns
        -------
        Structure
        """
        coding, codes = evidence.coding, evidence.codes
        earlier = {} if earlier is None else earlier
        fits, persons = rules.fits, evidence.persons
        n_codes, n_ordered = _sizes(coding, int(clusters.max()) + 1)
        features = np.column_stack([codes, clusters]).astype(np.int32)
        grow = partial(
            grow_tree,
            codes=features,
            n_codes=n_codes,
            n_ordered=n_ordered,
            k=k,
            persons=persons,
        )
        lasting = [name for name in given if name not in earlier.values()]
        lasting = [len(coding.parts), *map(coding.names.index, lasting)]
        given = tuple(map(coding.names.index, given))
        columns, before = [], [len(coding.parts), *given]
        for name in _order(coding.names, rules.told):
            j = coding.names.index(name)
            if j in given:
                continue
            own, n_own = codes[:, j], (int(n_codes[j]), int(n_ordered[j]))
            how = {}
            if name in fits:
                how = _residuals(fits[name], evidence, coding.parts[j])
                own, atoms = how.pop("codes"), how["residuals"]
                n_own = atoms.n_parts, len(atoms.lows)
            if earlier:
                how["expected"] = grow(own, n_own, lasting)
            if name not in fits:
                drawn = {coding.names[c] for c in before[1:]}
                other, ties = _tie(name, evidence, rules, drawn, k, earlier)
                if other is not None:
                    own = np.where(ties, n_own[0], own)
                    n_own, how["equals"] = (n_own[0] + 1, n_own[1]), other
                    if other in evidence.numbers:
                        how["tied"] = _ends_of_ties(name, evidence, other, ties)
            columns.append(Drawn(j, grow(own, n_own, before), **how))
            before.append(j)
        rows = np.bincount(clusters)
        return cls(coding, tuple(columns), rules, evidence.of_codes, rows, given)

    def count_broken(self, frame):
        """How many rows of a table that was drawn from it break each rule.

        Parameters
        ----------
        frame : DataFrame

        Returns
        -------
        list of int or None
            None of a fit that is about right.
        """
        evidence = Evidence.of_drawn(frame, self.coding, self.bins)
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
                    "equals": drawn.equals,
                    "tied": drawn.tied,
                    "tree": drawn.tree.shape(),
                }
                | (
                    {"expected": drawn.expected.shape()}
                    if drawn.expected is not None
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
        }

    def arrays(self):
        """Arrays of all trees, one after the other."""
        expected = [drawn.expected for drawn in self.columns]
        return ColumnTree.joined(
            [
                *(drawn.tree for drawn in self.columns),
                *(tree for tree in expected if tree is not None),
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
        trees = ColumnTree.parted(shapes, arrays)
        of_expected, columns = iter(trees[len(expected) :]), []
        for each, tree in zip(data["columns"], trees, strict=False):
            fit, residuals = each["fit"], each["residuals"]
            columns.append(
                Drawn(
                    int(each["column"]),
                    tree,
                    None if fit is None else relation_from_dict(fit),
                    None if residuals is None else AtomParts.from_dict(residuals),
                    float(each["fill"]),
                    each["equals"],
                    None if each.get("tied") is None else tuple(each["tied"]),
                    None if each.get("expected") is None else next(of_expected),
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
        of_codes_and_clusters = [*n_codes, len(self.cluster_rows)]
        drawn = [each.column for each in self.columns]
        if sorted([*drawn, *self.given]) != list(range(len(n_codes))):
            raise ValueError("columns")
        for each in self.columns:
            n_own = each.parts_of(self.coding.parts[each.column]).n_parts
            each.tree.check(n_own + (each.equals is not None), of_codes_and_clusters)
            if each.expected is not None:
                each.expected.check(n_own, of_codes_and_clusters)
        for of, n in zip(self.bins, n_codes, strict=True):
            if len(of) != n or (of < 0).any():
                raise ValueError("bins")
        about_values = [
            r for r in self.rules.relations if isinstance(r, Nested | Never)
        ]
        if len(about_values) != len(self.rules.combinations):
            raise ValueError("rules")
        self._check_lookups()
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
            beyond = own.codes.max(initial=0) >= n_codes[own.target]
            sizes = np.array([n_codes[name] for name in own.columns])
            if beyond or (own.keys >= sizes).any():
                raise ValueError("lookups")


def _tie(name, evidence, rules, drawn, k, earlier):
    """The column of which one often has the value, and in which rows; None without."""
    if name in earlier:
        codes, names = evidence.codes, evidence.coding.names
        of = dict(zip(names, codes.T, strict=True)) | evidence.numbers
        stays = find_stays(of[name], of[earlier[name]], k)
        if stays is not None:
            return earlier[name], stays
    if name in evidence.numbers:
        return find_tie(name, rules.orders, evidence.numbers, drawn, k)
    return None, None


def _ends_of_ties(name, evidence, other, ties):
    """The ends of a column, or beyond them what many have of the one it ties with.

    Open ends are no one's: of twenty loans of the highest amount some may be paid back.
    """
    ends, names = [], evidence.coding.names
    for column, rows in ((name, slice(None)), (other, ties)):
        parts = evidence.coding.parts[names.index(column)]
        codes = np.unique(evidence.codes[rows, names.index(column)])
        codes = codes[codes < len(parts.lows)]
        if column == other:
            codes = codes[parts.lows[codes] == parts.highs[codes]]
        own = np.append(parts.lows[codes], parts.highs[codes])
        ends.append(own / evidence.scales[column].per_day)
    ends = np.concatenate(ends)
    return float(ends.min()), float(ends.max())


def _sizes(coding, n_clusters):
    """Codes of each column and of the clusters, and how many are in an order."""
    n_codes = coding.n_parts_per_variable
    ordered = [
        column.kind not in LISTED_KINDS or column.kind == "ordinal"
        for column in coding.schema.columns
    ]
    with_missing = np.array([parts.with_missing for parts in coding.parts])
    n_ordered = np.where(ordered, n_codes - with_missing, 0)
    return np.append(n_codes, n_clusters), np.append(n_ordered, 0)


def _order(names, fits):
    """Columns in their order in the table, each after those that it is told from.

    Shares of others, and what is told from these, come last: which share a row has,
    any column may tell, and of the amount none tells it.
    """
    late = set()
    for fit in fits.values():
        if isinstance(fit, Share):
            late |= dependants(fit.target, fits)
    done = []

    def put(name):
        if name in done:
            return
        for parent in fits[name].parents if name in fits else ():
            put(parent)
        done.append(name)

    for name in sorted(names, key=late.__contains__):
        put(name)
    return done


def _middle_atom(parts, codes):
    """Mean of the atom that holds the median: the median may be one person's."""
    return float(parts.means[np.sort(codes)[len(codes) // 2]])


def _residuals(fit, evidence, parts):
    """What a fit leaves of a column: its atoms, their codes, and what fills in."""
    numbers, scale = evidence.numbers, evidence.scales[fit.target]
    base, own = fit.predict(numbers), numbers[fit.target]
    missing = np.isnan(own)
    j = evidence.coding.names.index(fit.target)
    fill = _middle_atom(parts, evidence.codes[~missing, j]) / scale.per_day
    if isinstance(fit, Share):
        base = np.where(np.isnan(base), fill, base)
        left, ruler = fit.nearest(own, base), ContinuousRuler()
    elif fit.logarithms:
        # A little below the smallest step where there is no logarithm.
        smallest = getattr(parts.ruler, "step", None) or 1e-9
        fill = float(np.log(max(fill, smallest)))
        left = np.log(np.maximum(np.where(missing, 1.0, own), smallest / 2))
        left = np.round(left - np.where(np.isnan(base), fill, base), _LOG_DIGITS)
        left = np.where(np.isneginf(base), 0.0, left)  # 0 is what is drawn
        ruler = ContinuousRuler()
    else:
        ruler = scale.ruler
        base = np.where(np.isnan(base), fill, base)
        left = ruler.snap(evidence.values[fit.target] - scale.nearest(base))
    if not fit.about and not isinstance(fit, Share):
        # What rounding left of one row would be too much for another.
        missed, known = misses(fit, numbers, scale.ruler)
        left = np.where(known & ~missed, 0, left)
    once = slice(None)
    if evidence.persons is not None:
        held = np.where(missing, -1, np.unique(left, return_inverse=True)[1])
        once = evidence.persons.first_of_each(held)
    counts = count_values(left[once], missing[once])
    atoms = learn_atoms(counts, None, ruler, bool(missing.any()))
    codes = atoms.encode(left, missing)
    return {"fit": fit, "residuals": atoms, "fill": fill, "codes": codes}
