"""What no person has twice: two visits on a day, a subject that is examined again."""

import numpy as np

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.rules.evidence import pooled_codes

# Rows that would be as one before of their person by chance, of categories and of
# numbers, at least; of these such a share may be.
_BY_CHANCE, _BY_CHANCE_NEAR, _MOST = 50, 20, 0.05
# What numbers of a person are apart where they nearly are the same, in steps.
_NEAR = 3
# Rows that are as one before are drawn again so many times.
_TIMES_AGAIN = 10


def find_once(evidence, names):
    """The columns of which nearly no person has a value twice, as chance would have it.

    Of dates with times the day is meant. Of numbers and dates chance is told by how
    many rows of a person are a few steps apart: half as many a step would be the same.
    Of categories it is told by giving them to the rows in another order.

    Parameters
    ----------
    evidence : Evidence
        Of rows of persons.
    names : sequence of str
        Columns that change from row to row.

    Returns
    -------
    tuple of str
        `MAX_BROKEN` of the rows after the first may be as one before.
    """
    person, coding = evidence.persons.codes, evidence.coding
    most = MAX_BROKEN * (len(person) - len(np.unique(person)))
    found = []
    for name in names:
        own = _values(name, coding, evidence.codes, evidence.numbers)
        known = ~np.isnan(own)
        if name in evidence.numbers:
            step = getattr(evidence.scales[name].ruler, "step", None)
            if step is None:
                continue
            step = step / evidence.scales[name].per_day
            step = max(step, 1.0) if name in evidence.dates else step
            apart = np.round(_apart(own[known], person[known]) / step)
            n_same = (apart == 0).sum()
            by_chance = ((apart > 0) & (apart <= _NEAR)).sum() / _NEAR / 2
            enough = _BY_CHANCE_NEAR
        else:
            n_same = (_apart(own[known], person[known]) == 0).sum()
            shuffled = np.random.default_rng(0).permutation(own[known])
            by_chance = (_apart(shuffled, person[known]) == 0).sum()
            enough = _BY_CHANCE
        if by_chance >= enough and n_same <= min(most, _MOST * by_chance):
            found.append(name)
    return tuple(found)


def said_of_once(names):
    """What no person has twice, in words."""
    return tuple(f"hardly two rows of one {name}" for name in names)


class Seen:
    """Values that the rows of some persons have so far.

    Parameters
    ----------
    names : sequence of str
        Of what no person has twice.
    n : int
        Persons.
    """

    def __init__(self, names, n):
        self._n, self._rows = n, {name: [] for name in names}

    def draw_others(self, row, person):
        """Draw rows again that have a value of an earlier row, and take all down.

        Parameters
        ----------
        row : Drawing
            The next row of some persons; rows are changed in place.
        person : ndarray of int64, shape (m,)
            Whose each is.
        """
        if not self._rows:
            return
        for _ in range(_TIMES_AGAIN):
            again = np.flatnonzero(self._is_as_before(row, person))
            if not len(again):
                break
            row.draw_again(again)
        for name, before in self._rows.items():
            own = np.full(self._n, np.nan)
            own[person] = _values(name, row.coding, row.codes, row.numbers)
            before.append(own)

    def _is_as_before(self, row, person):
        """Rows with a value that an earlier one of their person has."""
        same = np.zeros(len(person), dtype=bool)
        for name, before in self._rows.items():
            own = _values(name, row.coding, row.codes, row.numbers)
            for earlier in before:
                same |= earlier[person] == own
        return same


def _values(name, coding, codes, numbers):
    """A number for each value, float64; nan where missing, or one of several.

    Dates are days.
    """
    j = coding.names.index(name)
    if name in numbers:
        own = numbers[name]
        column = coding.schema[name]
        is_date = column.kind == "datetime" and not column.is_time
        return np.floor(own) if is_date else np.asarray(own, np.float64)
    parts = coding.parts[j]
    none = [*pooled_codes(coding).get(j, ())]
    none += [parts.n_parts - 1] if parts.with_missing else []
    return np.where(np.isin(codes[:, j], none), np.nan, codes[:, j].astype(np.float64))


def _apart(own, person):
    """How far values are above the next lower ones of their person, those that have."""
    order = np.lexsort((own, person))
    return np.diff(own[order])[np.diff(person[order]) == 0]
