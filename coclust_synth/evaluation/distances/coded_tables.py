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
                "table first, or use the function of the same name that begins with "
                "table_."
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
    tables: Mapping[str, np.ndarray],
    n_categories: Sequence[int] | None = None,
    names: Sequence | None = None,
) -> None:
    """Refuse codes outside their variable.

    Parameters
    ----------
    tables : mapping of str to ndarray of shape (n, d), int
        As `check_coded_tables` lets them through.
    n_categories : sequence of d int, optional
        Number of codes of each variable; default, no limit.
    names : sequence of d hashable, optional
        Names of the variables; default, their positions.

    Raises
    ------
    SchemaError
    """
    for table, codes in tables.items():
        lows, highs = codes.min(axis=0).tolist(), codes.max(axis=0).tolist()
        limits = [np.inf] * len(lows) if n_categories is None else n_categories
        labels = range(len(lows)) if names is None else names
        for name, low, high, n in zip(labels, lows, highs, limits, strict=True):
            if not (-1 <= low and high < n):
                last = "" if n == np.inf else f" to {n - 1}"
                raise SchemaError(
                    f"Expected codes from -1 (missing){last} in variable {name!r}. "
                    f"Received {low} to {high} in the {table} table. Encode all tables "
                    "with the same parts."
                )
