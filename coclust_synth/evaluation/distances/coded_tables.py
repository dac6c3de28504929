"""Checks of the coded tables that are compared: same variables, codes in range."""

from collections.abc import Mapping, Sequence

import numpy as np

from coclust_synth.exceptions import ParameterError, SchemaError, TableError


def check_coded_tables(tables: Mapping[str, np.ndarray]) -> None:
    """Refuse what are not integer codes of the same variables.

    Parameters
    ----------
    tables : mapping of str to ndarray of shape (n, d), int
        Under the names that messages give them; n differs from table to table.

    Raises
    ------
    ParameterError
        If the tables have no common shape.
    TableError
        If a table has no row or no column.
    """
    for table, codes in tables.items():
        if codes.ndim != 2 or codes.dtype.kind not in "iu":
            raise ParameterError(
                f"Expected integer codes of shape (n, d) for the {table} table. "
                f"Received shape {codes.shape} and dtype {codes.dtype}. Encode the "
                "table first, for instance by a `TableCoding`."
            )
    first, d = next((table, codes.shape[1]) for table, codes in tables.items())
    for table, codes in tables.items():
        if codes.shape[1] != d:
            raise ParameterError(
                f"Expected tables with the same variables. Received {d} columns in the "
                f"{first} table and {codes.shape[1]} in the {table} one. Keep the "
                "columns that all have, in the same order."
            )
        if not codes.size:
            raise TableError(
                f"Expected at least one row and one column in the {table} table. "
                f"Received shape {codes.shape}. Check how it was read or filtered."
            )


def check_code_ranges(
    tables: Mapping[str, np.ndarray], names: Sequence | None = None
) -> None:
    """Refuse codes below that of a missing value.

    Parameters
    ----------
    tables : mapping of str to ndarray of shape (n, d), int
        As `check_coded_tables` lets them through.
    names : sequence of d hashable, optional
        Names of the variables; default, their positions.

    Raises
    ------
    SchemaError
    """
    for table, codes in tables.items():
        lows, highs = codes.min(axis=0).tolist(), codes.max(axis=0).tolist()
        labels = range(len(lows)) if names is None else names
        for name, low, high in zip(labels, lows, highs, strict=True):
            if low < -1:
                raise SchemaError(
                    f"Expected codes from -1 (missing) in variable {name!r}. Received "
                    f"{low} to {high} in the {table} table. Encode all tables with the "
                    "same parts."
                )
