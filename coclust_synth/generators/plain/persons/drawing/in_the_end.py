"""What is told of the rows of persons once all of them are drawn.

The numbers of rows that count them, totals, and what these tell.
"""

import numpy as np
import pandas as pd

from coclust_synth.generators.plain.persons.kept.person_totals import with_rest
from coclust_synth.tables.relations import Cases, DayOf
from coclust_synth.tables.values.columns import to_values
from coclust_synth.tables.values.series import from_values


def with_told_in_the_end(persons, frame, whose, sums):
    """Rows with what is told of all rows of a person together.

    Parameters
    ----------
    persons : PersonStructure
    frame : DataFrame of n rows
        Those of a person one after the other; changed in place.
    whose : ndarray of int64, shape (n,)
    sums : ndarray of float64, shape (n_totals, n_persons)
        Of what was drawn.

    Returns
    -------
    DataFrame of n rows
    """
    frame = _with_row_numbers(persons, frame, whose)
    for key in persons.nested:
        frame = key.held(frame, whose)
    return _with_totals(persons, frame, whose, sums)


def _with_row_numbers(persons, frame, whose):
    """Rows with the numbers of those that were drawn, as far as there are such.

    What has more rows is cut where it is a claim, a stay: another one begins.
    """
    nested = {own.column: own for own in persons.nested}
    for own in persons.row_numbers:
        first, last = persons.first.ends_of(own.target).astype(np.int64)
        numbers = own.in_rows(frame, whose)
        if own.source in nested:
            part, numbers = np.divmod(numbers - first, last - first + 1)
            numbers += first
            parts = pd.MultiIndex.from_arrays([whose, frame[own.source], part])
            codes, _ = pd.factorize(parts)
            key = nested[own.source]
            frame = key.numbered(frame.assign(**{own.source: codes}), whose)
        numbers = np.clip(numbers, first, last)
        present = np.zeros(len(frame), dtype=bool)
        frame[own.target] = from_values(numbers, present, persons.schema[own.target])
    return frame


def _with_totals(persons, frame, whose, sums):
    """Rows with the totals of what was drawn, and what these tell exactly.

    So is what is told from columns that nested keys hold. What no row got of a sum
    is added to the last one that adds to it.
    """
    held = {name for own in persons.nested for name in own.constants}
    changed = {total.target for total in persons.totals}
    changed |= held & {*persons.first.scales}
    if not changed:
        return frame
    scales, numbers = persons.first.scales, {}
    for name in (name for name in persons.names if name in scales):
        own = to_values(frame[name], persons.schema[name])
        numbers[name] = scales[name].to_numbers(*own)
    for own, total in zip(sums, persons.totals, strict=True):
        if not total.is_count:
            x = numbers[total.source]
            own = np.bincount(whose, x) if total.source in held else own
            ends = persons.first.ends_of(total.source)
            rest = numbers[total.target] - own[whose]
            numbers[total.source] = with_rest(x, rest, whose, ends)
            own = np.bincount(whose, numbers[total.source])
            changed.add(total.source)
        numbers[total.target] = np.clip(own, *persons.first.ends_of(total.target))[
            whose
        ]
    in_order = (persons.first.coding.names[own.column] for own in persons.first.columns)
    for name in in_order:
        fit = persons.first.rules.fits.get(name)
        if name in numbers and fit is not None and _is_told_by(fit, changed):
            by = (
                {fit.by: frame[fit.by].to_numpy(object)}
                if _is_by_category(fit, numbers)
                else {}
            )
            told = fit.predict(by | numbers)
            told = np.exp(told) if fit.logarithms else told
            if isinstance(fit, DayOf):
                told = told + numbers[name] % 1  # The clock is its own.
            known = ~np.isnan(numbers[name]) & ~np.isnan(told)
            numbers[name] = np.where(known, told, numbers[name])
            changed.add(name)
    for name in changed:
        missing = np.isnan(numbers[name])
        values = scales[name].nearest(np.where(missing, 0.0, numbers[name]))
        frame[name] = from_values(values, missing, persons.schema[name])
    return frame


def _is_by_category(fit, numbers):
    """Whether a column that is no number says how a fit tells another."""
    return isinstance(fit, Cases) and fit.by not in numbers


def _is_told_by(fit, changed):
    """Whether columns that changed tell another exactly."""
    is_exact = not (fit.draws_factor or fit.is_loose)
    return (
        is_exact and fit.target not in changed and not changed.isdisjoint(fit.parents)
    )
