"""How the trees of a table are grown, one column after the other."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coclust_synth.generators.plain.structured.dates.date_features import (
    find_date_features,
    since_dates,
    told_since,
)
from coclust_synth.generators.plain.structured.dates.days_to_dates import DaysToDate
from coclust_synth.generators.plain.structured.dates.distances import find_distances
from coclust_synth.generators.plain.structured.dates.drawn_dates import calendar_left
from coclust_synth.generators.plain.structured.dates.following import calendar_of
from coclust_synth.generators.plain.structured.dates.seasons import learn_seasons
from coclust_synth.generators.plain.structured.drawn import Drawn, find_tie
from coclust_synth.generators.plain.structured.equal import Equal, find_equal
from coclust_synth.generators.plain.structured.leaves.along import learn_along, places
from coclust_synth.generators.plain.structured.leaves.inside import learn_inside, ranks
from coclust_synth.generators.plain.structured.roundness import (
    Roundness,
    find_roundness,
    grains_beside,
)
from coclust_synth.generators.plain.structured.staying import (
    find_stayed,
    find_stays,
    of_most,
)
from coclust_synth.generators.plain.structured.targets.codes import (
    code_sizes,
    codes_of,
    numbers_in_atoms,
    own_codes,
)
from coclust_synth.generators.plain.structured.targets.order import order_of_drawing
from coclust_synth.generators.plain.structured.waves import waves_of
from coclust_synth.generators.plain.trees.mostly import Coded, find_mostly_told, said_by
from coclust_synth.generators.plain.trees.trees import grow_tree
from coclust_synth.tables.column import LISTED_KINDS
from coclust_synth.tables.laws.calendars import PART_SIZES
from coclust_synth.tables.relations import Bill, DayOf, Fit, Nested, Rate, SumOfKnown
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
    given : tuple of int
    features : tuple of DateFeature, Roundness and Equal
        Parts of dates, how round numbers are, and whether they equal others, that trees
        can ask for.
    distances : tuple of Distance
        Of two dates, that trees can ask for.
    stayed : tuple of Stayed
        Whether columns have their value of the row before.
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
        self.rules = rules
        lasting = [name for name in given if name not in earlier.values()]
        lasting = [name for name in lasting if name not in (only_for or {})]
        self._lasting = [len(names), *map(names.index, lasting)]
        own = partial(own_codes, evidence=evidence, fits=rules.fits, listed=listed)
        self._own = {n: own(n) for n in names if n not in given}
        goes = self._own | {n: own(n) for n in lasting}
        self._since = since_dates(evidence, self._own, earlier) if of_persons else {}
        self._along: dict[Any, set[Any]] = {
            **find_date_features(evidence, goes, earlier, self._since),
            **find_roundness(evidence, self._own, rules.told, k),
        }
        drawn = order_of_drawing(order or names, rules.told)
        self._order = [name for name in drawn if name in self._own]
        self._along |= self._find_equal(listed)
        self.features = tuple(self._along)
        self._parts = tuple(codes_of(self.features, evidence))
        self._apart = find_distances(
            evidence, self._own, rules.fits, [*given, *self._order], k
        )
        self.distances = tuple(self._apart)
        apart = tuple(codes_of(self.distances, evidence))
        of_order = earlier, self._order, k
        self._after_stayed = find_stayed(evidence, self._own, *of_order)
        self.stayed = tuple(self._after_stayed)
        of_rows = names, evidence.numbers, evidence.codes
        stays = self._stays = tuple(own.codes(*of_rows) for own in self.stayed)
        # What trees can ask for: columns and clusters, parts of dates, then distances,
        # then whether columns stayed.
        self._before = [len(names), *self.given]
        self._only_for = {names.index(n): of for n, of in (only_for or {}).items()}
        self._known = self._places(self.given)
        codes = [evidence.codes, clusters, *self._parts, *apart, *stays]
        n_clusters = int(clusters.max()) + 1
        others = [(n_clusters, 0), *((own.n_codes, 0) for own in self.features)]
        others += [(own.n_codes, own.n_ordered) for own in self.distances]
        others += [(own.n_codes, own.n_ordered) for own in self.stayed]
        n_codes, n_ordered = code_sizes(evidence.coding, others, listed)
        starts = np.zeros(len(n_codes), dtype=np.int64)
        starts[: len(names)] = [evidence.first_code(name) for name in names]
        self._codes = np.column_stack(codes).astype(np.int32)
        self._n_ordered = n_ordered
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
            codes=self._codes,
            n_codes=n_codes,
            n_ordered=n_ordered,
            k=k,
            persons=evidence.persons,
            starts=starts,
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
            self.evidence.codes[:, of] for of in labels if not self._n_ordered[of]
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

        drawn, free = {*names} - {*self._order}, {}
        for name in self._order:
            if name in evidence.numbers and name not in self.rules.fits:
                other, ties = _tie(name, evidence, self.rules, drawn, k, self.earlier)
                if other is None:
                    free[name] = None, np.zeros(len(evidence.codes), dtype=bool)
                elif isinstance(other, str) and name not in self.earlier:
                    free[name] = other, ties
            drawn = drawn | {name}
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
        is_tied &= not self._equals(j)
        is_since = name in self._since and "equals" not in how
        if not is_tied and (name not in self.rules.fits or is_since):
            how["parts"] = tuple(self._parts_of(j))
        grown = partial(
            self._grow, parents=self._asked(name, j), groups=self._groups(j)
        )
        tree = grown(own, sizes)
        told = self._mostly_told(j, tree)
        if told:
            how |= {"equals": self.names[told[0].other], "told": told}
            is_told = own == said_by(told, self.evidence.codes)
            n_codes, *n_ordered = sizes
            tree = grown(np.where(is_told, n_codes, own), (n_codes + 1, *n_ordered))
        drawn = Drawn(j, tree, **how)
        drawn = self._with_calendar(name, drawn, own)
        if drawn.fit is not None and drawn.fit.about:
            left = self.evidence, drawn.residuals, drawn.tree.leaves, own
            drawn = replace(drawn, grains=grains_beside(name, *left))
        if self.earlier:
            drawn = replace(drawn, along=self._along_others(name, drawn, own))
        else:
            drawn = replace(drawn, inside=self._inside_leaves(name, drawn, own))
        self._before.append(j)
        self._known += [p for p in self._places([j]) if p not in self._known]
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
            for other in self._asked_columns(name)[1:]
            if other in tree.parents
            and schema[self.names[other]].kind in LISTED_KINDS
            and self._n_known(other) > 2
            and nested.isdisjoint({(other, j), (j, other)})
        }
        if not others:
            return ()
        leaf, count = tree.leaf_of(self._codes), self.evidence.count
        return find_mostly_told(self._coded(j), leaf, others, count, self.k)

    def _coded(self, j):
        """A column of categories, as `find_mostly_told` takes it."""
        codes, parts = self.evidence.codes[:, j], self.evidence.coding.parts[j]
        return Coded(codes.astype(np.int64), codes < self._n_known(j), parts.n_parts)

    def _n_known(self, j):
        """Categories of a column, the missing left out."""
        parts = self.evidence.coding.parts[j]
        return parts.n_parts - parts.with_missing

    def _along_others(self, name, drawn, codes):
        """Which rows of its leaves get the higher codes of a column, or None."""
        evidence, told = self.evidence, drawn.fit is not None and not drawn.fit.about
        parts = drawn.parts_of(evidence.coding.parts[drawn.column])
        if told or drawn.parts or name not in self._places_of:
            return None
        asked = [self.names[c] for c in self._asked_columns(name)[1:]]
        known = {n: self._places_of[n] for n in asked if n in self._places_of}
        tree = drawn.tree
        leaves = tree.leaf_of(self._codes), len(tree.left), known, evidence, self.k
        return learn_along(codes, len(parts.lows), *leaves)

    def _inside_leaves(self, name, drawn, codes):
        """Which rows of its leaves get the higher numbers of a column, or None."""
        evidence, lookup = self.evidence, self.rules.lookup(name)
        has_parts = any(
            not isinstance(self.features[at], Equal) for at, _ in drawn.parts
        )
        of_rates, own = isinstance(drawn.fit, Rate), self._ranks.get(name)
        is_told = (drawn.fit is not None and not of_rates) or lookup is not None
        if is_told or has_parts or own is None:
            return None
        atoms = drawn.parts_of(evidence.coding.parts[drawn.column])
        if of_rates:
            whole = drawn.base(evidence.numbers)
            own = ranks(drawn.fit.factor(evidence.numbers[name], whole))
        own = np.where(codes < len(atoms.lows), own, 0)
        asked = {j: self.names[j] for j in self._asked_columns(name)[1:]}
        known = {
            j: self._ranks[other] for j, other in asked.items() if other in self._ranks
        }
        leaf = drawn.tree.leaf_of(self._codes)
        return learn_inside(own, leaf, len(drawn.tree.left), atoms, known, self.k)

    def _with_calendar(self, name, drawn, codes):
        """The same, with what a fit that is about dates leaves a calendar to say."""
        evidence, fit, parts = self.evidence, drawn.fit, drawn.residuals
        if fit is None:
            return replace(drawn, calendar=self._calendar_of_told(name, drawn, codes))
        if not fit.about or fit.logarithms or isinstance(fit, DayOf):
            return drawn
        atoms = evidence.coding.parts[drawn.column]
        calendar, rows = calendar_of(atoms), codes < len(parts.lows)
        if name not in evidence.dates or not rows.any():
            return drawn
        numbers = evidence.numbers_of(fit)
        scale = evidence.scales[name]
        base = scale.nearest(drawn.base(numbers)[rows])
        leaf = drawn.tree.leaf_of(self._codes)[rows]
        dates, leaves = evidence.values[name][rows], drawn.tree.leaves
        if calendar is not None:
            own = calendar_left(calendar, scale, dates, base, parts, leaf, leaves)
            drawn = replace(drawn, calendar=own)
        # Without a part that was drawn a date is not known to be missing.
        is_known = bool(drawn.parts) or not parts.with_missing
        if self._is_later(name) and is_known and waves_of(drawn, atoms) is None:
            of_leaves = parts, leaf, leaves, atoms.grains.finest
            own = learn_seasons(dates, base, *of_leaves, evidence.who[rows])
            drawn = replace(drawn, seasons=own)
        return drawn

    def _calendar_of_told(self, name, drawn, codes):
        """What days leave the calendar of a date to say that they tell, or None."""
        coding, numbers = self.evidence.coding, self.evidence.numbers
        before = {self.names[c] for c in self._before[1:]}
        known = {n: own for n, own in numbers.items() if n in before}
        told = self.rules.fits, coding.schema, known
        days = DaysToDate.find(name, coding.parts[drawn.column], *told)
        if days is None:
            return None
        calendar = calendar_of(coding.parts[self.names.index(days.date)])
        if calendar is None:
            return None
        leaf = drawn.tree.leaf_of(self._codes)
        return days.learnt(calendar, numbers[days.date], codes, drawn.tree, leaf)

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
        drawn = {self.names[c] for c in self._before[1:]}
        equals = self._equals(self.names.index(name))
        others = [(self.features[p].of(self.names), self._parts[p] > 0) for p in equals]
        if not equals or self._has_second_alone(self.names.index(name)):
            asked = self.evidence, self.rules, drawn, self.k, self.earlier
            others = [_tie(name, *asked, self._staying(name)), *others]
        if others[0][0] is None:
            return own, sizes, {}
        how = {"equals": others[0][0]}
        if name in self.evidence.numbers:
            ends = [_ends_of_ties(name, self.evidence, *each) for each in others]
            how["tied"] = min(ends)[0], max(last for _, last in ends)
        ties = np.any([ties for _, ties in others], axis=0)
        return np.where(ties, sizes[0], own), (sizes[0] + 1, *sizes[1:]), how

    def _staying(self, name):
        """Rows in which each column stays that one goes with, of k persons at least."""
        along = zip(self._after_stayed.values(), self._stays, strict=True)
        return [stays == 1 for names, stays in along if name in names]

    def _equals(self, j):
        """The places of what says that a column equals others, among all."""
        return [p for p in self._places([j]) if isinstance(self.features[p], Equal)]

    def _parts_of(self, j):
        """The parts of a date that are drawn before it, and their trees.

        First whether it is another: of rows that are, month and weekday say nothing.
        """
        name, equals = self.names[j], self._part_codes(self._equals(j))
        for place in sorted(self._places([j]), key=self._turn):
            feature = self.features[place]
            if name in self.rules.fits and not _is_after(feature):
                continue
            # Rows that an order ties have no dates of parts that are drawn first.
            if self._has_second_alone(j) and self._is_of_date(place):
                continue
            along = self._along[feature]
            asked, parts = self._asked_columns(name), self._asked_parts(feature)
            # How round a number is, or whether it is another, goes with all of these.
            if self._is_of_date(place):
                asked = [c for c in asked if c in asked[:1] or self.names[c] in along]
                parts = sorted({*parts, *equals})
            asked = [*asked, *parts]
            sizes = feature.n_codes, 0
            yield place, self._grow(self._parts[place], sizes, asked)
            self._known.append(place)

    def _has_second_alone(self, j):
        """Whether a column equals a second one, and the first by an order."""
        besides = [self.features[place].beside for place in self._equals(j)]
        return bool(besides) and None not in besides

    def _turn(self, place):
        """When a part is drawn: parts of a date last, its month before its hour."""
        parts = list(PART_SIZES)
        of_date = self._is_of_date(place)
        return 1 + parts.index(self.features[place].part) if of_date else 0

    def _is_of_date(self, place):
        """Whether a part is one of a date, such as its month."""
        return not isinstance(self.features[place], Roundness | Equal)

    def _asked(self, name, j):
        """What the tree of a column can ask for; a date's for all of its own parts.

        So the leaf of a date holds some that have the parts drawn for it.
        """
        own = self._part_codes(p for p in self._places([j]) if p in self._known)
        first = len(self.names) + 1 + len(self.features)
        later = [*self._apart.values(), *self._after_stayed.values()]
        after = [first + i for i, along in enumerate(later) if name in along]
        before = self._asked_columns(name)
        return before + sorted({*own, *self._asked_parts(name)}) + after

    def _asked_columns(self, name):
        """Clusters and columns drawn before, but for those of others alone."""
        return [c for c in self._before if self._only_for.get(c, name) == name]

    def _asked_parts(self, of):
        """Of the known parts of dates, those that go with a column or another part."""
        return self._part_codes(
            p for p in self._known if of in self._along[self.features[p]]
        )

    def _part_codes(self, places):
        """Where the codes of parts are, among all that trees can ask for."""
        return [len(self.names) + 1 + place for place in places]

    def _places(self, columns):
        """Of the parts of some columns of dates, among all."""
        return [i for i, own in enumerate(self.features) if own.column in columns]


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


def _tie(name, evidence, rules, drawn, k, earlier, staying=()):
    """The column of which one often has the value, and in which rows; None without."""
    if name in earlier:
        codes, names = evidence.codes, evidence.coding.names
        of = dict(zip(names, codes.T, strict=True)) | evidence.numbers
        x, y = of[name], of[earlier[name]]
        stays = find_stays(x, y, k, of_most(staying, x == y, evidence.n_of, k))
        if stays is not None:
            return earlier[name], stays
    if name in evidence.numbers and name not in rules.fits:
        return find_tie(name, rules, evidence, drawn, k)
    return None, None


def _ends_of_ties(name, evidence, other, ties):
    """The ends of a column, or beyond them what many have of the one it ties with.

    Open ends are no one's: of twenty loans of the highest amount some may be paid back.
    """
    ends, names = [], evidence.coding.names
    of_other = [] if isinstance(other, Fit) else [(other, ties)]
    for column, rows in [(name, slice(None)), *of_other]:
        parts = evidence.coding.parts[names.index(column)]
        codes = np.unique(evidence.codes[rows, names.index(column)])
        codes = codes[codes < len(parts.lows)]
        if column == other:
            codes = codes[parts.lows[codes] == parts.highs[codes]]
        own = np.append(parts.lows[codes], parts.highs[codes])
        ends.append(own / evidence.scales[column].per_day)
    ends = np.concatenate(ends)
    return float(ends.min()), float(ends.max())
