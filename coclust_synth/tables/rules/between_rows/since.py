"""Numbers that say how far a row of a person is from the one before: time, or one more.

How many days it has been since the last visit, and which visit it is, of all or of a
kind.
"""

from itertools import product

import numpy as np

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Cases, Fit
from coclust_synth.tables.rules.compared.numbers import is_rarer
from coclust_synth.tables.rules.fitting.rounding import are_few, misses
from coclust_synth.tables.rules.fitting.told import dependants

# Of a day, what time is told in: days, weeks, hours, minutes, seconds.
_UNITS = (1.0, 1 / 7, 24.0, 1440.0, 86_400.0)
# It is rounded, or told in those that are complete, but for what doubles lose of them.
_CONSTANTS = (0.0, -0.5 + 1e-7)
# Where more than this share of so many rows differ, others are not looked at.
_FIRST, _MOST_OF_FIRST = 200, 0.05


def find_since(rows, told):
    """The numbers that say how long it has been since a date of the row before.

    Parameters
    ----------
    rows : LaterRows
        Enough individuals have such a number.
    told : mapping of str to relation
        Columns that are told from others already; what is nearly told may be told so.

    Returns
    -------
    list of Fit
        ``days_since = visit - visit before``, of whole days, weeks, hours, minutes or
        seconds, rounded or complete, of two columns or of one; it is missing where it
        is in the table.
    """
    dates = [name for name in rows.names if name in rows.evidence.dates]
    pairs = sorted(product(dates, dates), key=lambda pair: pair[0] != pair[1])
    found, fits = dict(told), []
    for target in _untold(rows, told):
        banned = dependants(target, found)
        for later, earlier in pairs:
            parents = later, rows.before(earlier)
            if {*parents} & banned:
                continue
            fit = _elapsed(rows, target, parents)
            if fit is not None:
                found[target] = fit
                fits.append(fit)
                break
    return fits


def find_counting_on(rows, told):
    """The whole numbers that are always as many more than in the row before.

    Parameters
    ----------
    rows : LaterRows
    told : mapping of str to relation
        Columns that are told from others already, even nearly.

    Returns
    -------
    list of Fit
        ``visit number = visit number before + 1``.
    """
    fits = []
    for target in _untold(rows, told):
        if target in told or rows.evidence.coding.schema[target].kind != "integer":
            continue
        step = rows.step(target)
        known = ~np.isnan(step)
        if not rows.are_of_enough(known):
            continue
        usual = float(np.median(step[known]))
        if usual and (step != usual).sum() <= MAX_BROKEN * len(step):
            fits.append(Fit(target, (rows.before(target),), (1.0,), usual))
    return fits


def find_counts_of_cases(rows, told):
    """The whole numbers that count the rows so far with some values of another column.

    Parameters
    ----------
    rows, told
        As of `find_since`. Enough individuals have a value that is counted, and one
        that is not; what is told of a value is of as many.

    Returns
    -------
    list of Cases
        ``donations = donations before for result deferred; donations = donations before
        + 1 for result donated``.
    """
    evidence, before = rows.evidence, rows.before
    coding, fits = evidence.coding, []
    exact = {n: own for n, own in told.items() if not own.is_loose}
    of_categories = [
        j
        for j, name in enumerate(coding.names)
        if before(name) in coding.names and name not in evidence.numbers
    ]
    for target in _untold(rows, told):
        if coding.schema[target].kind != "integer":
            continue
        step = rows.step(target)
        if (~np.isin(step, (0, 1))).sum() > MAX_BROKEN * len(step):
            continue
        banned = dependants(target, exact)
        for j in of_categories:
            values = _counted(evidence, j, step, max(rows.min_individuals, 1))
            if values is not None and coding.names[j] not in banned:
                cases = tuple(
                    (own, Fit(target, (before(target),), (1.0,), float(more)))
                    for more, own in enumerate(values)
                )
                fits.append(Cases(target, coding.names[j], cases))
                break
    return fits


def _counted(evidence, j, step, min_individuals):
    """Values of a column whose rows are not counted, and those whose are, or None.

    A step is 1 in rows that are counted, else 0.
    """
    parts, codes = evidence.coding.parts[j], evidence.codes[:, j]
    own = ~evidence.is_moved(j)
    is_more = own & (step == 1)
    n = np.bincount(codes[own], minlength=parts.n_parts)
    n_more = np.bincount(codes[is_more], minlength=parts.n_parts)
    counts = 2 * n_more > n
    if (counts[codes] != is_more)[own].sum() > MAX_BROKEN * own.sum():
        return None
    individuals = evidence.count(np.where(own, codes, -1), parts.n_parts)
    categories = [parts.categories[code] for code in parts.seen]
    values = [[], []]
    for code, category in enumerate(categories):
        if individuals[code] >= min_individuals:
            values[int(counts[code])].append(category)
    return tuple(map(tuple, values)) if all(values) else None


def _untold(rows, told):
    """Numbers that are no dates, and that nothing tells to the last digit."""
    evidence = rows.evidence
    for name in rows.names:
        is_free = name not in told or told[name].about
        if is_free and name in evidence.numbers and name not in evidence.dates:
            yield name


def _elapsed(rows, target, parents):
    """The time from one date to another as a column tells it, None where none does."""
    evidence = rows.evidence
    numbers = {name: evidence.numbers[name] for name in (target, *parents)}
    ruler = evidence.scales[target].ruler
    missing = np.isnan(numbers[target])
    apart = numbers[parents[0]] - numbers[parents[1]]
    known = ~missing & ~np.isnan(apart)
    if not rows.are_of_enough(known & (apart != 0)):
        return None
    if (~missing & ~known).sum() > MAX_BROKEN * known.sum():
        return None
    first = np.flatnonzero(known)[:_FIRST]
    few = {name: own[first] for name, own in numbers.items()}
    for unit, constant in product(_UNITS, _CONSTANTS):
        fit = Fit(target, parents, (unit, -unit), constant)
        if misses(fit, few, ruler)[0].mean() > _MOST_OF_FIRST:
            continue
        missed = misses(fit, numbers, ruler)[0]
        others = known.copy()
        others[known] = is_rarer(numbers[target][known])
        if are_few(missed, known, others):
            return fit
    return None
