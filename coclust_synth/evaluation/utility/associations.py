"""How strongly columns go together, whatever their kinds.

Pearson's correlation of two numbers, its absolute value not taken; Cramér's V of two
columns of categories; the correlation ratio of a number and a column of categories. The
last two are in [0, 1]. Rows where one of the two is missing are left out of the first
and the last; in categories a missing value is one.
"""

import numpy as np
from numpy.typing import NDArray

from coclust_synth.evaluation.comparing.coded import CodedRows, Coding
from coclust_synth.evaluation.comparing.scores import (
    N_GROUPS,
    Figure,
    Figures,
    Setting,
    around,
    group_of,
    reach,
)


def associations(coding: Coding, rows: CodedRows) -> NDArray[np.float64]:
    """The association of each pair of columns.

    Returns
    -------
    ndarray of shape (d, d)
        Symmetric, 1 on the diagonal; 0 where one column does not vary.
    """
    d = len(coding.names)
    table = np.eye(d)
    codes = [np.unique(own, return_inverse=True)[1] for own in rows.exact.T]
    for i in range(d):
        for j in range(i):
            table[i, j] = table[j, i] = _association(coding, rows, codes, i, j)
    return table


def association_figures(setting: Setting, rows: CodedRows) -> Figures:
    """Mean and largest change of an association.

    The interval of the largest one is that of the change of its pair.
    """
    coding, d = setting.coding, len(setting.coding.names)
    if d < 2:
        return {}
    real, other = (associations(coding, own) for own in (setting.real, rows))
    i, j = np.tril_indices(d, -1)
    change = abs(real - other)[i, j]
    worst = int(change.argmax())
    pair = (coding.names[j[worst]], coding.names[i[worst]])
    a, b = real[i[worst], j[worst]], other[i[worst], j[worst]]
    note = f"{pair[0]}, {pair[1]}: {a:.3f} became {b:.3f}"
    found = [Figure(float(change.mean())), Figure(float(change[worst]), note=note)]
    if setting.intervals and rows.n >= 2 * N_GROUPS:
        groups, left_out = group_of(rows.n), []
        for group in range(N_GROUPS):
            of_others = associations(coding, rows.take(np.flatnonzero(groups != group)))
            without = abs(real - of_others)[i, j]
            left_out.append([without.mean(), without[worst]])
        found = list(map(around, found, reach(left_out).tolist()))
    names = ("mean_association_change", "largest_association_change")
    return {(name, ()): figure for name, figure in zip(names, found, strict=True)}


def cramers_v(first: NDArray, second: NDArray) -> float:
    """Cramér's V of two columns of codes, in [0, 1]; 0 if one does not vary.

    Parameters
    ----------
    first, second : ndarray of int, shape (n,)
        Without gaps.

    References
    ----------
    H. Cramér, "Mathematical methods of statistics", 1946, section 21.9; without the
    correction for small tables.

    Examples
    --------
    >>> cramers_v(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    1.0
    """
    r, c = int(first.max()) + 1, int(second.max()) + 1
    if min(r, c) < 2:
        return 0.0
    counts = np.bincount(first * c + second, minlength=r * c).reshape(r, c)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    chi2 = (np.square(counts - expected) / expected).sum()
    return float(min(np.sqrt(chi2 / counts.sum() / (min(r, c) - 1)), 1.0))


def correlation_ratio(groups: NDArray, numbers: NDArray) -> float:
    """Root of the share of a number's variance that is between groups, in [0, 1].

    Parameters
    ----------
    groups : ndarray of int, shape (n,)
        Codes from 0, perhaps with gaps.
    numbers : ndarray of float64, shape (n,)

    Examples
    --------
    >>> correlation_ratio(np.array([0, 0, 1, 1]), np.array([2.0, 2.0, 5.0, 5.0]))
    1.0
    """
    numbers = numbers - numbers.mean()
    total = np.square(numbers).sum()
    if not total > 0:
        return 0.0
    sizes = np.maximum(np.bincount(groups), 1)
    between = (np.bincount(groups, numbers) ** 2 / sizes).sum()
    return float(min(np.sqrt(between / total), 1.0))


def _association(coding, rows, codes, i, j):
    if not (coding.is_number[i] or coding.is_number[j]):
        return cramers_v(codes[i], codes[j])
    known = ~np.isnan(rows.numbers[:, [k for k in (i, j) if coding.is_number[k]]])
    known = known.all(axis=1)
    if known.sum() < 2:
        return 0.0
    if coding.is_number[i] and coding.is_number[j]:
        return _pearson(rows.numbers[known, i], rows.numbers[known, j])
    number, group = (i, j) if coding.is_number[i] else (j, i)
    return correlation_ratio(codes[group][known], rows.numbers[known, number])


def _pearson(x, y):
    x, y = x - x.mean(), y - y.mean()
    spread = np.sqrt((x @ x) * (y @ y))
    return float(np.clip(x @ y / spread, -1, 1)) if spread > 0 else 0.0
