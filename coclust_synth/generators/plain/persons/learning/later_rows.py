"""Each other row of a person, given what stays and the row before, and rules of a table
where some of what they tell is known before its rows are.
"""

from dataclasses import replace
from functools import partial

from coclust_synth.generators.plain.persons.known.key_rows import (
    EACH,
    KEY_ROWS,
    ROWS_OF_KEYS,
)
from coclust_synth.generators.plain.persons.known.known_before import (
    LEFT,
    before,
    last_step,
    rest_of_level,
    so_far,
)
from coclust_synth.generators.plain.persons.known.person_starts import start
from coclust_synth.generators.plain.structured.learning.from_table import (
    learn_structure,
)
from coclust_synth.generators.plain.structured.stepping import Stepping
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Age, DayOf, Dependence, Fit, Order
from coclust_synth.tables.rules.between_rows.lags import find_lags
from coclust_synth.tables.rules.between_rows.order import find_end_of_rows
from coclust_synth.tables.rules.between_rows.since import (
    find_counting_on,
    find_counts_of_cases,
    find_since,
)
from coclust_synth.tables.rules.between_rows.steps import (
    LaterRows,
    find_near_dates,
    find_running,
    find_steps,
    not_in_circles,
)
from coclust_synth.tables.rules.compared.orders import find_orders
from coclust_synth.tables.rules.found import codes_of_values
from coclust_synth.tables.rules.kept import Rule, Rules

# The next row is told from the end of the last one where such a share of the rows, at
# most, begins before.
_MAX_OVERLAP = 0.05
# What is mostly that of the row before is so in such a share of the rows, at least.
_MOSTLY = 0.5
# What is told from the row before, in the order in which it is looked for.
_FROM_ROW_BEFORE = (
    find_lags,
    find_since,
    find_running,
    find_steps,
    find_counting_on,
    find_counts_of_cases,
)


def told_otherwise(relation, rules, known):
    """A rule solved for a column that is not known nor of another fit, or None."""
    others = [fit for fit in rules.fits.values() if fit is not relation]
    used = {name for fit in others for name in (fit.target, *fit.parents)}
    return solved(relation, known | used)


def solved(fit, fixed):
    """A sum, solved for a column that nothing else fixes; None where none is.

    Of a date some days after another, the days.
    """
    if isinstance(fit, DayOf) and fit.days not in fixed:
        return Age(fit.days, fit.since, fit.target, "days")
    if not isinstance(fit, Fit) or fit.logarithms:
        return None
    open_to = (p for p, c in fit.terms.items() if p not in fixed and abs(c) == 1)
    name = next(open_to, None)
    return None if name is None else fit.solved_for(name)


def untold(rules, fits):
    """Rules but those that tell what some fits tell, or nearly what tells these."""
    targets = {fit.target for fit in fits}
    kept = [r for r in rules if r.relation.told not in targets]
    told = [r.relation for r in kept if r.relation.told is not None]
    told = not_in_circles(told, fits)
    return [r for r in kept if r.relation.told is None or r.relation in told]


def renumbered(rules, table, evidence):
    """Rules of the columns of a table, of which the same names are other columns."""
    names, own = table.coding.names, evidence.coding.names
    combinations = tuple(
        replace(c, first=own.index(names[c.first]), second=own.index(names[c.second]))
        for c in rules.combinations
    )
    return replace(rules, combinations=combinations)


def learn_later(table, clusters, k):
    """Trees of each other row, given what stays and the row before."""
    rows = table.rows_after
    evidence, given = table.evidence_of_later
    stays = {name: before(name) for name in table.changing}
    listed = (*table.listed, *map(before, table.listed))
    only_for = {own.rest: own.source for own in table.sums}
    only_for |= {own.to_do: own.source for own in table.summed_up}
    only_for |= {EACH: KEY_ROWS} if ROWS_OF_KEYS in table.totals else {}
    only_for |= {start(name): name for name in table.starts}
    only_for |= {rest_of_level(name): name for name in table.rests_of_levels}
    only_for |= {so_far(name): name for name in table.means_so_far}
    only_for |= {last_step(name): name for name in table.last_steps}
    of_rows = clusters[rows], k, given, stays, listed, only_for
    rules = table.rules_of_later
    fits = Stepping(evidence, rules, *of_rows).find()
    support = {"rows": len(evidence.codes), "individuals": evidence.n_individuals}
    steps = [Rule(fit, **support) for fit in fits]
    rules = replace(rules, all=(*rules.all, *steps))
    return learn_structure(evidence, rules, *of_rows)


def find_rules_of_later(table):
    """Rules of rows after the first, told from what is known before them.

    Parameters
    ----------
    table : PersonTable

    Returns
    -------
    Rules
    """
    (evidence, _), k = table.evidence_of_later, table.k
    kept = _of_the_table(table)
    support = {"rows": len(evidence.codes), "individuals": evidence.n_individuals}
    kept += [Rule(relation, **support) for relation in _orders_of_rows(table)]
    for pair in _numbers_before(table):
        orders = find_orders(replace(evidence, numbers=pair), k)
        kept += [Rule(order, **support) for order in orders]
    coding = evidence.coding
    # Of the others no number is told, nor what is left of one.
    has_atoms = tuple(
        name
        for name in table.changing
        if len(getattr(coding.parts[coding.names.index(name)], "lows", ()))
    )
    pairs = codes_of_values(table.rules.combinations, table.evidence.coding)
    labels = {label: Dependence((code,), label) for code, label in pairs}
    starts = [own.rule for own in table.advances]
    kept = untold(kept, starts) + [Rule(fit, **support) for fit in starts]
    rows = LaterRows(evidence, has_atoms, before, k)
    near_dates = partial(find_near_dates, ordered_by=table.ordered_by)
    for find in (*_FROM_ROW_BEFORE, near_dates):
        fits = find(rows, labels | Rules(tuple(kept)).told)
        kept = untold(kept, fits) + [Rule(fit, **support) for fit in fits]
    lags = [Dependence(lag.columns, lag.target) for lag in table.lags]
    kept += [Rule(lag, **support) for lag in lags]
    lookups = *table.rules.lookups, *table.lags
    rules = replace(table.rules, all=tuple(kept), lookups=lookups)
    rules = renumbered(rules, table.evidence, evidence)
    return table.with_last(rules, evidence, LEFT)


def _of_the_table(table):
    """Rules of the table, what is known before a row told by none of them."""
    evidence, given = table.evidence_of_later
    known = {*given, *([] if table.ordered_by is None else [table.ordered_by])}
    fixed = known | _mostly_stay(table, evidence)
    kept = []
    for rule in table.rules.all:
        relation = rule.relation
        if relation.told in known:
            ways = (
                told_otherwise(relation, table.rules, own) for own in (fixed, known)
            )
            relation = next((own for own in ways if own is not None), None)
        elif relation.told in fixed and not relation.about:
            relation = told_otherwise(relation, table.rules, fixed) or relation
        if relation is not None:
            kept.append(replace(rule, relation=relation))
    return kept


def _orders_of_rows(table):
    """What rows are in the order of, told by the row before and above it."""
    if table.ordered_by is None:
        return []
    evidence, _ = table.evidence_of_later
    since, never_after = (
        find_end_of_rows(
            evidence, table.ordered_by, table.rules.bounds, before, may_overlap
        )
        for may_overlap in (_MAX_OVERLAP, MAX_BROKEN)
    )
    gap = Fit(table.ordered_by, (before(since),), (1.0,), 0.0, about=True)
    ends = dict.fromkeys((before(table.ordered_by), before(never_after)))
    return [gap, *(Order(end, table.ordered_by) for end in ends)]


def _numbers_before(table):
    """Numbers of rows beside what is known before them, of which one may be lower."""
    evidence, _ = table.evidence_of_later
    for name in table.changing:
        if name != table.ordered_by and name in evidence.numbers:
            yield {n: evidence.numbers.get(n) for n in (before(name), name)}
    for total in table.sums:
        yield {n: evidence.numbers[n] for n in (total.source, total.rest)}


def _mostly_stay(table, evidence):
    """Numbers that are mostly those of the row before: from when a dose is on."""
    numbers = evidence.numbers
    names = (name for name in table.changing if name in numbers)
    stays = {name: (numbers[name] == numbers[before(name)]).sum() for name in names}
    least = max(table.k, _MOSTLY * len(evidence.codes))
    return {name for name, n in stays.items() if n >= least}
