"""The rules of a table: found in it, or those that its schema lists."""

import warnings
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from threadpoolctl import threadpool_limits

from coclust_synth.exceptions import DataWarning, SchemaError
from coclust_synth.tables.parts.atoms import AtomParts, are_values
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import (
    Cases,
    Dependence,
    Fit,
    Formula,
    Nested,
    Never,
    Order,
    Relation,
    SumOfKnown,
    relation_from_dict,
)
from coclust_synth.tables.rules.between_rows.lags import carrying
from coclust_synth.tables.rules.between_rows.steps import find_lasting, not_in_circles
from coclust_synth.tables.rules.compared.orders import compared, find_orders
from coclust_synth.tables.rules.dated.dates import (
    find_date_fits,
    find_dates_of_parts,
    find_distances,
)
from coclust_synth.tables.rules.dated.durations import find_products_of_durations
from coclust_synth.tables.rules.dated.months import find_months_after
from coclust_synth.tables.rules.evidence import numbers_for
from coclust_synth.tables.rules.fitting.rounding import (
    is_off_grid,
    misses,
    misses_the_finest,
)
from coclust_synth.tables.rules.pieces.brackets import find_brackets
from coclust_synth.tables.rules.pieces.capped import find_capped
from coclust_synth.tables.rules.pieces.cases import find_cases
from coclust_synth.tables.rules.pieces.codes import SumsOrCodes
from coclust_synth.tables.rules.pieces.limits import find_limited, find_limited_bills
from coclust_synth.tables.rules.sums.around_clock import find_around_clock
from coclust_synth.tables.rules.sums.bills import Bills
from coclust_synth.tables.rules.sums.extremes import find_extremes
from coclust_synth.tables.rules.sums.fits import MAX_LEFT, find_fits, spread_left
from coclust_synth.tables.rules.sums.functions import find_functions
from coclust_synth.tables.rules.sums.known import SumsOfKnown
from coclust_synth.tables.rules.sums.means import find_means
from coclust_synth.tables.rules.sums.quotients import Quotients
from coclust_synth.tables.rules.sums.search import instead_of
from coclust_synth.tables.rules.sums.shares import SumsOfTold, find_shares
from coclust_synth.tables.rules.values.by_value import differs_by_value, is_of_ranges
from coclust_synth.tables.rules.values.classes_beside import find_classes_beside
from coclust_synth.tables.rules.values.classes_of_numbers import find_classes
from coclust_synth.tables.rules.values.combinations import (
    Combinations,
    Pair,
    allowed_pairs,
    code_fixes,
    exclusions,
    find_combinations,
)
from coclust_synth.tables.rules.values.dependences import (
    broken_by,
    find_dependences,
    learn_lookup,
)
from coclust_synth.tables.rules.values.in_words import said_of
from coclust_synth.tables.rules.values.lookup import Lookup
from coclust_synth.tables.rules.values.one_of_several import (
    find_one_of_several,
    last_of_several,
    never_both,
)


@dataclass(frozen=True)
class Rule:
    """A relation that a table respects, and how many say so.

    Attributes
    ----------
    relation : Relation
    rows, individuals : int
        That have what it is about: all its columns, or one of its values. Of values
        that never meet, individuals are those who have the ones of one side, of the
        side that has fewer; of a dependence, those whose combination is told.
    broken : int or None
        How many of the rows break it. None of a fit that is about right, and in a model
        file, as it can be of one individual.
    to_the_finest : bool
        Whether rows break a sum that are off by more than rounding of the finest of its
        columns, not of the one that it tells.
    """

    relation: Relation
    rows: int
    individuals: int
    broken: int | None = None
    to_the_finest: bool = False

    def __str__(self):
        return str(self.relation)

    def to_dict(self):
        """JSON compatible form, without the rows that break it."""
        support = {"rows": self.rows, "individuals": self.individuals}
        if self.to_the_finest:
            support["to_the_finest"] = True
        return self.relation.to_dict() | {"rule": str(self)} | support

    @classmethod
    def from_dict(cls, data):
        """Inverse of `to_dict`."""
        relation = relation_from_dict(data)
        said = data.get("rule")
        if isinstance(relation, Nested | Never) and said != str(relation):
            relation = replace(relation, said=said)
        support = int(data["rows"]), int(data["individuals"])
        to_the_finest = bool(data.get("to_the_finest", False))
        return cls(relation, *support, to_the_finest=to_the_finest)


@dataclass(frozen=True, eq=False)
class Rules:
    """What is kept of a table.

    Attributes
    ----------
    all : tuple of Rule
    combinations : tuple of Combinations
        Of those that are about values that never meet, in their order.
    lookups : tuple of Lookup
        Of the dependences, in any order.
    """

    all: tuple[Rule, ...]
    combinations: tuple[Combinations, ...] = ()
    lookups: tuple[Lookup, ...] = ()

    @property
    def relations(self):
        """Those of a schema."""
        return tuple(rule.relation for rule in self.all)

    def without_values(self, names):
        """The same, where the values of some columns are not told.

        Cases of these are left out, which say nothing without.
        """
        names = set(names)
        by = (rule for rule in self.all if getattr(rule.relation, "by", None) in names)
        untold = [rule for rule in by if isinstance(rule.relation, Cases)]
        told = tuple(
            replace(rule, relation=replace(rule.relation, values=None, said=None))
            if isinstance(rule.relation, Never) and names & set(rule.relation.columns)
            else rule
            for rule in self.all
            if rule not in untold
        )
        return replace(self, all=told)

    def but_of(self, names):
        """The same, without those that are about some columns."""
        names, combinations = {*names}, iter(self.combinations)
        of_rules = [
            next(combinations) if isinstance(r.relation, Nested | Never) else None
            for r in self.all
        ]
        kept = [
            (rule, own)
            for rule, own in zip(self.all, of_rules, strict=True)
            if names.isdisjoint(rule.relation.columns)
        ]
        rules = tuple(rule for rule, _ in kept)
        values = tuple(own for _, own in kept if own is not None)
        told = {rule.relation.told for rule in rules}
        lookups = tuple(own for own in self.lookups if own.target in told)
        return replace(self, all=rules, combinations=values, lookups=lookups)

    @property
    def orders(self):
        """The orders, in a tuple."""
        return tuple(r for r in self.relations if isinstance(r, Order))

    @cached_property
    def bounds(self):
        """The orders and all that follow from them, (low, high) pairs of names.

        Where a <= b <= c is kept and b is drawn last, a must leave room below c.
        """
        pairs = {order.columns for order in self.orders}
        while True:
            more = {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs
            if not more:
                return tuple(sorted(pairs))
            pairs |= more

    @cached_property
    def tables(self):
        """Bins of two columns that may meet, see `allowed_pairs`."""
        return allowed_pairs(self.combinations)

    @property
    def fits(self):
        """What predicts a column from others, by the name of the column."""
        return {n: r for n, r in self.told.items() if isinstance(r, Formula)}

    @property
    def told(self):
        """What tells a column from others, by the name of the column."""
        return {r.told: r for r in self.relations if r.told is not None}

    def lookup(self, name):
        """Of the dependence that tells a column, None where there is none."""
        if not isinstance(self.told.get(name), Dependence):
            return None
        return next(own for own in self.lookups if own.target == name)


@threadpool_limits.wrap(limits=1, user_api="blas")
def rules_of(evidence, stated, min_individuals):
    """The rules of a table: found, or those that are stated.

    Least squares of some dozen columns take one thread: several wait for each other for
    longer than they compute, and the last digits would be of their number.

    Parameters
    ----------
    evidence : Evidence
    stated : sequence of Relation, or None
        None: they are found.
    min_individuals : int
        Individuals that a rule describes, at least.

    Returns
    -------
    Rules

    Raises
    ------
    SchemaError
        If too many rows break a stated rule.

    Warns
    -----
    DataWarning
        If fewer individuals say something about a stated rule, which is left out.
    """
    if stated is not None:
        return _check(evidence, stated, min_individuals)
    told = find_dates_of_parts(evidence, min_individuals)
    told += find_months_after(evidence, told, min_individuals, of_lists=True)
    parts = {name for date in told for name in date.parents} - {*evidence.dates}
    told += find_date_fits(evidence, min_individuals, parts | {d.target for d in told})
    told += find_months_after(evidence, told, min_individuals)
    rulers = {
        name: scale.ruler
        for name, scale in evidence.scales.items()
        if evidence.n_of(~np.isnan(evidence.numbers[name])) >= min_individuals
    }
    orders = find_orders(evidence, min_individuals)
    functions = find_functions(evidence.numbers, rulers, told)
    told += functions
    told += find_extremes(evidence, rulers, told, min_individuals)
    told += find_products_of_durations(evidence, rulers, told, min_individuals)
    told += find_means(evidence, rulers, told, min_individuals)
    stays = find_lasting(evidence, min_individuals)
    told += SumsOfKnown(evidence, rulers, min_individuals, stays).all(told)
    bills = Bills(evidence, rulers, min_individuals)
    shares = find_shares(evidence, rulers, told, min_individuals)
    quotients = Quotients(evidence, rulers, min_individuals)
    sums = SumsOfTold(evidence, rulers)
    for better in (sums.better, quotients.better, bills.better):
        shares = instead_of(shares, told, better)
    told += shares
    told += find_around_clock(evidence, rulers, told, min_individuals)
    told += find_capped(evidence, rulers, told, min_individuals)
    limited = find_limited(evidence, rulers, told, min_individuals)
    told += limited
    is_carried = carrying(evidence, orders, min_individuals)
    or_codes = SumsOrCodes(evidence, rulers, min_individuals)
    searches = quotients.best_rounded, bills.best, quotients.best, or_codes.best
    fits = find_fits(
        evidence.numbers,
        rulers,
        told,
        orders,
        searches,
        stays,
        is_carried,
        evidence.zoned,
    )
    exact = [each for each in (*told, *fits) if not each.about]
    cases = _in_pieces(evidence, rulers, exact, min_individuals, stays)
    kept = not_in_circles([*told, *fits], cases)
    told, fits = ([own for own in of if own in kept] for of in (told, fits))
    fits += cases
    # What is one of a few distances from another date is told by no sum nearly.
    exactly = [fit for fit in fits if not fit.about]
    distances = find_distances(evidence, [*told, *exactly], min_individuals)
    fits = not_in_circles(fits, distances) + distances
    of_columns = {fit.target: fit for fit in (*told, *fits)}
    dependences = find_classes(evidence, of_columns, min_individuals)
    of_columns |= {each.target: each for each in dependences}
    dependences += find_classes_beside(evidence, of_columns, min_individuals)
    of_columns |= {each.target: each for each in dependences}
    dependences += find_dependences(evidence, of_columns, min_individuals)
    combinations = [
        each
        for each in find_combinations(evidence, min_individuals)
        if not _told_alone(each, evidence, [*functions, *limited, *dependences])
    ]
    several = find_one_of_several(evidence, combinations, min_individuals)
    combinations += never_both(evidence, several, combinations)
    dependences += last_of_several(evidence, several, [*told, *fits, *dependences])
    # What is told exactly is not told nearly.
    exactly = {each.target for each in dependences}
    pairs = codes_of_values(combinations, evidence.coding)
    fits = [
        fit
        for fit in fits
        if fit.target not in exactly and not (fit.about and _has_code(fit, pairs))
    ]
    found = [*told, *fits, *orders]
    lookups = [learn_lookup(evidence, each) for each in dependences]
    rules = [_measured_numbers(relation, evidence) for relation in found]
    rules += [_measured_lookup(own, evidence) for own in lookups]
    rules += [_measured_values(each, evidence) for each in combinations]
    return Rules(tuple(rules), tuple(combinations), tuple(lookups))


def _in_pieces(evidence, rulers, exact, min_individuals, stays):
    """What tells columns that others tell exactly in pieces only: a limit, brackets."""
    found = find_limited_bills(evidence, rulers, exact, min_individuals)
    found += find_brackets(evidence, rulers, [*exact, *found], min_individuals)
    told = [*exact, *found]
    return found + find_cases(evidence, rulers, told, min_individuals, stays)


def _told_alone(combinations, evidence, told):
    """Whether one of two columns is told by the other, by a function or by value."""
    names = evidence.coding.names
    pair = {names[combinations.first], names[combinations.second]}
    return any(set(each.columns) == pair for each in told)


def _has_code(fit, pairs):
    """Whether one of the columns of a fit is a code of its target, or the other way."""
    return any(fit.target in pair and {*pair} <= {*fit.columns} for pair in pairs)


def codes_of_values(combinations, coding):
    """Columns of which one is a code of the other, where many hold each value of both.

    Parameters
    ----------
    combinations : sequence of Combinations
    coding : TableCoding

    Returns
    -------
    list of (str, str)
        The code, and the label that it tells.
    """
    return [
        (coding.names[each.first], coding.names[each.second])
        for each in combinations
        if each.fixes
        and are_values(coding.parts[each.first], coding.parts[each.second])
    ]


def count_broken(rules, evidence):
    """How many rows break each rule, as those of a `Rule`.

    Parameters
    ----------
    rules : Rules
    evidence : Evidence
        Of other rows, in the atoms and bins of the rules.

    Returns
    -------
    list of int or None
    """
    combinations = iter(rules.combinations)

    def measured(rule):
        relation = rule.relation
        if isinstance(relation, Nested | Never):
            return _measured_values(next(combinations), evidence, relation)
        if isinstance(relation, Dependence):
            return _measured_lookup(rules.lookup(relation.target), evidence)
        return _measured_numbers(relation, evidence, rule.to_the_finest)

    return [measured(rule).broken for rule in rules.all]


# --- stated by hand ------------------------------------------------------------


def _check(evidence, stated, min_individuals):
    rules, combinations, lookups, small = [], [], [], []
    for relation in stated:
        each = lookup = None
        if isinstance(relation, Nested | Never):
            each = _combinations(relation, evidence, min_individuals)
            if each is None:
                continue
            if isinstance(relation, Nested):
                relation = _nested(each, evidence)
            elif relation.values is None:
                relation = replace(relation, said=said_of(each, evidence))
            rule = _measured_values(each, evidence, relation)
        elif isinstance(relation, Dependence):
            lookup = learn_lookup(evidence, relation)
            rule = _measured_lookup(lookup, evidence)
        else:
            rule = _measured_numbers(relation, evidence)
        _check_rows(rule)
        _check_spread(relation, evidence)
        if rule.individuals < min_individuals:
            small.append(rule)
            continue
        rules.append(rule)
        combinations += [] if each is None else [each]
        lookups += [] if lookup is None else [lookup]
    if small:
        warnings.warn(
            f"Expected rules that describe {min_individuals} individuals or more. "
            f"Received {', '.join(repr(str(rule)) for rule in small)}, of fewer who "
            "have what it is about: left out. Remove it, or choose a smaller k.",
            DataWarning,
            stacklevel=4,
        )
    return Rules(tuple(rules), tuple(combinations), tuple(lookups))


def _check_rows(rule):
    """Refuse a rule that too many rows break."""
    broken = rule.broken or 0
    if broken > MAX_BROKEN * rule.rows:
        nearly = isinstance(rule.relation, Fit)
        about = ", or say about = true if it holds nearly" if nearly else ""
        raise SchemaError(
            f"Expected rules that at most {MAX_BROKEN:.1%} of the rows break. Received "
            f"{str(rule)!r}, which {broken} of {rule.rows} rows break. Correct or "
            f"remove it{about}."
        )


def _check_spread(relation, evidence):
    """Refuse a fit that is about right and does not tell what it says it tells."""
    if not relation.about:
        return
    left = spread_left(relation, evidence.numbers)
    if not left <= MAX_LEFT:
        raise SchemaError(
            f"Expected rules that leave at most {MAX_LEFT:.0%} of the spread of their "
            f"column. Received {str(relation)!r}, which leaves {left:.0%}. Correct or "
            "remove it."
        )


def _combinations(relation, evidence, min_individuals):
    """What a stated rule allows; None where it says nothing of the values released."""
    pair = Pair.of(*map(evidence.coding.names.index, relation.columns), evidence)
    if isinstance(relation, Nested):
        return code_fixes(pair)
    if relation.values is None:
        return exclusions(pair, min_individuals)
    allowed = np.ones(pair.together.shape, dtype=bool)
    for values in relation.values:
        columns = zip((pair.first, pair.second), values, strict=True)
        i, j = (_bin_of(evidence, *each) for each in columns)
        if i is not None and j is not None:
            allowed[i, j] = False
    if allowed.all():
        return None
    return Combinations(pair.first, pair.second, allowed, False)


def _bin_of(evidence, j, value):
    """Bin of a category, None where it is released as another."""
    column, parts = evidence.coding.schema.columns[j], evidence.coding.parts[j]
    if value is None:
        return parts.n_parts - 1 if parts.with_missing else None
    if value not in column.categories:
        return None
    category = column.categories.index(value)
    return parts.seen.index(category) if category in parts.seen else None


# --- support ---------------------------------------------------------------------


def _measured_numbers(relation, evidence, to_the_finest=None):
    """A fit or an order, with the rows that are about it and those that break it.

    By default these rows say whether it is exact to the finest of its columns.
    """
    numbers = numbers_for(relation, evidence.numbers, evidence.codes, evidence.coding)
    if isinstance(relation, Order):
        low, high = compared(evidence, *relation.columns)
        known, broken = ~np.isnan(low) & ~np.isnan(high), low > high
    else:
        ruler = evidence.scales[relation.target].ruler
        broken, known = misses(relation, numbers, ruler)
        rulers = {name: scale.ruler for name, scale in evidence.scales.items()}
        if to_the_finest is None:
            to_the_finest = _is_exact_sum(relation) and is_off_grid(
                relation, numbers, rulers
            )
        if to_the_finest:
            broken |= misses_the_finest(relation, numbers, rulers)
    n_broken = None if relation.about else int(broken.sum())
    support = int(known.sum()), evidence.n_of(known)
    return Rule(relation, *support, n_broken, bool(to_the_finest))


def _is_exact_sum(relation):
    """Whether it is a sum of columns that is not only about right."""
    if isinstance(relation, SumOfKnown):
        return True
    return isinstance(relation, Fit) and not (relation.logarithms or relation.about)


def _measured_lookup(lookup, evidence):
    """A dependence, with those whose combination is told, and rows that break it."""
    broken, known, is_told = broken_by(lookup, evidence)
    relation = Dependence(lookup.columns, lookup.target)
    n_rows, n_broken = int(known.sum()), int(broken.sum())
    return Rule(relation, n_rows, evidence.n_of(is_told), n_broken)


def _measured_values(combinations, evidence, relation=None):
    """Values that never meet, as a rule: stated by a relation, or to be put in one.

    A row breaks a dependence of values, too, whose label is not that of most rows of
    its code, though one that its code may have.
    """
    i, j, never = combinations.first, combinations.second, ~combinations.allowed
    first, second = evidence.bins[:, i], evidence.bins[:, j]
    own = ~evidence.is_moved(i, j)
    sides = [own & never.any(axis=1)[first]]
    if not combinations.fixes:
        sides.append(own & never.any(axis=0)[second])
    relation = relation or _relation(combinations, evidence)
    broken = own & never[first, second]
    if isinstance(relation, Nested) and relation.said is None:
        broken |= differs_by_value(Pair.of(i, j, evidence))[0]
    return Rule(
        relation,
        rows=int(np.any(sides, axis=0).sum()),
        individuals=min(map(evidence.n_of, sides)),
        broken=int(broken.sum()),
    )


def _nested(combinations, evidence):
    """A rule of codes and labels, or ranges of these where no values are told."""
    first, second = combinations.first, combinations.second
    relation = Nested(*(evidence.coding.names[j] for j in (first, second)))
    pair = Pair.of(first, second, evidence)
    return relation.of_ranges if is_of_ranges(pair) else relation


def _relation(combinations, evidence):
    names = evidence.coding.names
    i, j = combinations.first, combinations.second
    if combinations.fixes:
        return _nested(combinations, evidence)
    parts = evidence.coding.parts
    if isinstance(parts[i], AtomParts) or isinstance(parts[j], AtomParts):
        return Never(names[i], names[j], said=said_of(combinations, evidence))
    return Never(
        names[i],
        names[j],
        tuple(
            (_value_of(evidence, i, a), _value_of(evidence, j, b))
            for a, b in np.argwhere(~combinations.allowed)
        ),
    )


def _value_of(evidence, j, code):
    parts, column = evidence.coding.parts[j], evidence.coding.schema.columns[j]
    return column.categories[parts.seen[code]] if code < len(parts.seen) else None
