"""Count queries that a release is asked, beside the real table."""

import json

import numpy as np

from coclust_synth.exceptions import ParameterError

_SANITY_BOUND = 0.001  # of the rows: a smaller real count does not divide an error


def load_queries(path, domain):
    """Read conjunctive count queries.

    Parameters
    ----------
    path : Path
        JSON with ``query_attributes``, names of columns; ``queries``, each a text of 0
        and 1 for each of them, 1 for a value that the query keeps; ``categories``, the
        values of a column in the order meant.
    domain : Domain

    Returns
    -------
    list of ndarray of bool, shape (n_queries, size)
        For each column of the domain, in its order, the cells that are kept.

    Raises
    ------
    ParameterError
        If the queries are about other columns or values.
    """
    content = json.loads(path.read_text(encoding="utf-8"))
    names = content["query_attributes"]
    if sorted(names) != sorted(domain.names):
        raise ParameterError(
            f"Expected queries about {', '.join(domain.names)}. Received queries about "
            f"{', '.join(names)}. Select these columns, or leave the queries out."
        )
    kept = []
    for name in domain.names:
        column, texts = domain[name], [q[names.index(name)] for q in content["queries"]]
        masks = np.array([[mark == "1" for mark in text] for text in texts])
        declared = [*(column.categories or ()), column.missing]
        listed = content["categories"].get(name)
        if masks.shape[1] != column.size or (
            listed and listed != [value for value in declared if value is not None]
        ):
            raise ParameterError(
                f"Expected queries over the {column.size} cells of {name!r}, in their "
                f"order. Received queries over {masks.shape[1]} cells, perhaps in "
                "another order. Correct the domain or the file of queries."
            )
        kept.append(masks)
    return kept


def relative_errors(queries, real, drawn):
    """How wrong a release counts, for each query.

    Parameters
    ----------
    queries : list of ndarray of bool, shape (n_queries, size)
        As `load_queries` gives them.
    real, drawn : ndarray of int, shape (n, d), (m, d)
        Cells of the real and of the released rows.

    Returns
    -------
    ndarray of float64, shape (n_queries,)
        |a' - a| / max(a, 0.1 % of n), with a the real count and a' that of the release
        times n / m.
    """
    counts = _counts(queries, real)
    errors = np.abs(_counts(queries, drawn) * (len(real) / len(drawn)) - counts)
    return errors / np.maximum(counts, _SANITY_BOUND * len(real))


def _counts(queries, codes):
    """Rows that each query keeps."""
    columns = list(zip(queries, codes.T, strict=True))
    return np.array(
        [
            np.logical_and.reduce([masks[q][column] for masks, column in columns]).sum()
            for q in range(len(queries[0]))
        ]
    )
