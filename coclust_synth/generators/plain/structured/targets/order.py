"""In which order columns are drawn."""

from coclust_synth.tables.relations import DayOf, Fit, Formula
from coclust_synth.tables.rules.fitting.told import dependants


def order_of_drawing(names, fits):
    """Columns in their order in the table, each after those that it is told from.

    Days after a date are drawn after it. Shares of others, sums with one of a few
    amounts, and what is told from these, come last: which share or amount a row has,
    any column may tell, and of the column itself none tells it.
    """
    late, since = set(), {}
    for fit in fits.values():
        draws_exactly = isinstance(fit, Formula) and fit.draws_factor and not fit.about
        if draws_exactly or (isinstance(fit, Fit) and fit.plus):
            late |= dependants(fit.target, fits)
        if isinstance(fit, DayOf) and fit.since not in dependants(fit.days, fits):
            since.setdefault(fit.days, fit.since)
    done, begun = [], set()

    def put(name):
        if name in begun:
            return
        begun.add(name)
        for parent in fits[name].parents if name in fits else ():
            put(parent)
        if name in since and name not in fits:
            put(since[name])
        done.append(name)

    for name in sorted(names, key=late.__contains__):
        put(name)
    return done
