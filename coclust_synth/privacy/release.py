"""From generalised columns to the table that is released, and what was done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coclust_synth.privacy.classes import code_values
from coclust_synth.tables.generalized.column import GeneralizedColumn
from coclust_synth.tables.generalized.table import GeneralizedTable
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.people.roles import Roles
from coclust_synth.tables.rows import collapse
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.values.dtypes import used_categories


@dataclass(frozen=True, eq=False)
class ReleaseReport:
    """What was done to a table; it is about real rows, and as confidential.

    Attributes
    ----------
    classes : DataFrame
        For each class its ``size`` and its ``perturbed`` rows: those with a value that
        their label does not stand for; where the rows are those of `persons`, how many
        ``persons`` it has. Suppressed rows are no class here.
    n_suppressed : int
        Rows whose quasi-identifiers are all ``*``.
    covered_cells : float
        Share of the quasi-identifying cells, suppressed rows included, whose label
        stands for the value that was there.
    n_persons, smallest_class_persons : int or None
        Persons of the table, and fewest in a class as a reader sees it, where all rows
        of equal labels are one, without the suppressed ones (0 if all are); None where
        each row is a person.
    persons : Persons or None
        Whose the rows of the release are, in its order; None where each row is a
        person.
    """

    classes: pd.DataFrame
    n_suppressed: int
    covered_cells: float
    n_persons: int | None = None
    smallest_class_persons: int | None = None
    persons: Persons | None = None

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        columns: Sequence[GeneralizedColumn],
        classes: NDArray[np.int64],
        persons: Persons | None = None,
    ) -> "ReleaseReport":
        """Compare the generalised columns of a table with its own values.

        Parameters
        ----------
        frame : DataFrame of n rows
        columns : sequence of GeneralizedColumn
            In the order of its rows.
        classes : ndarray of int64, shape (n,)
            Class of each row, from 0 without gaps; -1 if it is suppressed.
        persons : Persons, optional
            Of the rows; by default each row is a person.
        """
        covered = np.column_stack(
            [c.members[c.codes, c.leaf_codes(frame[c.name])] for c in columns]
        )
        kept = classes >= 0
        sizes = np.bincount(classes[kept])
        perturbed = np.bincount(classes[kept], ~covered[kept].all(axis=1))
        found = {"size": sizes, "perturbed": perturbed.astype(np.int64)}
        n_persons = fewest = None
        if persons is not None:
            found["persons"] = persons.count(classes)
            labels = np.column_stack([column.codes for column in columns])
            seen = collapse(labels, [len(c.labels) for c in columns])[1]
            of_seen = persons.count(np.where(kept, seen, -1))
            n_persons = persons.n
            fewest = int(min(of_seen[of_seen > 0], default=0))
        return cls(
            pd.DataFrame(found),
            int((~kept).sum()),
            float(covered.mean()),
            n_persons,
            fewest,
            persons,
        )

    def in_order(self, rows: NDArray[np.int64]) -> "ReleaseReport":
        """The same of a release that has the rows of the table in this order."""
        if self.persons is None:
            return self
        persons = Persons(self.persons.column, self.persons.codes[rows])
        return replace(self, persons=persons)

    @property
    def n_perturbed(self) -> int:
        """Rows with a value that their label does not stand for."""
        return int(self.classes["perturbed"].sum())


def release_table(
    frame: pd.DataFrame,
    schema: Schema,
    columns: tuple[GeneralizedColumn, ...],
    classes: NDArray[np.int64],
    roles: Roles,
    how: Mapping[str, str],
) -> tuple[GeneralizedTable, NDArray[np.int64]]:
    """The released table, in an order that tells nothing of that of the table.

    Parameters
    ----------
    frame : DataFrame
        The table.
    schema : Schema
    columns : tuple of GeneralizedColumn
    classes : ndarray of int64, shape (n,)
        -1 for a row that is suppressed; these rows are a class too.
    roles : Roles
    how : mapping of column name to str
        What is done with the values of each sensitive column; see `release_values`.
        Values are shuffled and drawn by a generator (PCG64) that the system's entropy
        seeds: whoever knew a seed could undo it.

    Returns
    -------
    release : GeneralizedTable
        Rows by their labels, then by what else is released of them; suppressed ones
        last.
    rows : ndarray of int64, shape (n,)
        Row of the table that each is.
    """
    rng = np.random.default_rng()
    own = np.unique(classes, return_inverse=True)[1]
    others = {
        name: release_values(frame[name], how[name], own, rng)
        for name in roles.sensitive
    } | {name: frame[name] for name in roles.others}
    dropped = set(roles.dropped)
    release = GeneralizedTable(
        columns,
        used_categories(pd.DataFrame(others)) if others else None,
        tuple(name for name in schema.names if name not in dropped),
        classes < 0,
    )
    keys = [column.codes for column in release.columns]
    keys += [code_values(release.others[name]).codes for name in release.others]
    rows = np.lexsort([*keys[::-1], release.suppressed])
    return release.take(rows), rows


def release_values(
    series: pd.Series, how: str, classes: NDArray[np.int64], rng: np.random.Generator
) -> pd.Series:
    """The values of a sensitive column that are released.

    Parameters
    ----------
    series : Series of n rows
    how : {"keep", "shuffle", "class", "table", "means"}
        Kept with their rows, as means are that were taken before; shuffled inside their
        class; drawn with replacement from the values of the class; or from those of the
        whole table.
    classes : ndarray of int64, shape (n,)
    rng : numpy.random.Generator

    Returns
    -------
    Series
    """
    n = len(series)
    if how in ("keep", "means"):
        return series
    if how == "table":
        chosen = rng.integers(0, n, n)
    else:
        by_class = np.argsort(classes, kind="stable")
        sizes = np.bincount(classes)
        starts = (np.cumsum(sizes) - sizes)[classes[by_class]]
        if how == "shuffle":
            drawn = np.lexsort((rng.random(n), classes[by_class]))
        else:
            drawn = starts + rng.integers(0, sizes[classes[by_class]])
        chosen = np.empty(n, dtype=np.int64)
        chosen[by_class] = by_class[drawn]
    return series.iloc[chosen].set_axis(series.index)
