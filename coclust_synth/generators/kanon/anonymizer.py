"""What all k-anonymizers share: roles of columns in, a released table out."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator

from coclust_synth.generators.kanon.new_rows import release_new_rows
from coclust_synth.privacy.means import with_means
from coclust_synth.privacy.release import ReleaseReport, release_table
from coclust_synth.tables.generalized.table import GeneralizedTable
from coclust_synth.tables.people.people import People
from coclust_synth.tables.people.roles import check_sensitive_values
from coclust_synth.tables.reading.table import TableLike
from coclust_synth.tables.schema import Schema
from coclust_synth.validation import check_fitted, check_integer, set_feature_names


class Recoded(NamedTuple):
    """Generalised columns of a table, in the order of its rows.

    Attributes
    ----------
    columns : tuple of GeneralizedColumn
        Of the quasi-identifiers.
    classes : ndarray of int64, shape (n,)
        Class of each row, from 0 without gaps; -1 if it is suppressed.
    """

    columns: tuple
    classes: np.ndarray


@dataclass(eq=False, repr=False)
class KAnonymizer(BaseEstimator, ABC):
    """Base of the estimators that release k-anonymous tables.

    Parameters
    ----------
    k : int
        Rows of each class, at least, and with `person_id` different persons; from 2 to
        their number.
    quasi_identifiers, sensitive, sensitive_values, others, person_id
        As of `HybridKAnonymizer`.

    Attributes
    ----------
    release_ : GeneralizedTable
        In an order that tells nothing of that of the table: by labels, then values.
    classes_ : ndarray of int64, shape (n,)
        Class of each row of the table given; -1 if it is suppressed. Confidential.
    report_ : ReleaseReport
    roles_ : Roles
    n_features_in_, feature_names_in_
        Of all columns of the table given, as in every estimator of scikit-learn.
    """

    k: int
    _: KW_ONLY
    quasi_identifiers: Sequence[str] | None = None
    sensitive: Sequence[str] | None = None
    sensitive_values: str | Mapping[str, str] = "keep"
    others: str = "drop"
    person_id: str | None = None

    def fit(self, table: TableLike, schema: Schema | None = None) -> Self:
        """Form the classes of a table, and the table to release.

        Parameters
        ----------
        table : DataFrame, path or Table
            At least k rows.
        schema : Schema, optional
            What is known of the columns; by default inferred.

        Returns
        -------
        KAnonymizer
            Itself.

        Raises
        ------
        ParameterError, TableError, SchemaError
            Before any work; ParameterError also where the table cannot be released so.
        """
        check_integer("k", self.k, minimum=2)
        self._check_options()
        people = People.of(
            table,
            schema,
            k=self.k,
            quasi_identifiers=self.quasi_identifiers,
            sensitive=self.sensitive,
            others=self.others,
            person_id=self.person_id,
        )
        how = check_sensitive_values(
            self.sensitive_values, people.roles.sensitive, people.schema
        )
        to_release = with_means(
            people.frame, people.schema, how, self.k, people.persons
        )
        columns, classes = self._recode(people)
        report = ReleaseReport.of(people.frame, columns, classes, people.persons)
        self.release_, rows = release_table(
            to_release, people.schema, columns, classes, people.roles, how
        )
        self.roles_, self.classes_ = people.roles, classes
        set_feature_names(self, people.schema.names)
        self.report_ = report.in_order(rows)
        return self

    def fit_transform(
        self, table: TableLike, schema: Schema | None = None
    ) -> GeneralizedTable:
        """Form the classes of a table and give the table to release.

        Returns
        -------
        GeneralizedTable
            ``release_``.
        """
        return self.fit(table, schema).release_

    def transform(
        self, table: TableLike, schema: Schema | None = None
    ) -> GeneralizedTable:
        """Release rows of new people under the labels of the table that was fitted.

        Every class that gets some gets those of k new individuals or more, for which
        the models hold too; rows that fit none are held back. So who has both releases,
        and tells old rows from new ones, has k to choose from in either. Nobody of the
        new rows may be in the earlier ones; see
        `coclust_synth.generators.kanon.new_rows`.

        Parameters
        ----------
        table : DataFrame, path or Table
            New rows, with the columns that were released.
        schema : Schema, optional
            What is known of them; by default inferred.

        Returns
        -------
        GeneralizedTable
            Of the new rows alone; those that it lacks of the table were held back.

        Raises
        ------
        NotFittedError
        ParameterError, TableError, SchemaError
            If no class gets k new individuals, or the table does not read.
        """
        check_fitted(self, "release_")
        batch = release_new_rows(
            self.release_,
            table,
            schema,
            k=self.k,
            sensitive=self.roles_.sensitive,
            sensitive_values=self.sensitive_values,
            models=getattr(self, "models", None) or (),
            person_id=self.person_id,
        )
        return batch.release

    def _check_options(self):
        """Refuse parameters of the method that cannot be used, before reading."""

    @abstractmethod
    def _recode(self, people: People) -> Recoded:
        """Gather the rows in classes and generalise the quasi-identifiers.

        `people.asked` is the schema of these; `code_leaves` codes their values, and
        `GeneralizedColumn.from_members` or `baselines.class_labels` makes labels.
        """
