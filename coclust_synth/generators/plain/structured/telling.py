"""What some columns tell of another, in rows that are drawn.

A dependence tells the value of a combination that 20 individuals or more have it with;
the rows of any other combination share one as well, whichever is drawn. What is told so
gives way where the row has a value that this one never meets.
"""

from typing import NamedTuple

import numpy as np

from coclust_synth.tables.rules.evidence import pooled_codes
from coclust_synth.tables.rules.values.dependences import common_labels


def differs_from_alike(drawing):
    """Which rows have another value than most of those with the same combination.

    Rows that have not what theirs tells gave way.

    Parameters
    ----------
    drawing : Drawing
        Of which all columns are drawn.

    Returns
    -------
    ndarray of bool, shape (n,)
    """
    differs = np.zeros(drawing.n, dtype=bool)
    for lookup in drawing.structure.rules.lookups:
        telling = Telling(drawing, lookup)
        if telling.target not in drawing.structure.given:
            codes = drawing.codes[:, telling.target]
            own = drawing.numbers.get(lookup.target, codes)
            value = np.unique(own, return_inverse=True)[1]
            labels, rows = telling.rows_alike(codes)
            usual = first_of_most(labels, value[rows])
            differs[rows] |= value[rows] != value[rows][usual]
    return differs


class Said(NamedTuple):
    """What rows have for combinations of what tells a column.

    tellers : (q, m) float64, numbers or codes of the columns that tell it. codes : (m,)
    int64. numbers : (m,) float64, of a column of categories nan.
    """

    tellers: np.ndarray
    codes: np.ndarray
    numbers: np.ndarray

    def first_of_each(self):
        """The first row of each combination."""
        first = np.sort(np.unique(common_labels(self.tellers), return_index=True)[1])
        return Said(self.tellers[:, first], self.codes[first], self.numbers[first])


class Telling:
    """One dependence, in the rows of a drawing.

    Parameters
    ----------
    drawing : Drawing
        Of which the columns that tell are drawn.
    lookup : Lookup
    """

    def __init__(self, drawing, lookup):
        self.drawing, self.lookup = drawing, lookup
        names = drawing.coding.names
        self.target = names.index(lookup.target)
        self._positions = [names.index(name) for name in lookup.columns]

    def of(self, drawing):
        """The same dependence, in other rows."""
        return Telling(drawing, self.lookup)

    def told(self, codes):
        """Codes of a column: that of their combination, where it is told.

        Codes that stand for several values stay, and those beside which the told one
        never is; but a number has its class: such a row is to be drawn again.
        """
        told = self._by_lookup()
        is_told = (told >= 0) & self._is_single(self.target, codes)
        if self.lookup.limits is None:
            is_told &= self._may_meet(told)
        return np.where(is_told, told, codes)

    def numbers(self, codes):
        """Numbers that are told of rows with the code that is told; nan elsewhere."""
        own = self.drawing.codes[:, self._positions]
        numbers = self.lookup.numbers(own)
        return np.where(self._by_lookup() == codes, numbers, np.nan)

    def in_order(self, values, missing):
        """Values that rise, or fall, with the numbers that tell them.

        Between two numbers of which many tell a value, values are put in their order.

        Parameters
        ----------
        values, missing : ndarray, shape (n,)

        Returns
        -------
        ndarray, shape (n,)
        """
        (x,), values = self.tellers, values.copy()
        known, told = ~np.isnan(x) & ~missing, self._by_lookup() >= 0
        anchors, first = np.unique(x[known & told], return_index=True)
        at_anchors = values[known & told][first]
        rows = np.flatnonzero(known & ~told)
        between = np.searchsorted(anchors, x[rows])
        by_teller = np.lexsort((x[rows], between))
        by_value = np.lexsort((self.lookup.rises * values[rows], between))
        own = np.empty_like(values[rows])
        own[by_teller] = values[rows][by_value]
        if len(anchors):
            ends = np.stack(
                [
                    at_anchors[np.maximum(between - 1, 0)],
                    at_anchors[np.minimum(between, len(anchors) - 1)],
                ]
            )
            is_inside = (between > 0) & (between < len(anchors))
            inside = np.clip(own, ends.min(axis=0), ends.max(axis=0))
            own = np.where(is_inside, inside, own)
        values[rows] = own
        return values

    def alike(self, codes):
        """The row whose value each row has: the first with that of most of them."""
        like = np.arange(self.drawing.n)
        labels, rows = self.rows_alike(codes)
        like[rows] = rows[first_of_most(labels, codes[rows])]
        return np.where(self._may_meet(codes[like]), like, np.arange(len(like)))

    def said_of(self, kept):
        """What some rows have, of those that share what their combination has.

        Parameters
        ----------
        kept : ndarray of int64
            Rows of the drawing.

        Returns
        -------
        Said
        """
        rows = self.rows_alike(self.drawing.codes[:, self.target])[1]
        return self._said_of(rows[np.isin(rows, kept)])

    def said_of_untold(self):
        """What most rows have of each combination that nothing is told of: a `Said`."""
        codes = self.drawing.codes[:, self.target]
        labels, rows = self.rows_alike(codes)
        like = rows[first_of_most(labels, codes[rows])]
        return self._said_of(np.unique(like[self._by_lookup()[rows] < 0]))

    def _said_of(self, rows):
        codes, none = self.drawing.codes[rows, self.target], np.full(len(rows), np.nan)
        numbers = self.drawing.numbers.get(self.lookup.target)
        tellers = np.array([own[rows] for own in self.tellers], dtype=np.float64)
        return Said(tellers, codes, none if numbers is None else numbers[rows])

    def as_said(self, said, codes, values, missing):
        """Codes and values, of combinations of other rows what those rows have.

        Parameters
        ----------
        said : Said
            Of the others.
        codes : ndarray of int64, shape (n,)
        values, missing : ndarray, shape (n,)
        """
        at = self.rows_alike(codes)[1]
        pairs = zip(said.tellers, self.tellers, strict=True)
        both = [np.concatenate([one, own[at]]) for one, own in pairs]
        of_rows, own = np.split(common_labels(both), [len(said.codes)])
        known, first = np.unique(of_rows, return_index=True)
        place = np.searchsorted(known, own)
        is_known = np.append(known, -1)[place] == own
        at, like = at[is_known], first[place[is_known]]
        same = codes.copy()
        same[at] = said.codes[like]
        may = self._may_meet(same)[at]
        at, like = at[may], like[may]
        codes[at], name = same[at], self.lookup.target
        if name in self.drawing.scales:
            numbers = said.numbers[like]
            missing[at] = np.isnan(numbers)
            values[at] = self.drawing.scales[name].nearest(np.nan_to_num(numbers))
        else:
            parts = self.drawing.coding.parts[self.target]
            values[at], missing[at] = parts.draw(codes[at], self.drawing.rng)
        return codes, values, missing

    def allowed_alike(self, allowed):
        """Bins that most rows of a combination may have: they get the same value.

        Parameters
        ----------
        allowed : ndarray of bool, shape (n, number of bins)
            What each row may have.
        """
        labels, n_bins = self._combinations(), allowed.shape[1]
        n_labels = int(labels.max(initial=0)) + 1
        rows, bins = np.nonzero(~allowed & (labels >= 0)[:, None])
        pairs, n_without = np.unique(labels[rows] * n_bins + bins, return_counts=True)
        n_rows = np.bincount(labels[labels >= 0], minlength=n_labels)
        pairs = pairs[2 * n_without > n_rows[pairs // n_bins]]
        forbidden = np.zeros((n_labels, n_bins), dtype=bool)
        forbidden[pairs // n_bins, pairs % n_bins] = True
        of_all = ~forbidden[labels] | (labels < 0)[:, None]
        return np.where(of_all.any(axis=1)[:, None], allowed & of_all, allowed)

    def rows_alike(self, codes):
        """Rows that have what their combination tells, if it does, after what it is."""
        labels, told = self._combinations(), self._by_lookup()
        has_it = (told < 0) | (told == codes)
        has_it &= (labels >= 0) & self._is_single(self.target, codes)
        rows = np.flatnonzero(has_it)
        return labels[rows], rows

    @property
    def tellers(self):
        """The numbers, or codes, of the columns that tell the other."""
        drawing, names = self.drawing, self.lookup.columns
        return [
            drawing.numbers.get(name, drawing.codes[:, j])
            for name, j in zip(names, self._positions, strict=True)
        ]

    def _by_lookup(self):
        codes = self.drawing.codes[:, self._positions]
        return self.lookup.told_of_rows(codes, self.drawing.numbers)

    def _may_meet(self, codes):
        """Whether codes of the target may be beside those of all that are drawn.

        Those that stand for no value of it, such as for another column's, may.
        """
        drawing, j = self.drawing, self.target
        tables, bins = drawing.structure.rules.tables, drawing.structure.bins
        is_value = (codes >= 0) & (codes < len(bins[j]))
        own, may = bins[j][np.where(is_value, codes, 0)], np.ones(drawing.n, dtype=bool)
        for other in drawing.seen:
            if (other, j) in tables:
                may &= tables[other, j][bins[other][drawing.codes[:, other]], own]
        return may | ~is_value

    def _combinations(self):
        """A number for each combination of what tells another; -1 of several values.

        Limits tell all classes of a number: where it is missing nothing is alike.
        """
        if self.lookup.limits is not None:
            x = self.drawing.numbers[self.lookup.number]
            return np.where(np.isnan(x), -1, common_labels(self.tellers))
        single = np.ones(self.drawing.n, dtype=bool)
        for j in self._positions:
            single &= self._is_single(j, self.drawing.codes[:, j])
        return np.where(single, common_labels(self.tellers), -1)

    def _is_single(self, j, codes):
        """Whether codes of a column stand for one value."""
        pooled = pooled_codes(self.drawing.coding).get(j, ())
        return ~np.isin(codes, [*pooled])


def first_of_most(labels, codes):
    """The first row with the code that most rows of its label have.

    Parameters
    ----------
    labels, codes : ndarray of int64, shape (n,)
        From 0.

    Returns
    -------
    ndarray of int64, shape (n,)

    Examples
    --------
    >>> first_of_most(np.array([0, 0, 1, 0]), np.array([5, 7, 5, 7])).tolist()
    [1, 1, 2, 1]
    """
    n_codes = codes.max(initial=0) + 1
    pairs = labels * n_codes + codes
    pairs, first, size = np.unique(pairs, return_index=True, return_counts=True)
    most_first = np.lexsort((first, -size, pairs // n_codes))
    known, at = np.unique((pairs // n_codes)[most_first], return_index=True)
    return first[most_first[at]][np.searchsorted(known, labels)]
