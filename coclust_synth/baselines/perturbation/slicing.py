"""Slicing: groups of columns are shuffled against each other in buckets of near rows.

Columns that belong together, such as an occupation and its pay, stay together; which of
these goes with which row of the others is hidden among the rows of a bucket. Somebody
who knows the other columns of a person finds the bucket, and the chance that a draw
from it gives the person's own values of a group is the share of its rows that have
them. Buckets are Mondrian's classes of the columns that are in no group.

References
----------
.. [1] T. Li, N. Li, J. Zhang and I. Molloy, "Slicing: a new approach for privacy
   preserving data publishing", IEEE Transactions on Knowledge and Data Engineering 24,
   2012.
"""

from collections.abc import Sequence
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coclust_synth.baselines.mondrian.anonymizer import MondrianAnonymizer
from coclust_synth.baselines.perturbation.perturbation import Perturbation
from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy.classes import equivalence_classes
from coclust_synth.tables.reading.table import TableLike, as_table
from coclust_synth.tables.schema import Schema
from coclust_synth.validation import Seed, check_integer


class Slicing(Perturbation):
    """Groups of columns that are shuffled in buckets of near rows.

    All values stay, in the buckets they were in; the other columns stay as they are, so
    that who is in the table is no secret. It is not l-diversity: a bucket whose rows
    share a value tells it.

    Parameters
    ----------
    groups : sequence of sequence of str
        Columns of each group, whose values stay together.
    bucket : int, default=5
        Rows of each bucket, at least; from 2.
    random_state
        As of `Perturbation`.

    Attributes
    ----------
    released_ : DataFrame
    buckets_ : ndarray of int64, shape (n,)
        Bucket of each row. Confidential.
    true_in_bucket_ : dict of str to ndarray of shape (n,)
        For each column, and each row, the share of its bucket that has the values of
        the group which the row has. Confidential.

    References
    ----------
    Li et al. (2012).

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": range(8), "ill": list("aabbccdd")})
    >>> slicing = Slicing([["ill"]], bucket=4, random_state=0).fit(table)
    >>> slicing.buckets_.tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    >>> slicing.released_["ill"].tolist()
    ['b', 'b', 'a', 'a', 'd', 'd', 'c', 'c']
    >>> slicing.true_in_bucket_["ill"].tolist()
    [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
    """

    def __init__(
        self,
        groups: Sequence[Sequence[str]],
        *,
        bucket: int = 5,
        random_state: Seed = None,
    ) -> None:
        self.groups = groups
        self.bucket = bucket
        self.random_state = random_state

    @property
    def columns(self) -> list[str]:  # type: ignore[override]
        """The columns of all groups."""
        return [name for group in self.groups for name in group]

    def fit(self, table: TableLike, schema: Schema | None = None) -> Self:
        """As `Perturbation.fit`; buckets are of the columns that are in no group."""
        self._check_options()
        known = as_table(table, schema)
        self._asked(known.schema)
        rest = [
            column.name
            for column in known.schema.columns
            if column.name not in self.columns
            and column.treatment != "drop"
            and column.role != "identifier"
        ]
        if not rest:
            raise ParameterError(
                "Expected columns that are in no group, to form buckets by. Received "
                "groups of all. Leave out those that somebody may know."
            )
        if self.bucket > len(known.frame):
            raise ParameterError(
                f"Expected bucket to be at most the {len(known.frame)} rows of the "
                f"table. Received {self.bucket}. Choose a smaller bucket."
            )
        mondrian = MondrianAnonymizer(self.bucket, quasi_identifiers=rest)
        self.buckets_ = mondrian.fit(known).classes_
        return super().fit(known)

    def _check_options(self):
        check_integer("bucket", self.bucket, minimum=2)
        if isinstance(self.groups, str) or any(
            isinstance(group, str) or not len(group) for group in self.groups
        ):
            raise ParameterError(
                "Expected groups that are lists of columns. Received "
                f'{self.groups!r}. Write for instance [["job", "pay"], ["disease"]].'
            )

    def _change(self, frame, columns, rng):
        changed, self.true_in_bucket_ = {}, {}
        for group in self.groups:
            taken_from = shuffled(self.buckets_, rng)
            share = _share_in_bucket(frame, group, self.buckets_)
            for name in group:
                series = frame[name]
                changed[name] = series.iloc[taken_from].set_axis(series.index)
                self.true_in_bucket_[name] = share
        return changed


def shuffled(buckets: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """A row of the same bucket for each row, each row once, at random.

    Parameters
    ----------
    buckets : ndarray of int64, shape (n,)
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int64, shape (n,)
    """
    by_bucket = np.argsort(buckets, kind="stable")
    drawn = np.lexsort((rng.random(len(buckets)), buckets))
    taken_from = np.empty_like(by_bucket)
    taken_from[by_bucket] = drawn
    return taken_from


def _share_in_bucket(frame, group, buckets):
    """Share of the bucket of each row that has its values in a group of columns."""
    values = equivalence_classes(frame, list(group)).codes
    pairs = pd.factorize(pd.MultiIndex.from_arrays([buckets, values]))[0]
    return np.bincount(pairs)[pairs] / np.bincount(buckets)[buckets]
