"""Classes of rows of equal quasi-identifiers, of a release and of what takes its place.

Of a k-anonymous release rows are equal where their labels are; of others, and of the
tables that take its place, where values are. The real rows themselves take the place of
the release here, and not a copy drawn from them: rows that were drawn twice would seem
to hide each other.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coclust_synth.evaluation.comparing.alike import AlikeTables
from coclust_synth.evaluation.comparing.coded import code_tables
from coclust_synth.evaluation.comparing.scores import Figures
from coclust_synth.evaluation.risk.classes import (
    Key,
    Whose,
    class_figures,
    people_of_classes,
)
from coclust_synth.evaluation.risk.copies import profile_codes
from coclust_synth.evaluation.risk.scenario import Scenario
from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.generalized.column import GeneralizedColumn
from coclust_synth.tables.generalized.table import GeneralizedTable
from coclust_synth.tables.reading.table import TableLike
from coclust_synth.tables.table import Table

# Original values that a table of them is made with at most: it takes their square.
_MAX_LEAVES = 2000
_STREAM = 8


class Sources(NamedTuple):
    """The tables of an evaluation as they were given.

    Attributes
    ----------
    real : Table
    released : TableLike
        Of original values: drawn from the labels of a k-anonymous release.
    holdout : TableLike or None
    labelled : GeneralizedTable or None
        The k-anonymous release.
    """

    real: Table
    released: TableLike
    holdout: TableLike | None
    labelled: GeneralizedTable | None


@dataclass(frozen=True, eq=False)
class Linkage:
    """The quasi-identifiers of all tables, in the same codes.

    Attributes
    ----------
    sources : Sources
    names : tuple of str
        The quasi-identifiers.
    codes : dict of str to ndarray of shape (n, len(names)), int
        Of ``released``, of what takes its place: ``bootstrap`` (the real rows),
        ``independent``, ``fresh`` (the holdout), and of the ``population``; -1 where
        missing.
    whose : dict of str to Whose
        Whose rows those of each place are, the population aside; a place that does not
        tell what the scenario asks for is not there.
    """

    sources: Sources
    names: tuple[str, ...]
    codes: dict[str, NDArray[np.int64]]
    whose: dict[str, Whose]

    @classmethod
    def of(
        cls, sources: Sources, scenario: Scenario, names: tuple[str, ...], seed: int
    ) -> "Linkage":
        """Read the quasi-identifiers of all tables in the light of the real one.

        Raises
        ------
        SchemaError, TableError, ParameterError
            If the population lacks one, or does not read; if a column that tells whose
            the released rows are is not there, names nobody or is no weight.
        """
        whose = {"released": scenario.whose_released(sources.released)}
        others: dict[str, TableLike] = {
            "bootstrap": sources.real,
            "independent": sources.real,
        }
        if sources.holdout is not None:
            others["fresh"] = sources.holdout
        for place, source in others.items():
            try:
                whose[place] = scenario.whose(source)
            except ParameterError:  # they do not tell whose rows they are
                continue
        alike = AlikeTables.of(
            *sources[:3], population=scenario.population, compares=names.__contains__
        )
        _, rows = code_tables(alike)
        order = [alike.schema.names.index(name) for name in names]
        codes = {table: own.exact[:, order] for table, own in rows.items()}
        real = codes.pop("real")
        rng = np.random.default_rng([seed, _STREAM])
        codes["bootstrap"] = real
        codes["independent"] = np.column_stack([rng.permutation(c) for c in real.T])
        if "holdout" in codes:
            codes["fresh"] = codes.pop("holdout")
        return cls(sources, names, codes, whose)

    def figures(self) -> dict[str, Figures]:
        """Risks of the classes of each place, and the smallest class."""
        found = {"released": self._of_release()}
        for place, whose in self.whose.items():
            if place != "released":
                (classes,) = profile_codes(self.codes[place])
                population = self._people_of(classes, self.codes[place])
                found[place] = class_figures(classes, whose, population)
        return found

    def _of_release(self):
        labelled, whose = self.sources.labelled, self.whose["released"]
        codes = self.codes["released"].copy()
        if labelled is None:
            (classes,) = profile_codes(codes)
            return class_figures(classes, whose, self._people_of(classes, codes))
        for k, name in enumerate(self.names):
            if name in labelled.names:
                codes[:, k] = labelled[name].codes
        kept = ~labelled.suppressed
        if not kept.any():
            return {}
        (classes,) = profile_codes(codes[kept])
        population = None
        if "population" in self.codes:
            _, first = np.unique(classes, return_index=True)
            population = people_of_classes(self._keys(codes[kept][first]))
        return class_figures(classes, whose.take(kept), population)

    def _people_of(self, classes, codes):
        """People who have the very values of each class; None without a population."""
        people = self.codes.get("population")
        if people is None:
            return None
        own, theirs = profile_codes(codes, people)
        counts = np.bincount(theirs, minlength=int(own.max()) + 1)
        _, first = np.unique(classes, return_index=True)
        return counts[own[first]]

    def _keys(self, of_classes):
        """Each quasi-identifier of the classes of labels, and of the population."""
        labelled, keys = self.sources.labelled, []
        for k, name in enumerate(self.names):
            own, people = of_classes[:, k], self.codes["population"][:, k]
            if name in labelled.names:
                leaves = self._leaf_of(k)
                keys.append(Key(own, leaves[people + 1], labelled[name].members))
            else:
                keys.append(Key(own, people))
        return keys

    def _leaf_of(self, k):
        """Leaf of each code plus one, -1 for what the real table has nowhere."""
        name, real = self.names[k], self.codes["bootstrap"][:, k]
        n = 2 + max(int(own[:, k].max()) for own in self.codes.values())
        found = np.full(n, -1)
        column = self.sources.labelled[name]
        found[real + 1] = column.leaf_codes(self.sources.real.frame[name])
        return found

    def original_tables(
        self, others: dict[str, pd.DataFrame]
    ) -> dict[str, GeneralizedTable]:
        """What takes the place of a k-anonymous release, each value its own label.

        Rows of values that the release does not know are left out.

        Parameters
        ----------
        others : dict of str to DataFrame
            Of each place, the columns that are not generalised.

        Returns
        -------
        dict of str to GeneralizedTable
            Empty where a column has too many values, or where not all generalised
            columns are quasi-identifiers.
        """
        columns = self.sources.labelled.columns
        known = {column.name for column in columns} <= set(self.names)
        if not known or max(len(c.leaves) for c in columns) > _MAX_LEAVES:
            return {}
        found = {}
        for place, own in others.items():
            leaves = np.column_stack(
                [
                    self._leaf_of(k)[self.codes[place][:, k] + 1]
                    for k in (self.names.index(c.name) for c in columns)
                ]
            )
            kept = (leaves >= 0).all(axis=1)
            if kept.any():
                found[place] = GeneralizedTable(
                    tuple(map(_original, columns, leaves[kept].T)), own[kept]
                )
        return found


def _original(column, codes):
    members = np.eye(len(column.leaves), dtype=bool)
    return GeneralizedColumn.from_members(
        column.name, column.leaves, column.ordered, members, codes
    )
