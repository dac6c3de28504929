"""Codes that trees are grown for and ask for, and how many of each there are."""

import numpy as np

from coclust_synth.generators.plain.structured.targets.residuals import residuals_of
from coclust_synth.tables.column import LISTED_KINDS


def code_sizes(coding, others=(), listed=()):
    """Codes of columns and of others, and how many of each are in an order.

    Parameters
    ----------
    coding : TableCoding
        Of d columns.
    others : sequence of (int, int), default=()
        The same of o others, which come after the columns.
    listed : collection of str, default=()
        Columns of numbers whose order says nothing.

    Returns
    -------
    ndarray of int64, shape (2, d + o)
    """
    n_codes = coding.n_parts_per_variable
    ordered = [
        (column.kind not in LISTED_KINDS or column.kind == "ordinal")
        and column.name not in listed
        for column in coding.schema.columns
    ]
    with_missing = np.array([parts.with_missing for parts in coding.parts])
    n_ordered = np.where(ordered, n_codes - with_missing, 0)
    sizes = np.column_stack([n_codes, n_ordered])
    return np.append(sizes, np.reshape(others, (-1, 2)), axis=0).astype(np.int64).T


def numbers_in_atoms(evidence, listed):
    """Numbers of columns whose order says something, and the atoms they are in."""
    for name, parts in zip(evidence.coding.names, evidence.coding.parts, strict=True):
        if name in evidence.numbers and name not in listed:
            if len(getattr(parts, "lows", ())):
                yield name, evidence.numbers[name], parts


def codes_of(features, evidence):
    """Of each part of a date, or each distance."""
    for feature in features:
        yield feature.codes(evidence.coding.names, evidence.numbers, evidence.scales)


def own_codes(name, evidence, fits, listed):
    """What a column's tree is grown for: codes, their sizes, and how it is drawn."""
    j = evidence.coding.names.index(name)
    parts, codes = evidence.coding.parts[j], evidence.codes[:, j]
    if name in fits:
        how = residuals_of(fits[name], evidence, parts)
        parts, codes = how["residuals"], how.pop("codes")
        return codes, (parts.n_parts, len(parts.lows)), how
    n_codes, n_ordered = code_sizes(evidence.coding, listed=listed)[:, j]
    return codes, (int(n_codes), int(n_ordered), evidence.first_code(name)), {}
