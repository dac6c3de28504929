"""Whether the nearest drawn row tells who was learnt from; of columns of any kind.

The attacker knows a whole row and looks how near the nearest drawn row is: rows that
were learnt from against rows of a holdout, drawn at random from the same table. The
distance of two rows is the sum over their columns: of numbers and dates the difference
of their ranks among the rows learnt from, as shares; of categories, and of numbers of
at most 20 values, 1 where they differ; a missing number is one below all others by the
whole range. The area under the ROC curve of that distance is .5 where it tells nothing.

The same is asked of those who stand out: the 15 % of the rows asked about that are
farthest from all other real rows, of both parts, by the same distance. A release can
hide most people and give these away.

What it does not show is what `coclust_synth.evaluation.telling_apart.membership` says:
it is one attack, on average, and discloses something about both parts itself.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from coclust_synth.evaluation.telling_apart._kernels import MixedRows, nearest_others
from coclust_synth.evaluation.telling_apart.auc import AUC, auc_with_interval
from coclust_synth.exceptions import TableError
from coclust_synth.tables.column import LISTED_KINDS
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.values.columns import to_values

# Share of the rows that are taken for isolated.
ISOLATED = 0.15
# A column of no more numbers is one of categories.
_MAX_LISTED = 20
# Rows of each part that are asked about, at most and at least.
_MAX_ASKED, _MIN_ASKED = 4000, 20
# And of both together, where each column is left out in turn.
_MAX_LEFT_OUT = 2000


class Membership(NamedTuple):
    """How well nearest rows tell those learnt from.

    Attributes
    ----------
    every : AUC
        Of all rows that were asked about.
    isolated : AUC
        Of the 15 % that are farthest from other real rows.
    """

    every: AUC
    isolated: AUC


class NearestRowAttack:
    """Rows that an attacker knows, of whom some were learnt from.

    Parameters
    ----------
    training, holdout : DataFrame
        The rows learnt from, and others from the same table at random; 20 at least.
    schema : Schema
        Of both, complete; the columns that it keeps are compared.
    persons : (ndarray of int, ndarray of int), optional
        Person of each row of each part, from 0; nobody is in both. The other rows of
        a person do not make a row less isolated. By default each row is a person.
    random_state : int or SeedSequence, default=0
        Of which rows are asked about, where a part has more than 4,000.

    Raises
    ------
    TableError
        If a part has fewer than 20 rows.

    Examples
    --------
    >>> from coclust_synth import infer_schema
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"x": rng.normal(size=400), "y": rng.normal(size=400)})
    >>> halves = table.iloc[:200], table.iloc[200:]
    >>> attack = NearestRowAttack(*halves, infer_schema(table).keep("x", "y"))
    >>> attack.membership(halves[0]).every.value
    1.0
    """

    def __init__(
        self, training, holdout, schema: Schema, *, persons=None, random_state=0
    ):
        check_sizes(len(training), len(holdout))
        self.schema = schema.kept
        self._real = pd.concat([training, holdout], ignore_index=True)
        self._n_training = len(training)
        owner = np.arange(len(self._real))
        if persons is not None:
            owner = np.append(persons[0], persons[1] + persons[0].max() + 1)
        rng = np.random.default_rng(random_state)
        each = min(len(training), len(holdout), _MAX_ASKED)
        asked = [
            rng.choice(len(part), each, replace=False) for part in (training, holdout)
        ]
        # In random order: of equally isolated rows neither part comes first.
        self._asked = rng.permutation(np.append(asked[0], asked[1] + len(training)))
        self._is_member = self._asked < len(training)
        rows = self._coded(self._real, owner, self.schema.columns)
        alone = nearest_others(_some(rows, self._asked), rows)
        order = np.argsort(-alone, kind="stable")
        self._isolated = order[: round(ISOLATED * len(order))]

    def membership(self, released: pd.DataFrame) -> Membership:
        """How well the nearest row of a release tells those learnt from.

        Parameters
        ----------
        released : DataFrame
            With the columns of the table.

        Returns
        -------
        Membership

        Raises
        ------
        SchemaError
            If values do not fit the schema, but for categories.
        """
        n = len(self._asked)
        distance = self._distances(released, n, self.schema.columns)
        return Membership(
            self._area(distance, np.arange(n)), self._area(distance, self._isolated)
        )

    def without_each(self, released: pd.DataFrame) -> dict[str, float]:
        """How well it tells, of all rows, if a column is not looked at.

        Parameters
        ----------
        released : DataFrame
            As of `membership`.

        Returns
        -------
        dict of str to float
            AUC by the column that is left out, of 2,000 rows asked about at most; of a
            single column empty.
        """
        columns, n = self.schema.columns, min(len(self._asked), _MAX_LEFT_OUT)
        found = {}
        for left in columns if len(columns) > 1 else ():
            others = [column for column in columns if column is not left]
            distance = self._distances(released, n, others)
            found[left.name] = self._area(distance, np.arange(n)).value
        return found

    def _distances(self, released, n, columns):
        """Of the first n rows asked about, to the nearest released row."""
        asked = self._real.iloc[self._asked[:n]]
        both = pd.concat([asked, released], ignore_index=True)
        rows = self._coded(both, np.full(len(both), -1), columns)
        return nearest_others(
            _some(rows, np.arange(n)), _some(rows, np.arange(n, len(both)))
        )

    def _area(self, distance, rows):
        is_member = self._is_member[rows]
        return auc_with_interval(
            -distance[rows][is_member], -distance[rows][~is_member]
        )

    def _coded(self, frame, owner, columns):
        """The rows of a table as numbers, ranks among those learnt from, and codes."""
        numbers, codes = [], []
        for column in columns:
            if column.kind in LISTED_KINDS:
                codes.append(pd.factorize(frame[column.name].astype(object))[0])
                continue
            unbounded = replace(column, bounds=None)
            values, missing = to_values(frame[column.name], unbounded)
            known, absent = to_values(
                self._real[column.name].iloc[: self._n_training], unbounded
            )
            known = np.sort(known[~absent])
            if len(np.unique(known)) <= _MAX_LISTED:
                codes.append(np.where(missing, -1, pd.factorize(values)[0]))
            else:
                rank = np.searchsorted(known, values) / len(known)
                numbers.append(np.where(missing, -1.0, rank))
        n = len(frame)
        return MixedRows(
            np.column_stack([np.empty((n, 0)), *numbers]),
            np.column_stack([np.empty((n, 0)), *codes]).astype(np.int32),
            owner.astype(np.int64),
        )


def check_sizes(*sizes: int) -> None:
    """Refuse parts of too few rows to compare.

    Raises
    ------
    TableError
        If one has fewer than 20.
    """
    if min(sizes) < _MIN_ASKED:
        raise TableError(
            f"Expected {_MIN_ASKED} rows or more in each part. Received {min(sizes)}. "
            "Use a larger table."
        )


def _some(rows, at):
    return MixedRows(*(own[at] for own in rows))
