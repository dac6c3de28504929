"""Rules of a table, where some of what they tell is known before its rows are."""

from dataclasses import replace

from coclust_synth.tables.relations import Age, DayOf, Fit
from coclust_synth.tables.rules.between_rows.steps import not_in_circles


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
