"""What is left to a calendar where others tell a date, or the days that tell it."""

from dataclasses import replace

from coclust_synth.generators.plain.structured.dates.days_to_dates import DaysToDate
from coclust_synth.generators.plain.structured.dates.drawn_dates import calendar_left
from coclust_synth.generators.plain.structured.dates.following import calendar_of
from coclust_synth.generators.plain.structured.dates.seasons import learn_seasons
from coclust_synth.generators.plain.structured.waves import waves_of
from coclust_synth.tables.relations import DayOf


def with_calendar(drawn, codes, leaf, evidence, is_later):
    """A column with what a fit that is about dates leaves a calendar to say.

    Parameters
    ----------
    drawn : Drawn
        With a fit.
    codes : ndarray of int32, shape (n,)
        Of what the fit leaves, of each row.
    leaf : ndarray of int64, shape (n,)
        Of the tree of the column.
    evidence : Evidence
    is_later : bool
        Whether it is told by its distance from that of the row before.

    Returns
    -------
    Drawn
    """
    fit, parts = drawn.fit, drawn.residuals
    if not fit.about or fit.logarithms or isinstance(fit, DayOf):
        return drawn
    name, atoms = fit.target, evidence.coding.parts[drawn.column]
    calendar, rows = calendar_of(atoms), codes < len(parts.lows)
    if name not in evidence.dates or not rows.any():
        return drawn
    numbers = evidence.numbers_of(fit)
    scale = evidence.scales[name]
    base = scale.nearest(drawn.base(numbers)[rows])
    dates, leaf, leaves = evidence.values[name][rows], leaf[rows], drawn.tree.leaves
    if calendar is not None:
        own = calendar_left(calendar, scale, dates, base, parts, leaf, leaves)
        drawn = replace(drawn, calendar=own)
    # Without a part that was drawn a date is not known to be missing.
    is_known = bool(drawn.parts) or not parts.with_missing
    if is_later and is_known and waves_of(drawn, atoms) is None:
        of_leaves = parts, leaf, leaves, atoms.grains.finest
        own = learn_seasons(dates, base, *of_leaves, evidence.who[rows])
        drawn = replace(drawn, seasons=own)
    return drawn


def with_calendar_of_told(drawn, codes, leaf, evidence, fits, known):
    """A column of days with what they leave the calendar of a date that they tell.

    Parameters
    ----------
    drawn : Drawn
        Without a fit.
    codes, leaf, evidence
        As `with_calendar` takes them.
    fits : mapping of str to Relation
    known : mapping of str to ndarray of float64, shape (n,)
        Numbers that are drawn before.

    Returns
    -------
    Drawn
    """
    coding = evidence.coding
    name, parts = coding.names[drawn.column], coding.parts
    days = DaysToDate.find(name, parts[drawn.column], fits, coding.schema, known)
    if days is None:
        return drawn
    calendar = calendar_of(parts[coding.names.index(days.date)])
    if calendar is None:
        return drawn
    numbers = evidence.numbers[days.date]
    own = days.learnt(calendar, numbers, codes, drawn.tree, leaf)
    return replace(drawn, calendar=own)
