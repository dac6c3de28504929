"""Sensitive values counted by persons: whoever has one in several rows counts once.

A person can hold several values of a class, one in each row. With the persons of a
class E numbered, r_v of them hold the value v, and n_E is their number: the r_v add up
to n_E or more. Two classes can share persons, so that what is counted of their merger
is not the sum; of the models only k-anonymity and distinct l-diversity hold for the
merger of any two classes that they hold for.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from coclust_synth.tables.people.people import Persons


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

    @property
    def total(self) -> np.ndarray:
        """Persons who hold each value, shape (n_values,), int64."""
        return np.bincount(self.value, minlength=self.n_values)

    def of_classes(self, counts) -> tuple[sparse.csr_array, np.ndarray]:
        """What classes hold, by persons.

        Parameters
        ----------
        counts : array-like or sparse matrix of shape (n_classes, n_codes), int
            Rows of each class that hold each pair.

        Returns
        -------
        held : csr_array of int64, shape (n_classes, n_values)
            Persons of each class who hold each value in it.
        n_persons : ndarray of int64, shape (n_classes,)
            Persons of each class.
        """
        entries = sparse.coo_array(counts)
        is_held = entries.data > 0
        classes, pairs = entries.row[is_held], entries.col[is_held]
        ones = np.ones(len(classes), dtype=np.int64)
        shape = entries.shape[0]
        held = sparse.coo_array(
            (ones, (classes, self.value[pairs])), shape=(shape, self.n_values)
        ).tocsr()
        people = sparse.coo_array(
            (ones, (classes, self.person[pairs])), shape=(shape, self.n_persons)
        ).tocsr()
        return held, np.diff(people.indptr).astype(np.int64)
