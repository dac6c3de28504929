"""Privacy models that are asked of the sensitive columns of a table."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse

from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy.base import PrivacyModel, check_reachable
from coclust_synth.privacy.classes import code_values, count_matrix
from coclust_synth.privacy.presence import DeltaPresence


@dataclass(frozen=True, eq=False)
class SensitiveModel:
    """A privacy model, and the values of the sensitive column that it is about.

    Attributes
    ----------
    model : PrivacyModel
    column : str
    codes : ndarray of int64, shape (n,)
        Value of each row.
    total : ndarray of int64, shape (n_values,)
        Rows that hold each value.
    """

    model: PrivacyModel
    column: str
    codes: np.ndarray
    total: np.ndarray

    def by_record(self, record_of_row: np.ndarray, n_records: int) -> sparse.csr_array:
        """Counts of the values by record, shape (n_records, n_values)."""
        return count_matrix(record_of_row, self.codes, (n_records, len(self.total)))

    def holds(self, counts, kept, sizes) -> np.ndarray:
        """Whether each of some classes holds, from their counts alone."""
        return self.model.holds(counts, self.total)


def check_models(models: Sequence, *, presence: bool = False) -> None:
    """Refuse what is no sequence of (column or None, PrivacyModel).

    Parameters
    ----------
    models : sequence
    presence : bool, default=False
        Whether `DeltaPresence` is allowed, which is of a population.

    Raises
    ------
    ParameterError
    """
    if not isinstance(models, Iterable) or isinstance(models, str):
        models = [models]
    for own in models:
        if not (
            isinstance(own, tuple | list)
            and len(own) == 2
            and isinstance(own[0], str | None)
            and isinstance(own[1], PrivacyModel)
        ):
            raise ParameterError(
                "Expected models as a list of (column or None, PrivacyModel). Received "
                f"{own!r}. Write for instance [(None, DistinctLDiversity(2))]."
            )
        if isinstance(own[1], DeltaPresence) and not presence:
            raise ParameterError(
                "Expected models of the sensitive values. Received "
                f"{own[1]}, which is of a population. Leave it out, or use "
                "HybridKAnonymizer."
            )


def sensitive_models(
    frame: pd.DataFrame,
    sensitive: Sequence[str],
    models: Sequence[tuple[str | None, PrivacyModel]],
) -> list[SensitiveModel]:
    """Models with the values of the columns that they are about.

    Parameters
    ----------
    frame : DataFrame of n rows
    sensitive : sequence of str
        Its sensitive columns.
    models : sequence of (column or None, PrivacyModel)
        Each on one of these columns, or on all.

    Raises
    ------
    ParameterError
        If there is no such column, its values have no order and the model needs one, or
        the whole table as one class does not satisfy the model.
    """
    found = []
    for name, model in models:
        if name is not None and name not in sensitive:
            raise ParameterError(
                f"Expected {model} on one of the sensitive columns "
                f"{', '.join(map(repr, sensitive)) or '(none)'}. "
                f"Received {name!r}. Name it as sensitive too."
            )
        if not sensitive:
            raise ParameterError(
                f"Expected a sensitive column for {model}. Received none. Name "
                "the columns that nobody should learn."
            )
        for column in sensitive if name is None else [name]:
            coded = code_values(frame[column])
            if getattr(model, "distance", None) == "ordered" and not coded.ordered:
                raise ParameterError(
                    f"Expected a column that has an order for {model}. Received "
                    f"{column!r}, which has none. Declare it ordinal in a schema, "
                    "or ask for the equal distance."
                )
            check_reachable(model, column, coded.counts)
            found.append(SensitiveModel(model, column, coded.codes, coded.counts))
    return found
