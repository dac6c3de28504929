"""Privacy models that are asked of the sensitive columns of a table.

Values are counted by rows, or by persons: whoever has one in several rows counts once.
A person can hold several values of a class, one in each row. Whoever is in a class of
which all persons hold a value is known to hold it, whatever else they do: l-diversity
and `AlphaK` count each person for one value, the commonest first (see
`coclust_synth.privacy.models.diversity`), t-closeness for each. Two classes can share
persons, so that what is counted of their merger is not the sum; of the models only
k-anonymity holds for the merger of any two classes that it holds for.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse

from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy.classes import code_values, count_matrix
from coclust_synth.privacy.models._person_kernels import count_once
from coclust_synth.privacy.models.base import PrivacyModel, check_reachable
from coclust_synth.privacy.models.diversity import DistinctLDiversity
from coclust_synth.privacy.models.presence import PopulationModel
from coclust_synth.tables.people.people import People, Persons


@dataclass(frozen=True, eq=False)
class PersonValues:
    """The different pairs of a person and a value that the rows of a table hold.

    Attributes
    ----------
    codes : ndarray of int64, shape (n,)
        Pair of each row.
    person : ndarray of int64, shape (n_codes,)
        Of each pair.
    value : ndarray of int64, shape (n_codes,)
        Of each pair.
    n_persons, n_values : int
    """

    codes: np.ndarray
    person: np.ndarray
    value: np.ndarray
    n_persons: int
    n_values: int

    @classmethod
    def of(
        cls, persons: Persons, value_codes: np.ndarray, n_values: int
    ) -> "PersonValues":
        """The pairs of a table.

        Parameters
        ----------
        persons : Persons
            Of n rows.
        value_codes : ndarray of int64, shape (n,)
        n_values : int
        """
        pairs = persons.codes * n_values + value_codes
        found, codes = np.unique(pairs, return_inverse=True)
        return cls(codes, found // n_values, found % n_values, persons.n, n_values)

    @property
    def n_codes(self) -> int:
        """Number of pairs."""
        return len(self.value)

    def held(self, counts) -> sparse.csr_array:
        """Persons of classes who hold each value, who count for each that they hold.

        Parameters
        ----------
        counts : array-like or sparse matrix of shape (n_classes, n_codes), int
            Rows of each class that hold each pair.

        Returns
        -------
        csr_array of int64, shape (n_classes, n_values)
        """
        start, pairs = _held_pairs(counts)
        held = (np.ones(len(pairs), dtype=np.int64), self.value[pairs], start)
        found = sparse.csr_array(held, shape=(len(start) - 1, self.n_values))
        found.sum_duplicates()
        return found

    def once(self, counts) -> sparse.csr_array:
        """Persons of classes, each counted for the commonest value that they hold.

        Of all persons of a class those who hold the commonest value count for it; of
        the others those who hold the commonest of theirs; and so on. Of values that as
        many hold the first comes first.

        Parameters
        ----------
        counts
            As of `held`.

        Returns
        -------
        csr_array of int64, shape (n_classes, n_values)
            Its rows add up to the persons of the classes.
        """
        start, pairs = _held_pairs(counts)
        value = self.value[pairs]
        classes = np.repeat(np.arange(len(start) - 1), np.diff(start))
        by_value = np.lexsort((value, classes))
        values, persons, first = count_once(start, self.person[pairs], value, by_value)
        shape = (len(start) - 1, self.n_values)
        found = sparse.csr_array((persons, values, first), shape=shape)
        found.sort_indices()
        return found

    def counted(self, model: PrivacyModel, counts) -> sparse.csr_array:
        """What a model is asked of: `once`, or `held`."""
        return self.once(counts) if model.counts_once else self.held(counts)

    def total(self, model: PrivacyModel) -> np.ndarray:
        """The same of the table as one class, shape (n_values,), int64."""
        everything = np.ones((1, self.n_codes), dtype=np.int64)
        return self.counted(model, everything).toarray()[0]


def _held_pairs(counts):
    """Where the pairs of each class start, and the pairs, in their order: int64.

    They are by person, and then by value.
    """
    matrix = sparse.csr_array(counts, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)


@dataclass(frozen=True, eq=False)
class SensitiveModel:
    """A privacy model, and the values of the sensitive column that it is about.

    Attributes
    ----------
    model : PrivacyModel
    column : str
    codes : ndarray of int64, shape (n,)
        What is counted of each row: its value, or, where a person can have several
        rows, the pair of its person and its value.
    n_codes : int
    total : ndarray of int64, shape (n_values,)
        Individuals who hold each value, as the model counts them.
    by_person : PersonValues or None
        What the pairs are of; None where each row is a person.
    """

    model: PrivacyModel
    column: str
    codes: np.ndarray
    n_codes: int
    total: np.ndarray
    by_person: PersonValues | None = None

    @classmethod
    def of(
        cls,
        model: PrivacyModel,
        column: str,
        codes: np.ndarray,
        n_values: int,
        persons: Persons | None,
    ) -> "SensitiveModel":
        """A model of a column, asked of rows or of persons.

        Parameters
        ----------
        codes : ndarray of int64, shape (n,)
            Value of each row.
        n_values : int
        persons : Persons or None

        Raises
        ------
        ParameterError
            If the whole table as one class does not satisfy the model.
        """
        if persons is None:
            total = np.bincount(codes, minlength=n_values)
            check_reachable(model, column, total)
            return cls(model, column, codes, n_values, total)
        own = PersonValues.of(persons, codes, n_values)
        total = own.total(model)
        check_reachable(model, column, total)
        return cls(model, column, own.codes, own.n_codes, total, own)

    @property
    def is_monotone(self) -> bool:
        """Whether a class holds that is merged from classes that do.

        Not by persons: two classes that share some are not the sum of both.
        """
        return self.by_person is None

    @property
    def grows(self) -> bool:
        """Whether a class that holds goes on to, whatever it is merged with."""
        return self.is_monotone and isinstance(self.model, DistinctLDiversity)

    def by_record(self, record_of_row: np.ndarray, n_records: int) -> sparse.csr_array:
        """Counts of the codes by record, shape (n_records, n_codes)."""
        return count_matrix(record_of_row, self.codes, (n_records, self.n_codes))

    def holds(self, counts, kept=None, sizes=None) -> np.ndarray:
        """Whether each of some classes holds, from their counts of codes alone."""
        if self.by_person is None:
            return self.model.holds(counts, self.total)
        return self.model.holds(self.by_person.counted(self.model, counts), self.total)


def person_models(k: int, persons: Persons | None) -> list[SensitiveModel]:
    """What classes of k persons must hold: k different values of their column.

    Parameters
    ----------
    k : int
    persons : Persons or None
        None: each row is a person, and nothing is asked beside k rows.

    Raises
    ------
    ParameterError
        If there are fewer than k persons.
    """
    if persons is None:
        return []
    model, column = DistinctLDiversity(k), persons.column
    codes, n = persons.codes, persons.n
    return [SensitiveModel.of(model, column, codes, n, None)]


def models_of_classes(
    people: People, models: Sequence[tuple[str | None, PrivacyModel]], k: int
) -> list[SensitiveModel]:
    """What classes must hold beside k rows: models of sensitive columns, k persons.

    Parameters
    ----------
    people : People
        The table, its roles and whose rows they are.
    models : sequence of (column or None, PrivacyModel)
    k : int

    Raises
    ------
    ParameterError
        As `sensitive_models` and `person_models` do.
    """
    persons = people.persons
    asked = sensitive_models(people.frame, people.roles.sensitive, models, persons)
    return [*asked, *person_models(k, persons)]


def check_models(models: Sequence, *, presence: bool = False) -> None:
    """Refuse what is no sequence of (column or None, PrivacyModel).

    Parameters
    ----------
    models : sequence
    presence : bool, default=False
        Whether models of a population are allowed.

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
        if isinstance(own[1], PopulationModel) and not presence:
            raise ParameterError(
                "Expected models of the sensitive values. Received "
                f"{own[1]}, which is of a population. Leave it out, or use "
                "HybridKAnonymizer."
            )


def sensitive_models(
    frame: pd.DataFrame,
    sensitive: Sequence[str],
    models: Sequence[tuple[str | None, PrivacyModel]],
    persons: Persons | None = None,
) -> list[SensitiveModel]:
    """Models with the values of the columns that they are about.

    Parameters
    ----------
    frame : DataFrame of n rows
    sensitive : sequence of str
        Its sensitive columns.
    models : sequence of (column or None, PrivacyModel)
        Each on one of these columns, or on all.
    persons : Persons, optional
        Of the rows: values are counted by different persons. By default each row is a
        person.

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
            if model.needs_order and not coded.ordered:
                raise ParameterError(
                    f"Expected a column that has an order for {model}. Received "
                    f"{column!r}, which has none. Declare it ordinal in a schema, "
                    "or ask for the equal distance."
                )
            found.append(
                SensitiveModel.of(
                    model, column, coded.codes, len(coded.values), persons
                )
            )
    return found
