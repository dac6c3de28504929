"""The first row of each person, and what stays in all of them."""

from dataclasses import replace

import numpy as np

from coclust_synth.generators.plain.persons.kept.last_rows import bins_of_last
from coclust_synth.generators.plain.persons.known.key_rows import (
    ALL_ROWS,
    EACH,
    PARTS,
    ROWS_OF_KEYS,
    numbers_told,
    rows_each,
)
from coclust_synth.generators.plain.persons.known.known_before import (
    COUNT,
    before,
    level,
)
from coclust_synth.generators.plain.persons.known.person_starts import first, start
from coclust_synth.generators.plain.persons.learning.columns_of_rows import (
    ColumnsOfRows,
)
from coclust_synth.generators.plain.persons.learning.later_rows import (
    renumbered,
    told_otherwise,
    untold,
)
from coclust_synth.generators.plain.structured.learning.from_table import (
    learn_structure,
)
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.fitting.rounding import misses
from coclust_synth.tables.rules.kept import Rule


def learn_first(table, clusters, k, begins):
    """Trees of the first row of each person, and of what stays."""
    rows = table.rows[table.is_first]
    columns = ColumnsOfRows(table.evidence)
    columns.add([name for name in table.constants if name != ALL_ROWS], rows)
    each = table.n_rows_each
    columns.add_number(COUNT, each, numbers_told(each), bins_of_last, spread=True)
    persons = np.arange(len(rows))
    of_keys = ROWS_OF_KEYS in table.totals
    if of_keys:
        columns.add([ALL_ROWS], rows)
        own = rows_each(table.evidence.numbers[ALL_ROWS][rows], each)
        columns.add_number(EACH, own, own)
    several = table.n_with_several >= k
    for name, own in table.levels.items() if several else ():
        columns.add_level(level(name), own, own.drawn, persons)
    starts = table.starts if several else {}
    columns.add(starts, rows, first)
    for name, own in starts.items():
        columns.add_level(start(name), own, own.drawn, persons)
    columns.add(table.changing, rows)
    evidence = columns.evidence(None)
    rules = _rules_of_first(table, {fit.target for fit in begins})
    rules = renumbered(rules, table.evidence, evidence)
    told = [*begins, *_counted(table, evidence)]
    if of_keys:
        told.append(Fit(EACH, (ALL_ROWS, COUNT), (1.0, -1.0), PARTS, logarithms=True))
    for own in table.advances if several else ():
        name = own.rule.target
        back = own.back(table.ordered_by, start(name), first(name))
        told += [back, own.rule]
    more = [Rule(fit, rows=len(rows), individuals=len(rows)) for fit in told]
    rules = replace(rules, all=(*untold(rules.all, told), *more))
    rules = table.with_last(rules, evidence, COUNT)
    of_rows = evidence, rules, clusters[rows], k
    return learn_structure(*of_rows, earlier={}, listed=table.listed)


def begins_of(table, rules):
    """What first rows begin with, where later ones add to it: a total, with one."""
    rows = table.rows[table.is_first]
    numbers = {name: x[rows] for name, x in table.evidence.numbers.items()}
    return [
        fit
        for fit in _added(rules)
        if getattr(table.rules.told.get(fit.target), "about", True)
        and {*fit.columns} <= numbers.keys()
        and _holds(fit, numbers, table.evidence.scales[fit.target].ruler)
    ]


def _counted(table, evidence):
    """The number of rows, as what stays says it: how many live in a household.

    Perhaps but for a whole number, as who has children, and none is in the table.
    """
    n_rows = table.n_rows_each
    for name in table.constants:
        numbers = evidence.numbers.get(name, np.empty(0))
        if len(numbers) and name not in evidence.dates and np.ptp(n_rows) > 0:
            more = more_than(numbers, n_rows)
            if more is not None:
                return [Fit(COUNT, (name,), (1.0,), more)]
    return []


def more_than(numbers, n_rows):
    """By how much numbers of rows are above some others, or None where that differs."""
    if np.isnan(numbers).any():
        return None
    more = float(np.median(n_rows - numbers))
    is_told = (n_rows - numbers == more).mean() >= 1 - MAX_BROKEN
    return more if more == np.round(more) and is_told else None


def _rules_of_first(table, begins):
    """Those of the table, what stays told from nothing that changes if it can be.

    Else the first row would be drawn before the number of rows is. What these begin
    with tells others, that would tell it.
    """
    stays, kept = {*table.constants}, []
    for rule in table.rules.all:
        relation = rule.relation
        if isinstance(relation, Fit) and relation.target in stays | begins:
            if not stays.issuperset(relation.parents):
                known = stays | begins
                relation = told_otherwise(relation, table.rules, known) or relation
        kept.append(replace(rule, relation=relation))
    return replace(table.rules, all=tuple(kept))


def _added(rules):
    """Of sums that add to a column of the row before, what they add.

    Also where they are solved for a part of it: what is paid, of what was owed.
    """
    for fit in rules.fits.values():
        if not isinstance(fit, Fit) or fit.about or len(fit.parents) == 1:
            continue
        signs = {fit.target: -1.0} | fit.terms
        for name in fit.columns:
            if before(name) in fit.terms and signs[before(name)] == -signs[name]:
                terms = {p: c for p, c in fit.terms.items() if p != before(name)}
                told = tuple(terms.values())
                yield replace(fit, parents=tuple(terms), coefficients=told)


def _holds(fit, numbers, ruler):
    """Whether a sum tells a column in nearly all rows, to its last digit."""
    missed, known = misses(fit, numbers, ruler)
    return (missed | ~known).sum() <= MAX_BROKEN * len(known)
