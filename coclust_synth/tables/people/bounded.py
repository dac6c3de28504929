"""A bound on how many rows one person has, so that noise can hide all of them."""

import hashlib
import secrets

import numpy as np
import pandas as pd

from coclust_synth.exceptions import TableError
from coclust_synth.tables.reading.native import as_pandas, in_library, library_of
from coclust_synth.tables.reading.texts.cells import cell_texts
from coclust_synth.tables.schema import unknown_column
from coclust_synth.validation import check_integer

_KEY_BYTES = 32


def bound_rows(
    frame: pd.DataFrame, person_id: str, max_rows: int, *, key: bytes | None = None
) -> pd.DataFrame:
    """Keep at most some rows of each person, chosen at random.

    One person changes at most `max_rows` of the rows kept: the `rows_per_person` of a
    `PrivacyLedger`. Each row draws a lot, a keyed hash of its person and of how many
    rows of theirs come before it; the lowest lots of each person are kept. So, for any
    key, the rows kept of a person depend on no other person, and not on what rows say.

    Parameters
    ----------
    frame : DataFrame
    person_id : str
        Column that names the person of each row. Names are compared as texts (see
        `coclust_synth.tables.reading.texts.cells.cell_text`): in a file, 1000.0 and
        1000.00 are two.
    max_rows : int
        At least 1. Choose it without looking at the table: it is public.
    key : bytes, optional
        Secret of the lots, up to 64 bytes, for tests; by default 32 bytes of the
        system's entropy, used once.

    Returns
    -------
    DataFrame
        Rows in the order of the table; the column `person_id` is still there.

    Raises
    ------
    ParameterError, TableError
        If there is no such column, or more than one, or a row names nobody. Whether
        there is such a row is for whoever holds the table, and not protected.

    Examples
    --------
    >>> import pandas as pd
    >>> visits = pd.DataFrame({"person": list("aaabb"), "ward": [1, 2, 3, 1, 2]})
    >>> bound_rows(visits, "person", 2)["person"].tolist()
    ['a', 'a', 'b', 'b']
    """
    check_integer("max_rows", max_rows, minimum=1)
    library, frame = library_of(frame), as_pandas(frame)
    n_columns = list(frame.columns).count(person_id)
    if not n_columns:
        raise TableError(unknown_column(person_id, tuple(frame.columns)))
    if n_columns > 1:
        raise TableError(
            f"Expected one column {person_id!r} of the persons. Received {n_columns}. "
            "Rename the others."
        )
    persons, names = cell_texts(frame[person_id])
    if (persons < 0).any():
        raise TableError(row_of_nobody(person_id))
    key = secrets.token_bytes(_KEY_BYTES) if key is None else key
    kept = np.ones(len(frame), dtype=bool)
    by_person = np.argsort(persons, kind="stable")
    ends = np.cumsum(np.bincount(persons, minlength=len(names)))
    for name, rows in zip(names, np.split(by_person, ends)[:-1], strict=True):
        if len(rows) > max_rows:
            lots = [_lot(key, name, place) for place in range(len(rows))]
            kept[rows[np.argsort(lots, kind="stable")[max_rows:]]] = False
    return in_library(frame[kept], library)


def row_of_nobody(person_id: str) -> str:
    """What a message says of rows without a person: not how many, as it is private."""
    return (
        f"Expected every row to name its person in {person_id!r}. Received rows that "
        "do not (how many is not shown: it is private). Fill them in, or remove those "
        "rows."
    )


def _lot(key, name, place):
    """A number that nobody can tell without the key, the same for the same row."""
    text = f"{place} {name}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, key=key, digest_size=7).digest())
