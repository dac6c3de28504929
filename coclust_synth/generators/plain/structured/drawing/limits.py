"""Which codes of a column each row that is drawn may have."""

import numpy as np

from coclust_synth.generators.plain.structured.dates.drawn_dates import (
    allowed_by_parts,
    both_allow,
    left_on_calendar,
)
from coclust_synth.generators.plain.structured.drawn import OFF_BY_LOGARITHMS
from coclust_synth.generators.plain.structured.telling import Telling
from coclust_synth.generators.plain.structured.told_later import allowed_by_dependences
from coclust_synth.generators.plain.structured.waves import left_on_waves
from coclust_synth.generators.plain.trees._tree_kernels import Limits
from coclust_synth.tables.parts.atoms import AtomParts


def limits_of_rows(column, in_reach=True):
    """The codes that each row may have, or None where any.

    Parameters
    ----------
    column : ColumnDrawing
    in_reach : bool, default=True
        Those in reach of its cluster only.

    Returns
    -------
    Limits or None
    """
    rows, drawn, n_parts = column.rows, column.drawn, column.parts.n_parts
    allowed = later = None
    if drawn.fit is None:
        allowed = _allowed_bins(column, in_reach)
        later = _allowed_later(column)
    calendar = drawn.calendar if column.following is None else None
    if column.following is None and not _is_bound(column):
        bounds = allowed, later, calendar, column.waves, column.is_equal, column.is_said
        if all(own is None for own in bounds):
            return None
    if column.waves is not None:
        own = column.scale.nearest(column.base)
        ruler = column.scale.ruler
        group, allowed = left_on_waves(column.waves, own, column.parts, ruler)
    elif calendar is not None and drawn.fit is not None:
        leaves = column.leaf, drawn.tree.leaves
        of_dates = calendar, column.scale, column.base, column.parts
        group, allowed = left_on_calendar(*of_dates, *leaves, rows.rng)
    elif allowed is not None:
        group = rows.structure.bins[drawn.column]
    else:
        group = np.zeros(n_parts, dtype=np.int32)
        allowed = np.ones((rows.n, 1), dtype=bool)
    if column.days is not None:
        leaves = column.leaf, drawn.tree.leaves
        on_calendar = column.days.allowed(calendar, *leaves, rows.rng)
        group, allowed = _both_groups((group, allowed), on_calendar)
    if later is None:
        later = np.ones((1, n_parts), bool), np.zeros(rows.n, np.int64)
    low, high = _ends_of_codes(column)
    ends = map(np.ascontiguousarray, _ends_left(column))
    limits = Limits(group, allowed, *later, low, high, *ends)
    return limits if drawn.equals is None else _with_tie(column, limits)


def _both_groups(first, second):
    """Groups of codes, and which of them rows may have, of what two such allow."""
    pairs, group = np.unique(
        np.column_stack([first[0], second[0]]), axis=0, return_inverse=True
    )
    allowed = first[1][:, pairs[:, 0]] & second[1][:, pairs[:, 1]]
    return group.ravel().astype(np.int32), allowed


def _is_bound(column):
    """Whether any row has a lowest or a highest number."""
    return np.isfinite(column.lowest).any() or np.isfinite(column.highest).any()


def _ends_of_codes(column):
    """From where to where the numbers of each code are, or what these leave."""
    parts, fit = column.parts, column.drawn.fit
    low, high = np.full(parts.n_parts, -np.inf), np.full(parts.n_parts, np.inf)
    if isinstance(parts, AtomParts):
        m = len(parts.lows)
        low[:m], high[:m] = parts.lows, parts.highs
        if column.waves is None and fit is not None and fit.about:
            # What is mostly beyond the ends of the column would gather there.
            low[:m] = high[:m] = parts.means
        if fit is None or not fit.logarithms:
            per_day = column.scale.per_day
            low, high = low / per_day, high / per_day
    return low, high


def _ends_left(column):
    """Lowest and highest number of each row, less what a fit says."""
    base, lowest, highest = column.base, column.lowest, column.highest
    if base is None:
        return lowest, highest
    if column.drawn.fit.logarithms:
        lowest, highest = (np.log(np.maximum(end, 1e-300)) for end in (lowest, highest))
        # What is left of the end itself may be rounded to more.
        lowest, highest = lowest - OFF_BY_LOGARITHMS, highest + OFF_BY_LOGARITHMS
    if column.drawn.fit.draws_factor:
        ends = zip((lowest, highest), (-np.inf, np.inf), strict=True)
        return tuple(_as_factors(column.drawn.fit, end, base, far) for end, far in ends)
    if not column.drawn.fit.logarithms:  # It is added to what the fit says, rounded.
        known = np.isfinite(base)
        told = column.scale.nearest(np.where(known, base, 0.0)) / column.scale.per_day
        base = np.where(known, told, base)
    # A product with a factor of 0 is 0, whatever is left of it.
    return np.where(base == -np.inf, -np.inf, lowest - base), highest - base


def _as_factors(fit, ends, base, far):
    """Ends of a column as those of factors, `far` where there is none."""
    told = np.isfinite(ends) & (base > 0)
    return np.where(told, fit.factor(np.where(told, ends, 0.0), base), far)


def _with_tie(column, limits):
    """Limits with one code more, that of rows tied to another column."""
    drawn, later = column.drawn, limits.later
    if column.tied_to is not None:
        m = len(column.parts.lows)
        first, last = drawn.tied or (limits.low[:m].min(), limits.high[:m].max())
        is_own = (column.tied_to >= first) & (column.tied_to <= last)
        if drawn.fit is not None and not drawn.fit.is_loose:
            is_own &= column.tied_to >= column.lowest
            is_own &= column.tied_to <= column.highest
    else:
        other = column.other
        is_own = limits.allowed[np.arange(len(other)), limits.group[other]]
        is_own &= later[limits.combination, other]
        if column.is_said is not None:
            is_own &= column.is_said
    allowed = limits.allowed
    if column.is_equal is not None:
        is_to_be = is_own & column.is_equal
        allowed = allowed & ~is_to_be[:, None]
        is_own = is_to_be if column.ties_are_drawn else is_own
    return limits._replace(
        group=np.append(limits.group, limits.allowed.shape[1]).astype(np.int32),
        allowed=np.column_stack([allowed, is_own]),
        later=np.column_stack([later, np.ones(len(later), bool)]),
        low=np.append(limits.low, -np.inf),
        high=np.append(limits.high, np.inf),
    )


def _allowed_later(column):
    """Codes that leave columns drawn later, and parts drawn before, what they may have.

    By combination, and the one of each row; None where any.
    """
    rows, j = column.rows, column.drawn.column
    later = allowed_by_dependences(rows.structure, j, rows.codes, rows.seen)
    if not column.date_parts:
        return later
    by_parts = _allowed_by_parts(column)
    return by_parts if later is None else both_allow(later, by_parts)


def _allowed_by_parts(column):
    """Which codes have the parts that were drawn before a column."""
    roundness = column.roundness
    if roundness is None:
        return allowed_by_parts(column.atoms, column.date_parts)
    own = column.date_parts[roundness]
    return roundness.allowed(column.atoms), own.astype(np.int64)


def _allowed_bins(column, in_reach):
    """Bins of a column that each row may have, or None where all.

    Of a column that others tell, those that most rows of a combination may have.
    """
    rows, j = column.rows, column.drawn.column
    allowed = _allowed_beside(rows, j)
    if in_reach and j in rows.structure.reach:
        reached = rows.structure.reach[j][rows.clusters]
        allowed = reached if allowed is None else _narrowed(allowed, reached)
    lookup = rows.structure.rules.lookup(column.name)
    if lookup is None or allowed is None:
        return allowed
    return Telling(rows, lookup).allowed_alike(allowed)


def _allowed_beside(rows, j):
    """Bins of a column that each row may have, or None where all.

    Where there are none, as columns before it should not have met, those that met
    first are left out: rows of a person know the columns that stay, then others.
    """
    structure, allowed = rows.structure, None
    for other in reversed(rows.seen):
        if (other, j) in structure.rules.tables:
            own = structure.bins[other][rows.codes[:, other]]
            of_rows = structure.rules.tables[other, j][own]
            if allowed is None:
                allowed = np.ones_like(of_rows)
            allowed = _narrowed(allowed, of_rows)
    return allowed


def _narrowed(allowed, further):
    """What of the bins that rows may have is among further ones, or all if nothing."""
    both = allowed & further
    return np.where(both.any(axis=1)[:, None], both, allowed)
