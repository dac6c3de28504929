"""A bound on how many rows one person has, so that noise can hide all of them."""

import numpy as np
import pandas as pd

from coclust_synth.exceptions import TableError
from coclust_synth.tables.schema import unknown_column
from coclust_synth.validation import check_integer, check_seed


def bound_rows(frame, person_id, max_rows, *, random_state=None):
    """Keep at most some rows of each person, chosen at random.

    What a person's rows say plays no part in the choice, nor do other persons, so that
    one person changes at most `max_rows` of the rows kept: the `rows_per_person` of a
    `PrivacyLedger`.

    Parameters
    ----------
    frame : DataFrame
    person_id : str
        Column that names the person of each row.
    max_rows : int
        At least 1. Choose it without looking at the table: it is public.
    random_state : int, SeedSequence, Generator or None, default=None

    Returns
    -------
    DataFrame
        Rows in the order of the table; the column `person_id` is still there.

    Raises
    ------
    ParameterError, TableError
        If there is no such column, or a row names nobody.
    """
    check_integer("max_rows", max_rows, minimum=1)
    check_seed("random_state", random_state)
    if person_id not in frame.columns:
        raise TableError(unknown_column(person_id, tuple(frame.columns)))
    nobody = int(frame[person_id].isna().sum())
    if nobody:
        raise TableError(
            f"Expected every row to name its person in {person_id!r}. Received "
            f"{nobody} rows that do not. Fill them in, or remove those rows."
        )
    order = np.random.default_rng(random_state).permutation(len(frame))
    persons = pd.factorize(frame[person_id])[0][order]
    rank = pd.Series(persons).groupby(persons).cumcount().to_numpy()
    return frame.iloc[np.sort(order[rank < max_rows])]
