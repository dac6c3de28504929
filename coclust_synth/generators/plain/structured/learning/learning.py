"""How the trees of a table are grown, one column after the other."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from coclust_synth.generators.plain.structured.dates.date_features import (
    find_date_features,
    since_dates,
    told_since,
)
from coclust_synth.generators.plain.structured.dates.distances import find_distances
from coclust_synth.generators.plain.structured.drawn import Drawn
from coclust_synth.generators.plain.structured.equal import Equal, find_equal
from coclust_synth.generators.plain.structured.learning.asked import Asked
from coclust_synth.generators.plain.structured.learning.calendars import (
    with_calendar,
    with_calendar_of_told,
)
from coclust_synth.generators.plain.structured.learning.ties import Tie, Ties
from coclust_synth.generators.plain.structured.leaves.along import learn_along, places
from coclust_synth.generators.plain.structured.leaves.inside import learn_inside, ranks
from coclust_synth.generators.plain.structured.roundness import (
    find_roundness,
    grains_beside,
)
from coclust_synth.generators.plain.structured.staying import find_stayed
from coclust_synth.generators.plain.structured.targets.codes import (
    code_sizes,
    numbers_in_atoms,
    own_codes,
)
from coclust_synth.generators.plain.structured.targets.order import order_of_drawing
from coclust_synth.generators.plain.trees.mostly import Coded, find_mostly_told, said_by
from coclust_synth.generators.plain.trees.trees import grow_tree
from coclust_synth.tables.column import LISTED_KINDS
from coclust_synth.tables.relations import Bill, Fit, Nested, Rate, SumOfKnown
from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.kept import Rules

# Of a column tied to another in more than this share of rows no part is drawn before.
_MOSTLY = 0.5


class Learning:
    """The columns of a table, in the order in which they are drawn.

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
    given : sequence of str
        Columns that others depend on, and that are known when they are drawn.
    earlier : mapping of str to str, or None
        Of columns, that of `given` with their value of the row before; nothing of first
        rows of persons, None of rows of nobody.
    listed : collection of str, default=()
        Numbers whose order says nothing.
    only_for : mapping of str to str, optional
        Of columns of `given`, the only one whose tree can ask for it.
    order : sequence of str, optional
        Columns in the order in which they are drawn, but after what they are told from;
        by default that of the table.

    Attributes
    ----------
    asked : Asked
        What trees can ask for.
    given : tuple of int
    """

    def __init__(
        self,
        evidence: Evidence,
        rules: Rules,
        clusters: NDArray[np.int64],
        k: int,
        given: Sequence[str],
        earlier: Mapping[str, str] | None,
        listed: Collection[str] = (),
        only_for: Mapping[str, str] | None = None,
        order: Sequence[str] | None = None,
    ) -> None:
        of_persons, earlier = earlier is not None, earlier or {}
        self.evidence, self.k, self.earlier = evidence, k, earlier
        names = self.names = evidence.coding.names
        self.given = tuple(map(names.index, given))
        self.rules, self._ties = rules, Ties(evidence, rules, earlier, k)
        lasting = [name for name in given if name not in earlier.values()]
        lasting = [name for name in lasting if name not in (only_for or {})]
        self._lasting = [len(names), *map(names.index, lasting)]
        own = partial(own_codes, evidence=evidence, fits=rules.fits, listed=listed)
        self._own = {n: own(n) for n in names if n not in given}
        goes = self._own | {n: own(n) for n in lasting}
        self._since = since_dates(evidence, self._own, earlier) if of_persons else {}
        drawn = order_of_drawing(order or names, rules.told)
        self._order = [name for name in drawn if name in self._own]
        along = {
            **find_date_features(evidence, goes, earlier, self._since),
            **find_roundness(evidence, self._own, rules.told, k),
            **self._find_equal(listed),
        }
        known = [*given, *self._order]
        apart = find_distances(evidence, self._own, rules.fits, known, k)
        self._stayed = find_stayed(evidence, self._own, earlier, self._order, k)
        goes_with = along, apart, self._stayed
        asked = Asked(evidence, clusters, self.given, *goes_with, listed, only_for)
        self.asked = asked
        # Later rows of persons go along others by places, all other rows by ranks.
        numbers = numbers_in_atoms(evidence, listed)
        self._ranks, self._places_of = {}, {}
        if earlier:
            self._places_of = {
                name: places(own, parts, evidence.scales[name].per_day)
                for name, own, parts in numbers
            }
        elif evidence.persons is None:
            self._ranks = {name: ranks(own) for name, own, _ in numbers}
        self._grow = partial(
            grow_tree,
            codes=asked.codes,
            n_codes=asked.n_codes,
            n_ordered=asked.n_ordered,
            k=k,
            persons=evidence.persons,
            starts=asked.starts,
        )

    def _groups(self, j):
        """What the categories of a column say: whether they are missing, other columns.

        A column that one other tells depends on the rest through that one alone.
        """
        coding, name = self.evidence.coding, self.names[j]
        labels = [
            self.names.index(each.label)
            for each in self.rules.relations
            if isinstance(each, Nested) and each.code == name
        ]
        groups = [
            self.evidence.codes[:, of] for of in labels if not self.asked.n_ordered[of]
        ]
        if coding.parts[j].with_missing:
            missing = coding.n_parts_per_variable[j] - 1
            groups.append((self.evidence.codes[:, j] == missing).astype(np.int64))
        return groups

    def _find_equal(self, listed):
        """Numbers that equal others in many rows, in more than what else ties them."""
        evidence, names, k = self.evidence, self.names, self.k
        sizes = code_sizes(evidence.coding, listed=listed)
        starts = np.array([evidence.first_code(name) for name in names])

        def told_by(name, other):
            own, parents = self._own[name][:2], [names.index(other)]
            of_rows = evidence.codes, *sizes, k, evidence.persons, starts
            return grow_tree(*own, parents, *of_rows).leaf_of(evidence.codes)

        free = self._ties.before(self._order)
        return find_equal(evidence, self._own, self._order, free, told_by, k)

    def columns(self) -> Iterator[Drawn]:
        """How each column that is not given is drawn, in order."""
        for name in self._order:
            yield self._column(name)

    def _column(self, name):
        j, (own, sizes, how) = self.names.index(name), self._own[name]
        if self.earlier:
            how["expected"] = self._grow(own, sizes, self._lasting)
        if name not in self.rules.fits or self._may_stay(name):
            own, sizes, of_tie = self._with_ties(name, own, sizes)
            how |= of_tie
        elif _is_unbound(self.rules.fits[name], self.evidence, self.k):
            how["is_unbound"] = True
        # Parts drawn first would often be those of no date that it could be tied to.
        is_tied = "equals" in how and np.mean(own == sizes[0] - 1) > _MOSTLY
        is_tied &= not self.asked.equals(j)
        is_since = name in self._since and "equals" not in how
        if not is_tied and (name not in self.rules.fits or is_since):
            how["parts"] = tuple(self._parts_of(j))
        grown = partial(
            self._grow, parents=self.asked.by_tree(name), groups=self._groups(j)
        )
        tree = grown(own, sizes)
        told = self._mostly_told(j, tree)
        if told:
            how |= {"equals": self.names[told[0].other], "told": told}
            is_told = own == said_by(told, self.evidence.codes)
            n_codes, *n_ordered = sizes
            tree = grown(np.where(is_told, n_codes, own), (n_codes + 1, *n_ordered))
        drawn, leaf = Drawn(j, tree, **how), tree.leaf_of(self.asked.codes)
        drawn = self._with_calendar(name, drawn, own, leaf)
        if drawn.fit is not None and drawn.fit.about:
            left = self.evidence, drawn.residuals, drawn.tree.leaves, own
            drawn = replace(drawn, grains=grains_beside(name, *left))
        if self.earlier:
            drawn = replace(drawn, along=self._along_others(name, drawn, own, leaf))
        else:
            drawn = replace(drawn, inside=self._inside_leaves(name, drawn, own, leaf))
        self.asked.add(j)
        return drawn

    def _mostly_told(self, j, tree):
        """What tells a column of categories in most rows, and by no rule.

        Not of later rows of persons, of which categories stay or do not. Only what the
        tree asks is looked at: it asks what tells most, though it has too few leaves to
        say it. A column of two categories says no more than one split of it.
        """
        name, schema = self.names[j], self.evidence.coding.schema
        is_told = name in self.rules.fits or self.rules.lookup(name) is not None
        if schema[name].kind not in LISTED_KINDS or is_told or self.earlier:
            return ()
        nested = {
            (own.first, own.second) for own in self.rules.combinations if own.fixes
        }
        others = {
            other: self._coded(other)
            for other in self.asked.columns(name)[1:]
            if other in tree.parents
            and schema[self.names[other]].kind in LISTED_KINDS
            and self._n_known(other) > 2
            and nested.isdisjoint({(other, j), (j, other)})
        }
        if not others:
            return ()
        leaf, count = tree.leaf_of(self.asked.codes), self.evidence.count
        return find_mostly_told(self._coded(j), leaf, others, count, self.k)

    def _coded(self, j):
        """A column of categories, as `find_mostly_told` takes it."""
        codes, parts = self.evidence.codes[:, j], self.evidence.coding.parts[j]
        return Coded(codes.astype(np.int64), codes < self._n_known(j), parts.n_parts)

    def _n_known(self, j):
        """Categories of a column, the missing left out."""
        parts = self.evidence.coding.parts[j]
        return parts.n_parts - parts.with_missing

    def _along_others(self, name, drawn, codes, leaf):
        """Which rows of its leaves get the higher codes of a column, or None."""
        evidence, told = self.evidence, drawn.fit is not None and not drawn.fit.about
        parts = drawn.parts_of(evidence.coding.parts[drawn.column])
        if told or drawn.parts or name not in self._places_of:
            return None
        asked = [self.names[c] for c in self.asked.columns(name)[1:]]
        known = {n: self._places_of[n] for n in asked if n in self._places_of}
        leaves = leaf, len(drawn.tree.left), known, evidence, self.k
        return learn_along(codes, len(parts.lows), *leaves)

    def _inside_leaves(self, name, drawn, codes, leaf):
        """Which rows of its leaves get the higher numbers of a column, or None."""
        evidence, lookup = self.evidence, self.rules.lookup(name)
        features = [self.asked.features[at] for at, _ in drawn.parts]
        has_parts = any(not isinstance(own, Equal) for own in features)
        of_rates, own = isinstance(drawn.fit, Rate), self._ranks.get(name)
        is_told = (drawn.fit is not None and not of_rates) or lookup is not None
        if is_told or has_parts or own is None:
            return None
        atoms = drawn.parts_of(evidence.coding.parts[drawn.column])
        if of_rates:
            whole = drawn.base(evidence.numbers)
            own = ranks(drawn.fit.factor(evidence.numbers[name], whole))
        own = np.where(codes < len(atoms.lows), own, 0)
        asked = {j: self.names[j] for j in self.asked.columns(name)[1:]}
        known = {
            j: self._ranks[other] for j, other in asked.items() if other in self._ranks
        }
        return learn_inside(own, leaf, len(drawn.tree.left), atoms, known, self.k)

    def _with_calendar(self, name, drawn, codes, leaf):
        """The same, with what a calendar has to say of dates that others tell."""
        of_rows = codes, leaf, self.evidence
        if drawn.fit is not None:
            return with_calendar(drawn, *of_rows, self._is_later(name))
        before = {self.names[c] for c in self.asked.before[1:]}
        numbers = self.evidence.numbers
        known = {n: own for n, own in numbers.items() if n in before}
        return with_calendar_of_told(drawn, *of_rows, self.rules.fits, known)

    def _is_later(self, name):
        """Whether a column is told by its distance from that of the row before."""
        return told_since(self.rules.fits[name], self.earlier) is not None

    def _may_stay(self, name):
        """Whether a column that others nearly tell may be that of the row before.

        The day of a prescription is some days before the first treatment.
        """
        fit = self.rules.fits[name]
        is_near = fit.about and not (fit.logarithms or fit.draws_factor)
        return is_near and name in self.earlier and not self._is_later(name)

    def _with_ties(self, name, own, sizes):
        """Codes of a column of which one more says that it has the value of another."""
        asked, j = self.asked, self.names.index(name)
        equals = asked.equals(j)
        ties = [
            Tie(asked.features[p].of(self.names), asked.parts[p] > 0) for p in equals
        ]
        if not equals or asked.has_second_alone(j):
            drawn = {self.names[c] for c in asked.before[1:]}
            ties = [self._ties.of(name, drawn, self._staying(name)), *ties]
        if ties[0].equals is None:
            return own, sizes, {}
        how = {"equals": ties[0].equals}
        if name in self.evidence.numbers:
            how["tied"] = self._ties.ends(name, ties)
        rows = np.any([tie.rows for tie in ties], axis=0)
        return np.where(rows, sizes[0], own), (sizes[0] + 1, *sizes[1:]), how

    def _staying(self, name):
        """Rows in which each column stays that one goes with, of k persons at least."""
        along = zip(self._stayed.values(), self.asked.stay_codes, strict=True)
        return [stays == 1 for names, stays in along if name in names]

    def _parts_of(self, j):
        """The parts of a date that are drawn before it, and their trees.

        First whether it is another: of rows that are, month and weekday say nothing.
        """
        known, name = self.asked, self.names[j]
        equals = known.of_parts(known.equals(j))
        for place in known.in_turn(j):
            feature, is_of_date = known.features[place], known.is_of_date(place)
            if name in self.rules.fits and not _is_after(feature):
                continue
            # Rows that an order ties have no dates of parts that are drawn first.
            if known.has_second_alone(j) and is_of_date:
                continue
            along = known.along[feature]
            asked, parts = known.columns(name), known.parts_with(feature)
            # How round a number is, or whether it is another, goes with all of these.
            if is_of_date:
                asked = [c for c in asked if c in asked[:1] or self.names[c] in along]
                parts = sorted({*parts, *equals})
            asked = [*asked, *parts]
            yield place, self._grow(known.parts[place], (feature.n_codes, 0), asked)
            known.known.append(place)


def _is_after(feature):
    """Whether a part is drawn before a date that is told from that of the row before.

    Its month is nearly that of the row before, and its weekday so many days after it.
    """
    return feature.since is not None or feature.part == "hour"


def _is_unbound(fit, evidence, k):
    """Whether a sum says what no row has of k rows that have none of its target."""
    is_exact = isinstance(fit, Fit) and not (fit.logarithms or fit.about)
    if not (is_exact or isinstance(fit, Bill | SumOfKnown)):
        return False
    names, scale = evidence.coding.names, evidence.scales[fit.target]
    atoms = evidence.coding.parts[names.index(fit.target)]
    ends = atoms.lows.min() / scale.per_day, atoms.highs.max() / scale.per_day
    told = fit.predict(evidence.numbers)[np.isnan(evidence.numbers[fit.target])]
    return bool(((told < ends[0]) | (told > ends[1])).sum() >= k)
