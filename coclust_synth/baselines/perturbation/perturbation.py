"""What methods share that release the rows of a table with other values."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from coclust_synth.exceptions import DataWarning, ParameterError, SchemaError
from coclust_synth.tables.column import KINDS, Column
from coclust_synth.tables.reading.table import TableLike, as_table
from coclust_synth.tables.schema import Schema, unknown_column
from coclust_synth.tables.values.dtypes import used_categories
from coclust_synth.validation import Seed, check_seed, set_feature_names


@dataclass(eq=False, repr=False)
class Perturbation(BaseEstimator, ABC):
    """Base of the methods that change values in their rows, and nothing else.

    None of them promises k-anonymity or differential privacy: who knows the other
    columns of a row, or most of it, finds it. What is hidden is which value is the true
    one.

    Parameters
    ----------
    columns : sequence of str
        Whose values are changed. Other columns stay as they are, identifiers too.
    random_state : int, SeedSequence, Generator or None, default=None
        Seed. Keep it to yourself: who knows it can undo most of what was done.

    Attributes
    ----------
    released_ : DataFrame
        The table with other values, in the order of its rows.
    n_features_in_, feature_names_in_
        As in every estimator of scikit-learn.
    """

    columns: Sequence[str]
    _: KW_ONLY
    random_state: Seed = None

    #: Kinds of column whose values can be changed so.
    kinds: ClassVar[tuple[str, ...]] = KINDS

    def fit(self, table: TableLike, schema: Schema | None = None) -> Self:
        """Change the values of a table.

        Parameters
        ----------
        table : DataFrame, path or Table
        schema : Schema, optional
            What is known of the columns; by default inferred.

        Returns
        -------
        Perturbation
            Itself.

        Raises
        ------
        ParameterError, TableError, SchemaError
            If a column is not there or of another kind, or the table does not read.

        Warns
        -----
        DataWarning
            If a column of several values stays as it is.
        """
        check_seed("random_state", self.random_state)
        self._check_options()
        known = as_table(table, schema)
        columns = self._asked(known.schema)
        rng = np.random.default_rng(self.random_state)
        changed = self._change(known.frame, columns, rng)
        drawn = used_categories(pd.DataFrame(changed))
        self.released_ = known.frame.assign(**drawn)
        set_feature_names(self, known.schema.names)
        same = [name for name in changed if _is_same(known.frame[name], changed[name])]
        if same:
            warnings.warn(
                "Expected columns whose values change. Received "
                f"{', '.join(map(repr, same))}, in which no cell has changed. Ask for "
                "more change (more noise, farther ranks, larger groups, fewer values "
                "that are retained), or choose another method.",
                DataWarning,
                stacklevel=2,
            )
        return self

    def fit_transform(
        self, table: TableLike, schema: Schema | None = None
    ) -> pd.DataFrame:
        """Change the values of a table, and give it.

        Returns
        -------
        DataFrame
            ``released_``.
        """
        return self.fit(table, schema).released_

    def _asked(self, schema: Schema) -> list[Column]:
        names = list(self.columns)
        if not names or isinstance(self.columns, str) or len({*names}) < len(names):
            raise ParameterError(
                "Expected a list of one column or more, each once. Received "
                f"{self.columns!r}. Name the columns whose values are to be changed."
            )
        for name in names:
            if name not in schema.names:
                raise SchemaError(unknown_column(name, schema.names))
            if schema[name].kind not in self.kinds:
                raise ParameterError(
                    f"Expected columns of kind {', '.join(self.kinds)} for "
                    f"{type(self).__name__}. Received {name!r}, which is "
                    f"{schema[name].kind}. Choose another method for it."
                )
        return [schema[name] for name in names]

    def _check_options(self):
        """Refuse parameters of the method that cannot be used, before reading."""

    @abstractmethod
    def _change(
        self, frame: pd.DataFrame, columns: list[Column], rng: np.random.Generator
    ) -> dict[str, pd.Series]:
        """The changed columns by name."""


def _is_same(one, other):
    """Whether two columns have the same cells, of several values."""
    return one.nunique() > 1 and ((one == other) | (one.isna() & other.isna())).all()
