"""The rules that a schema lists, in the place of those found."""

import warnings
from dataclasses import replace

import numpy as np

from coclust_synth.exceptions import DataWarning, SchemaError
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Dependence, Fit, Nested, Never, Order, Rate
from coclust_synth.tables.rules.compared.orders import MAX_ABOVE
from coclust_synth.tables.rules.few_amounts import MOSTLY, mostly_plus
from coclust_synth.tables.rules.fitting.exact import MAX_LEFT, spread_left
from coclust_synth.tables.rules.fitting.rounding import misses, opened
from coclust_synth.tables.rules.kept import Rules
from coclust_synth.tables.rules.measured import (
    measured_lookup,
    measured_numbers,
    measured_values,
    nested_or_ranges,
)
from coclust_synth.tables.rules.sums.slips import holds_but_for_slips
from coclust_synth.tables.rules.values.combinations import (
    Combinations,
    code_fixes,
    exclusions,
)
from coclust_synth.tables.rules.values.dependences import learn_lookup
from coclust_synth.tables.rules.values.in_words import said_of
from coclust_synth.tables.rules.values.pairs import Pair


def stated_rules(evidence, stated, min_individuals):
    """What the stated rules say, and how many rows break them.

    Parameters
    ----------
    evidence : Evidence
    stated : sequence of Relation
    min_individuals : int
        Individuals that a rule describes, at least.

    Returns
    -------
    Rules
        Without those that say nothing of the values released.

    Raises
    ------
    SchemaError
        If too many rows break a rule, or it tells too little of its column.

    Warns
    -----
    DataWarning
        If fewer individuals say something about a rule, which is left out.
    """
    found = []
    for relation in stated:
        measured = _measured(relation, evidence, min_individuals)
        if measured is None:
            continue
        _check_rows(measured[0])
        _check_spread(measured[0].relation, evidence)
        found.append(measured)
    small = [rule for rule, *_ in found if rule.individuals < min_individuals]
    if small:
        warnings.warn(
            f"Expected rules that describe {min_individuals} individuals or more. "
            f"Received {', '.join(repr(str(rule)) for rule in small)}, which "
            "describes fewer and is left out. Remove it, or choose a smaller k.",
            DataWarning,
            stacklevel=4,
        )
    kept = [each for each in found if each[0].individuals >= min_individuals]
    rules, combinations, lookups = zip(*kept, strict=True) if kept else ((), (), ())
    return Rules(
        rules,
        tuple(each for each in combinations if each is not None),
        tuple(each for each in lookups if each is not None),
    )


def _measured(relation, evidence, min_individuals):
    """A rule, the combinations that it allows and the values that it looks up.

    The last two are None where it is about neither; None in all where it says nothing
    of the values released.
    """
    if isinstance(relation, Dependence):
        lookup = learn_lookup(evidence, relation)
        return measured_lookup(lookup, evidence), None, lookup
    if not isinstance(relation, Nested | Never):
        if isinstance(relation, Fit) and not relation.open:
            relation = opened(relation, evidence.numbers)
        return measured_numbers(relation, evidence), None, None
    allowed = _combinations(relation, evidence, min_individuals)
    if allowed is None:
        return None
    if isinstance(relation, Nested):
        relation = nested_or_ranges(allowed, evidence)
    elif relation.values is None:
        relation = replace(relation, said=said_of(allowed, evidence))
    return measured_values(allowed, evidence, relation), allowed, None


def _check_rows(rule):
    """Refuse a rule that too many rows break."""
    broken, most = rule.broken or 0, MAX_BROKEN
    if isinstance(rule.relation, Order):
        most = MAX_ABOVE
    if broken > most * rule.rows:
        nearly = isinstance(rule.relation, Fit)
        about = ", or say about = true if it holds nearly" if nearly else ""
        raise SchemaError(
            f"Expected rules that at most {most:.1%} of the rows break. Received "
            f"{str(rule)!r}, which {broken} of {rule.rows} rows break. Correct or "
            f"remove it{about}."
        )


def _check_spread(relation, evidence):
    """Refuse a fit that is about right and does not tell what it says it tells."""
    if not relation.is_loose:
        return
    if isinstance(relation, Rate):
        _check_rate(relation, evidence)
        return
    if isinstance(relation, Fit) and relation.slips:
        ruler = evidence.scales[relation.target].ruler
        if not holds_but_for_slips(relation, evidence.numbers, ruler):
            raise SchemaError(
                "Expected a product that holds to the last digit in half of the rows "
                f"or more. Received {str(relation)!r}. Correct it, or say about = "
                "true instead."
            )
    if isinstance(relation, Fit) and relation.plus:
        ruler = evidence.scales[relation.target].ruler
        if not mostly_plus(relation, evidence.numbers, ruler):
            raise SchemaError(
                f"Expected amounts in `plus`, one of which {MOSTLY:.0%} of the rows "
                f"or more have. Received {str(relation)!r}. Correct `plus`, or say "
                "about = true instead."
            )
        return
    left = spread_left(relation, evidence.numbers)
    if not left <= MAX_LEFT:
        raise SchemaError(
            f"Expected rules that leave at most {MAX_LEFT:.0%} of the spread of their "
            f"column. Received {str(relation)!r}, which leaves {left:.0%}. Correct or "
            "remove it."
        )


def _check_rate(rate, evidence):
    """Refuse a rate of what is 0 or less: no rate gives back what rows have of it."""
    ruler = evidence.scales[rate.target].ruler
    broken, known = misses(rate, evidence.numbers, ruler)
    if broken.sum() > MAX_BROKEN * known.sum():
        raise SchemaError(
            f"Expected a rate of a column that is above 0 in all but {MAX_BROKEN:.1%} "
            f"of the rows. Received {str(rate)!r}, whose column is 0 or less in "
            f"{int(broken.sum())} of {int(known.sum())} rows. Correct or remove it."
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
