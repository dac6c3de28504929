"""What a release says of single numbers, and how many rows it has under conditions.

Of totals, spreads, quantiles and what is missing errors are shares: of a total and of a
standard deviation, of the real one; of a quantile, of the range between the real 5 %
and 95 % quantiles, so that a value near 0 does not divide. Quantiles are those of 1, 5,
25, 50, 75, 95 and 99 %, and the largest error of them is told. Dates have no total.

A count query asks how many rows meet a random conjunction. It picks one to three
columns, and in each a random half of the parts, of numbers a run of neighbouring ones.
Its error is |a' - a| / max(a, 0.1 % of the rows), with a the real count and a' that of
the release, brought to the number of real rows.

References
----------
X. Xiao, G. Wang and J. Gehrke, "Differential privacy via wavelet transforms", IEEE TKDE
23(8), 2011: the sanity bound.
"""

import numpy as np
from numpy.typing import NDArray

from coclust_synth.evaluation.comparing.coded import CodedRows, Coding
from coclust_synth.evaluation.comparing.scores import (
    Figure,
    Figures,
    Setting,
    of_mean,
    of_median,
    with_interval,
)

QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
N_QUERIES = 200
SANITY_BOUND = 0.001  # of the rows: a smaller real count does not divide an error
_MAX_COLUMNS = 3
_STREAM = 2


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
                totals = [coding.origins[k] + own for own in (real, other)]
                errors["total_error"] = _relative(np.mean, *totals)
            errors["quantile_error"] = Figure(quantile_error(real, other))
            if setting.intervals:
                errors = _with_intervals(errors, real, other, coding.origins[k])
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


def _with_intervals(errors, real, other, origin):
    """Errors with what another release of as many rows would have."""

    def total_error(kept):
        return _relative(np.mean, origin + real, origin + other[kept]).value

    measures = {
        "total_error": total_error,
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


def draw_queries(
    coding: Coding, n: int, rng: np.random.Generator
) -> list[dict[int, NDArray[np.bool_]]]:
    """Random conjunctions: for each, the parts that it keeps of some columns."""
    d, queries = len(coding.names), []
    for _ in range(n):
        chosen = rng.choice(d, int(rng.integers(1, min(d, _MAX_COLUMNS) + 1)), False)
        query = {}
        for k in chosen.tolist():
            n_parts = int(coding.n_parts[k])
            half = max(1, n_parts // 2)
            kept = np.zeros(n_parts, dtype=bool)
            if coding.is_number[k]:
                start = int(rng.integers(0, n_parts - half + 1))
                kept[start : start + half] = True
            else:
                kept[rng.choice(n_parts, half, replace=False)] = True
            query[k] = kept
        queries.append(query)
    return queries


def query_errors(
    queries: list[dict[int, NDArray[np.bool_]]],
    real: NDArray[np.integer],
    other: NDArray[np.integer],
) -> NDArray[np.float64]:
    """Relative error of each query; codes of shape (n, d) and (m, d)."""
    counts = _counts(queries, real)
    scaled = _counts(queries, other) * (len(real) / len(other))
    return abs(scaled - counts) / np.maximum(counts, SANITY_BOUND * len(real))


def query_figures(setting: Setting, rows: CodedRows) -> Figures:
    """Mean and median error of 200 queries."""
    queries = draw_queries(setting.coding, N_QUERIES, setting.rng(_STREAM))
    errors = query_errors(queries, setting.real.parts, rows.parts)
    mean = of_mean(errors)
    return {
        ("mean_query_error", ()): mean._replace(low=max(mean.low, 0.0)),
        ("median_query_error", ()): of_median(errors),
    }


def _counts(queries, codes):
    return np.array(
        [
            np.logical_and.reduce([kept[codes[:, k]] for k, kept in q.items()]).sum()
            for q in queries
        ]
    )
