"""Anatomy: quasi-identifiers and sensitive values in two tables, joined by group.

Where people have several rows, rows are exchanged between groups until none has two of
one person.
"""

import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy.classes import code_values
from coclust_synth.tables.people.people import People
from coclust_synth.tables.reading.table import TableLike
from coclust_synth.tables.schema import Schema
from coclust_synth.validation import check_integer, set_feature_names

GROUP, COUNT = "group", "count"


@dataclass(eq=False, repr=False)
class AnatomyReleaser(BaseEstimator):
    """Two tables that unlink sensitive values from quasi-identifiers, by groups.

    Rows are put in groups of l or more, all with different sensitive values. One table
    has the quasi-identifiers as they are and the group of each row. The other has the
    sensitive values of each group and their counts, which are all 1. Somebody who knows
    the quasi-identifiers of a person finds the group, and in it l values or more that
    are equally likely.

    This is l-diverse and not k-anonymous. Quasi-identifiers are not generalised: who is
    in the table can be found in it, and it is disclosed that they are. A person is not
    protected if values of the group can be ruled out by other means.

    If a person can have several rows, name the column of the persons: the rows of a
    group are then of different persons too. Several rows may be known to be one
    person's, for instance by their quasi-identifiers. They are in as many groups, and a
    value that all of these groups have in common is known: this is not protected.

    Parameters
    ----------
    l : int
        Rows of each group, all of different sensitive values; from 2 on.
    sensitive : sequence of one str, optional
        The sensitive column; by default that of the schema. A missing value is a value.
    quasi_identifiers : sequence of str, optional
        By default those of the schema, or else every column that is neither sensitive
        nor an identifier.
    others : {"drop", "keep"}, default="drop"
        What is done with columns that are neither: they are kept with the
        quasi-identifiers. Identifiers are dropped.
    person_id : str, optional
        Column that names the person of each row; never released. By default each row
        is a person.

    Attributes
    ----------
    quasi_table_ : DataFrame of n rows
        Quasi-identifiers and ``group``, from 0: by group, then by values.
    sensitive_table_ : DataFrame
        ``group``, the value, and ``count``, by group, then by value.
    groups_ : ndarray of int64, shape (n,)
        Group of each row of the table given. Confidential.
    roles_ : Roles
    n_features_in_, feature_names_in_
        Of all columns of the table given, as in every estimator of scikit-learn.

    Notes
    -----
    Each group takes a row from each of the l values that have the most rows left. Fewer
    than l rows remain, each with another value, and go to groups without that value.
    Rows are drawn by the system's entropy: whoever knew a seed and the order of the
    table could link the two tables again. Two releases of a table therefore differ, and
    together show more than one does.

    References
    ----------
    X. Xiao and Y. Tao, "Anatomy: simple and effective privacy preservation", VLDB 2006,
    figure 3.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [30, 40], "ill": ["flu", "cold"]})
    >>> quasi, sensitive = AnatomyReleaser(2, sensitive=["ill"]).fit_transform(table)
    >>> quasi
       age  group
    0   30      0
    1   40      0
    >>> sensitive
       group   ill  count
    0      0  cold      1
    1      0   flu      1
    """

    l: int  # noqa: E741
    _: KW_ONLY
    sensitive: Sequence[str] | None = None
    quasi_identifiers: Sequence[str] | None = None
    others: str = "drop"
    person_id: str | None = None

    def fit(self, table: TableLike, schema: Schema | None = None) -> Self:
        """Put the rows of a table in groups, and make the two tables.

        Parameters
        ----------
        table : DataFrame, path or Table
        schema : Schema, optional
            What is known of the columns; by default inferred.

        Returns
        -------
        AnatomyReleaser
            Itself.

        Raises
        ------
        ParameterError, TableError, SchemaError
            Before any work; ParameterError also where a value is that of more than n /
            l rows, or a person has more, so that there are no such groups, or none are
            found.
        """
        check_integer("l", self.l, minimum=2)
        people = People.of(
            table,
            schema,
            k=1,
            quasi_identifiers=self.quasi_identifiers,
            sensitive=self.sensitive,
            others=self.others,
            person_id=self.person_id,
        )
        roles, frame = people.roles, people.frame
        name = _only(roles)
        coded = code_values(frame[name])
        _check_eligible(name, coded, self.l)
        rng = np.random.default_rng()
        self.roles_ = roles
        groups = anatomize(coded.codes, coded.counts, self.l, rng)
        if people.persons is not None:
            groups = part_persons(groups, coded.codes, people.persons, rng)
        self.groups_ = groups
        released = {*roles.quasi_identifiers, *roles.others}
        kept = [own for own in people.schema.names if own in released]
        by_value = [code_values(frame[own]).codes for own in kept]
        order = np.lexsort([*by_value[::-1], self.groups_])
        quasi = frame[kept].assign(**{GROUP: self.groups_})
        self.quasi_table_ = quasi.iloc[order].reset_index(drop=True)
        self.sensitive_table_ = self._count(frame[name], coded)
        set_feature_names(self, people.schema.names)
        return self

    def fit_transform(
        self, table: TableLike, schema: Schema | None = None
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Put the rows of a table in groups and give the two tables.

        Returns
        -------
        quasi_table, sensitive_table : DataFrame
            ``quasi_table_`` and ``sensitive_table_``.
        """
        self.fit(table, schema)
        return self.quasi_table_, self.sensitive_table_

    def _count(self, series, coded):
        """Rows of each group that hold each value."""
        pairs, first, counts = np.unique(
            self.groups_ * len(coded.values) + coded.codes,
            return_index=True,
            return_counts=True,
        )
        values = series.iloc[first].reset_index(drop=True)
        return pd.DataFrame(
            {GROUP: pairs // len(coded.values), series.name: values, COUNT: counts}
        )


def anatomize(codes, counts, l, rng):  # noqa: E741
    """Groups of l rows or more, all of different values.

    Parameters
    ----------
    codes : ndarray of int64, shape (n,)
        Value of each row.
    counts : ndarray of int64, shape (m,)
        Rows that hold each value, n / l at most.
    l : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int64, shape (n,)
        Group of each row, from 0 without gaps.
    """
    # The rows of each value in an order that is drawn: the next one is at `taken`.
    rows = np.lexsort((rng.random(len(codes)), codes))
    taken = np.cumsum(counts) - counts
    groups = np.empty(len(codes), dtype=np.int64)
    left = [(-count, value) for value, count in enumerate(counts.tolist()) if count]
    heapq.heapify(left)
    n_groups = 0
    while len(left) >= l:
        for count, value in [heapq.heappop(left) for _ in range(l)]:
            groups[rows[taken[value]]] = n_groups
            taken[value] += 1
            if count < -1:
                heapq.heappush(left, (count + 1, value))
        n_groups += 1
    # Of each value that is left there is one row (Xiao and Tao, property 1).
    for _, value in left:
        own = rows[taken[value] - counts[value] + 1 : taken[value]]
        without = np.setdiff1d(np.arange(n_groups), groups[own])
        groups[rows[taken[value]]] = rng.choice(without)
    return groups


def _only(roles):
    """The sensitive column, its name and those of the others being free to use."""
    if len(roles.sensitive) != 1:
        raise ParameterError(
            "Expected one sensitive column. Received "
            f"{', '.join(map(repr, roles.sensitive)) or 'none'}. Name one, or join "
            "several in one."
        )
    names = {*roles.quasi_identifiers, *roles.others, *roles.sensitive}
    used = [name for name in (GROUP, COUNT) if name in names]
    if used:
        raise ParameterError(
            f"Expected columns of other names than {GROUP!r} and {COUNT!r}, which are "
            f"those of the released tables. Received {used[0]!r}. Rename it."
        )
    return roles.sensitive[0]


def _check_eligible(name, coded, l):  # noqa: E741
    n, most = len(coded.codes), int(coded.counts.max())
    if most * l > n:
        value = coded.values[int(coded.counts.argmax())]
        received = "no value" if pd.isna(value) else f"the value {value!r}"
        fits = f"Choose l up to {n // most}, or another column."
        if n < 2 * most:
            fits = (
                "No l fits, as these are more than half of the rows: choose another "
                "column."
            )
        raise ParameterError(
            f"Expected a column {name!r} in which no value is that of more than n / l "
            f"rows, {n} / {l}. Received {received} in {most} rows. {fits}"
        )


def part_persons(groups, codes, persons, rng):
    """Exchange rows between groups until those of each group are of different persons.

    A row that shares its group with another one of its person changes places with a row
    drawn among those where neither group gets a person or a value twice.

    Parameters
    ----------
    groups : ndarray of int64, shape (n,)
        Group of each row, from 0; all rows of a group are of different values.
    codes : ndarray of int64, shape (n,)
        Value of each row.
    persons : Persons
        Of the rows.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int64, shape (n,)
        Groups of the same sizes.

    Raises
    ------
    ParameterError
        If a person has more rows than there are groups, or no such exchange is left.
    """
    n_groups = int(groups.max()) + 1
    most = int(np.bincount(persons.codes).max())
    if most > n_groups:
        raise ParameterError(
            f"Expected persons of at most {n_groups} rows, one a group. Received one "
            f"of {most}. Choose a smaller l, or remove some of the rows."
        )
    group, value = groups.tolist(), codes.tolist()
    person = persons.codes.tolist()
    people = [Counter() for _ in range(n_groups)]
    values = [set() for _ in range(n_groups)]
    for row, own in enumerate(group):
        people[own][person[row]] += 1
        values[own].add(value[row])
    order = rng.permutation(len(group)).tolist()
    for row in order:
        own = group[row]
        if people[own][person[row]] == 1:
            continue
        start = int(rng.integers(len(order)))
        for i in range(len(order)):
            other = order[i - start]
            to = group[other]
            is_free = (
                person[row] not in people[to] and person[other] not in people[own]
            ) and (
                value[row] == value[other]
                or (value[row] not in values[to] and value[other] not in values[own])
            )
            if is_free:
                break
        else:
            raise ParameterError(
                "Expected rows that can be put in groups of different persons. "
                f"Received some of one person that cannot, in {n_groups} groups. "
                "Choose a smaller l, or try again: groups are drawn."
            )
        for moved, left, joined in ((row, own, to), (other, to, own)):
            people[left] -= Counter([person[moved]])  # those of no row are left out
            people[joined][person[moved]] += 1
            values[left].discard(value[moved])
            group[moved] = joined
        values[to].add(value[row])
        values[own].add(value[other])
    return np.array(group, dtype=np.int64)
