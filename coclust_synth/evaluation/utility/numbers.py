"""What a release says of single numbers: totals, spreads, quantiles, what is missing.

Errors are shares: of a total and of a standard deviation, of the real one; of a
quantile, of the range between the real 5 % and 95 % quantiles, so that a value near 0
does not divide. Quantiles are those of 1, 5, 25, 50, 75, 95 and 99 %, and the largest
error of them is told. Dates have no total.
"""

import numpy as np
from numpy.typing import NDArray

from coclust_synth.evaluation.comparing.coded import CodedRows
from coclust_synth.evaluation.comparing.jackknife import with_interval
from coclust_synth.evaluation.comparing.scores import Figure, Figures, Setting

QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


def number_figures(setting: Setting, rows: CodedRows) -> Figures:
    """Errors of each column of numbers, and what is missing or unknown in any."""
    coding = setting.coding
    found: Figures = {}
    for k, column in enumerate(coding.schema.columns):
        real, other = setting.real.numbers[:, k], rows.numbers[:, k]
        if coding.is_number[k]:
            real, other = real[~np.isnan(real)], other[~np.isnan(other)]
            errors = {"deviation_error": _relative(np.std, real, other)}
            if column.kind != "datetime":
                errors["total_error"] = _relative(np.mean, real, other)
            errors["quantile_error"] = Figure(quantile_error(real, other))
            if setting.intervals:
                errors = _with_intervals(errors, real, other)
            found |= {(name, (column.name,)): own for name, own in errors.items()}
        of_real, own = (table.exact[:, k] < 0 for table in (setting.real, rows))
        before, after = float(of_real.mean()), float(own.mean())
        note = f"{before:.4f} became {after:.4f}"
        change = Figure(abs(before - after), note=note)
        if setting.intervals:
            change = _change_with_interval(change, own, before)
        found["missing_change", (column.name,)] = change
    unseen = rows.parts == coding.n_parts - 1
    share = unseen.mean(axis=0)
    where = [n for n, own in zip(coding.names, share, strict=True) if own > 0]
    found["unseen_values", ()] = with_interval(
        Figure(float(unseen.mean()), note=f"in {', '.join(where)}" if where else ""),
        rows.n,
        lambda kept: unseen[kept].mean(),
        most=1.0,
    )
    return found


def _change_with_interval(change, absent, before):
    """A change of what is missing with what another release would have."""
    return with_interval(
        change, len(absent), lambda kept: abs(absent[kept].mean() - before), most=1.0
    )


def _with_intervals(errors, real, other):
    """Errors with what another release of as many rows would have."""
    measures = {
        "total_error": lambda kept: _relative(np.mean, real, other[kept]).value,
        "deviation_error": lambda kept: _relative(np.std, real, other[kept]).value,
        "quantile_error": lambda kept: quantile_error(real, other[kept]),
    }
    return {
        name: with_interval(figure, len(other), measures[name])
        for name, figure in errors.items()
    }


def quantile_error(real: NDArray, other: NDArray) -> float:
    """Largest difference of a quantile, over the range from 5 to 95 % of the real one.

    Parameters
    ----------
    real, other : ndarray of float, without nan

    Returns
    -------
    float
        From 0 on; nan where a table has no number. Where that range is 0 the whole
        range of the real numbers divides, and 1 where that is 0 too.

    Examples
    --------
    >>> quantile_error(np.arange(101.0), np.arange(101.0) + 9)
    0.1
    """
    if not len(real) or not len(other):
        return np.nan
    ours, theirs = np.quantile(real, QUANTILES), np.quantile(other, QUANTILES)
    span = ours[5] - ours[1] or np.ptp(real) or 1.0
    return float(abs(ours - theirs).max() / span)


def _relative(measure, real, other):
    """Relative error of a figure of numbers; nan where the real one is 0."""
    none = Figure(np.nan, note="the real one is 0, or there is none")
    if not len(real) or not len(other):
        return none
    before, after = measure(real), measure(other)
    if not (before and np.isfinite(before) and np.isfinite(after)):
        return none
    note = f"{before:.6g} became {after:.6g}"
    return Figure(float(abs(after / before - 1)), note=note)
