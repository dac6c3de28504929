"""What is searched in a table: the same for both programs."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype
from scipy import sparse

from coclust_synth.modl.data_grid.observations import count_records
from coclust_synth.modl.data_grid.search import search_data_grid
from coclust_synth.modl.grid.grid import Contingency
from coclust_synth.modl.learnt.coding import learn_parts
from coclust_synth.modl.search.two_sides import search_grid
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.reading.infer import infer_schema
from coclust_synth.tables.table import TableValues


@dataclass(frozen=True, eq=False)
class Problem:
    """A table, and what is searched in it.

    Attributes
    ----------
    table : DataFrame
        What Khiops reads; columns of numbers are numeric variables.
    search : callable
        Our search of the same; takes the options of `search_grid`, returns something
        with a ``trace``.
    has_variable_parts : bool
        Whether instances x variable parts are searched, or a grid of all columns.
    """

    table: pd.DataFrame
    search: Callable
    has_variable_parts: bool = False


def id_by_part(frame, *, bins, learn_from=None):
    """Individuals x the parts of all columns, numbers cut at quantiles.

    Parameters
    ----------
    frame : DataFrame
    bins : int
        Intervals of each column of numbers.
    learn_from : DataFrame, optional
        Where the parts are learnt, `frame` itself by default.
    """
    whole = frame if learn_from is None else learn_from
    coding = TableCoding.learn(whole, _schema(whole), binning="quantile", bins=bins)
    rows, inverse = coding.distinct_rows(frame)
    labels = np.array(coding.part_labels, dtype=object)
    individuals = pd.Series(np.arange(len(frame))).astype(str).to_numpy()
    table = pd.DataFrame(
        {
            "id": np.repeat(individuals, len(frame.columns)),
            "part": labels[rows.codes[inverse].ravel()],
        }
    )
    return Problem(table, partial(search_grid, Contingency.from_distinct_rows(rows)))


def two_variables(frame):
    """A grid of two categorical columns."""
    codes = [pd.factorize(frame[name], sort=True)[0] for name in frame.columns]
    ones = np.ones(len(frame), dtype=np.int64)
    contingency = Contingency.from_matrix(sparse.csr_array((ones, tuple(codes))))
    return Problem(frame, partial(search_grid, contingency))


def data_grid(frame):
    """A grid of all columns."""
    numeric = [is_numeric_dtype(frame[name]) for name in frame.columns]
    records, _ = count_records(frame, numeric)
    return Problem(frame, partial(search_data_grid, records))


def variable_parts(frame):
    """Individuals x the parts of all columns, parts learnt with the clusters."""
    schema = _schema(frame)

    def search(**options):
        return learn_parts(TableValues(frame), schema, **options).search

    return Problem(frame, search, has_variable_parts=True)


def _schema(frame):
    schema = infer_schema(frame)
    return schema.keep(*schema.names)
