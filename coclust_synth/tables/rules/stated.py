"""The rules that a schema lists, held against the rows of a table."""

import warnings
from dataclasses import replace

import numpy as np

from coclust_synth.exceptions import DataWarning, SchemaError
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Dependence, Fit, Nested, Never
from coclust_synth.tables.rules.fitting.exact import MAX_LEFT, spread_left
from coclust_synth.tables.rules.kept import Rules
from coclust_synth.tables.rules.measured import (
    measured_lookup,
    measured_numbers,
    measured_values,
    nested_or_ranges,
)
from coclust_synth.tables.rules.values.combinations import (
    Combinations,
    Pair,
    code_fixes,
    exclusions,
)
from coclust_synth.tables.rules.values.dependences import learn_lookup
from coclust_synth.tables.rules.values.in_words import said_of


def check_stated(evidence, stated, min_individuals):
    rules, combinations, lookups, small = [], [], [], []
    for relation in stated:
        each = lookup = None
        if isinstance(relation, Nested | Never):
            each = _combinations(relation, evidence, min_individuals)
            if each is None:
                continue
            if isinstance(relation, Nested):
                relation = nested_or_ranges(each, evidence)
            elif relation.values is None:
                relation = replace(relation, said=said_of(each, evidence))
            rule = measured_values(each, evidence, relation)
        elif isinstance(relation, Dependence):
            lookup = learn_lookup(evidence, relation)
            rule = measured_lookup(lookup, evidence)
        else:
            rule = measured_numbers(relation, evidence)
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
    if not relation.is_loose:
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
