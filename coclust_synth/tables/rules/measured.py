"""How many rows a rule is about, how many people say so, and how many rows break it."""

import numpy as np
import pandas as pd

from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import (
    Dependence,
    Fit,
    Nested,
    Never,
    Order,
    SumOfKnown,
)
from coclust_synth.tables.rules.compared.orders import compared
from coclust_synth.tables.rules.fitting.rounding import (
    is_off_grid,
    misses,
    misses_the_finest,
)
from coclust_synth.tables.rules.kept import Rule
from coclust_synth.tables.rules.values.dependences import broken_by
from coclust_synth.tables.rules.values.in_words import missing_text, said_of
from coclust_synth.tables.rules.values.pairs import Pair


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
            return measured_values(next(combinations), evidence, relation)
        if isinstance(relation, Dependence):
            return measured_lookup(rules.lookup(relation.target), evidence)
        return measured_numbers(relation, evidence, rule.to_the_finest)

    return [measured(rule).broken for rule in rules.all]


def measured_numbers(relation, evidence, to_the_finest=None):
    """A fit or an order, with the rows that are about it and those that break it.

    By default these rows say whether it is exact to the finest of its columns.
    """
    numbers = evidence.numbers_of(relation)
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
    n_broken = None if relation.is_loose else int(broken.sum())
    support = int(known.sum()), evidence.n_of(known)
    return Rule(relation, *support, n_broken, bool(to_the_finest))


def _is_exact_sum(relation):
    """Whether it is a sum of columns that is not only about right."""
    if isinstance(relation, SumOfKnown):
        return True
    return isinstance(relation, Fit) and not (relation.logarithms or relation.about)


def measured_lookup(lookup, evidence):
    """A dependence, with those whose combination is told, and rows that break it."""
    broken, known, is_told = broken_by(lookup, evidence)
    relation = Dependence(lookup.columns, lookup.target)
    n_rows, n_broken = int(known.sum()), int(broken.sum())
    return Rule(relation, n_rows, evidence.n_of(is_told), n_broken)


def measured_values(combinations, evidence, relation=None):
    """Values that never meet, as a rule: stated by a relation, or to be put in one.

    A row breaks a dependence of values, too, whose label is not that of most rows of
    its code, though one that its code may have.
    """
    i, j, never = combinations.first, combinations.second, ~combinations.allowed
    first, second = evidence.bins[:, i], evidence.bins[:, j]
    own = ~evidence.is_moved(i, j)
    sides = [own & never.any(axis=1)[first], own & never.any(axis=0)[second]]
    if combinations.fixes:
        # Of a label that all codes may have, as where it is missing, nothing is said.
        sides = [np.all(sides, axis=0)]
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


def nested_or_ranges(combinations, evidence):
    """A rule of codes and labels, or ranges of these where no values are told."""
    first, second = combinations.first, combinations.second
    relation = Nested(*(evidence.coding.names[j] for j in (first, second)))
    pair = Pair.of(first, second, evidence)
    return relation.of_ranges if is_of_ranges(pair) else relation


def _relation(combinations, evidence):
    names = evidence.coding.names
    i, j = combinations.first, combinations.second
    if combinations.fixes:
        return nested_or_ranges(combinations, evidence)
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
        said=missing_text(combinations, evidence),
    )


def _value_of(evidence, j, code):
    parts, column = evidence.coding.parts[j], evidence.coding.schema.columns[j]
    return column.categories[parts.seen[code]] if code < len(parts.seen) else None


def differs_by_value(pair):
    """Rows that have another value than most with their value of the first column.

    Parameters
    ----------
    pair : Pair

    Returns
    -------
    differs, known : ndarray of bool, shape (n,)
        Missing values, and those that stand for several, are not known.
    """
    own, other = (_labels(pair, j) for j in (pair.first, pair.second))
    known = (own >= 0) & (other >= 0)
    n_others = int(other.max(initial=0)) + 1
    pairs, of_row, rows = np.unique(
        own[known] * n_others + other[known], return_inverse=True, return_counts=True
    )
    by_rows = np.lexsort((-rows, pairs // n_others))
    first = np.unique((pairs // n_others)[by_rows], return_index=True)[1]
    is_most = np.zeros(len(pairs), dtype=bool)
    is_most[by_rows[first]] = True
    differs = np.zeros(len(own), dtype=bool)
    differs[known] = ~is_most[of_row]
    return differs, known


def is_of_ranges(pair):
    """Whether a code tells in which range a number is, not which number it is.

    The time at which a sample is received rises with that at which it was taken, and
    one of the latter is beside several of the former.

    Parameters
    ----------
    pair : Pair
        Of which the first column fixes the second.

    Returns
    -------
    bool
        Too many rows differ by value, or the number of most is in a bin of several.
    """
    evidence, j = pair.evidence, pair.second
    if evidence.coding.names[j] not in evidence.numbers:
        return False
    differs, known = differs_by_value(pair)
    bins = evidence.bins[known, j]
    first = np.unique(_labels(pair, j)[known], return_index=True)[1]
    is_range = np.bincount(bins[first]) > 1
    too_many = MAX_BROKEN * known.sum()
    return bool(differs.sum() > too_many or 2 * is_range[bins].sum() > known.sum())


def _labels(pair, j):
    """A number for each value of a column, int64, -1 of those that are not known."""
    evidence = pair.evidence
    name, bins = evidence.coding.names[j], evidence.bins[:, j]
    known = pair.known(j)[bins] & ~evidence.is_moved(j)
    if name in evidence.numbers:
        return np.where(known, pd.factorize(evidence.numbers[name])[0], -1)
    return np.where(known, bins, -1).astype(np.int64)
