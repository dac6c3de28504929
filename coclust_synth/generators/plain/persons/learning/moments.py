"""Moments at which persons have several rows: the day of a visit, of an order.

How many things are bought on a day is not told by those that were bought before: nobody
comes for one thing, say, and few for ten. So rows of one moment are drawn as those of a
key are (see `rows_of_keys`), where there are many more of them than chance makes: a few
admissions of a patient fall on one day, too.
"""

import numpy as np

# So many of the rows after the first, at least, are of the moment of the row before,
# and so many times as many as would be by chance, as those some steps later tell.
_SHARED, _MORE, _NEAR = 0.05, 2, 3


def find_moments(whole):
    """The column of which the rows of a person that share a value go together.

    It is what rows are in the order of, and no row lacks it. Where something stays that
    tells of all rows of a person together, how many they are or a total, rows are drawn
    one after the other, as this is kept so.

    Parameters
    ----------
    whole : PersonTable

    Returns
    -------
    str or None
    """
    name = whole.ordered_by
    if name is None or whole.is_told_of_all_rows:
        return None
    scale, numbers = whole.evidence.scales[name], whole.evidence.numbers[name]
    step = getattr(scale.ruler, "step", None)
    if step is None or np.isnan(numbers).any():
        return None
    steps = np.diff(numbers[whole.rows])[~whole.is_first[1:]] * scale.per_day / step
    n_shared = (steps < 1 / 2).sum()
    # Of two rows either one is later, unless both are of one moment.
    by_chance = ((steps > 1 / 2) & (steps < _NEAR + 1 / 2)).sum() / _NEAR / 2
    is_common = n_shared >= max(_SHARED * len(steps), _MORE * by_chance)
    return name if is_common else None
