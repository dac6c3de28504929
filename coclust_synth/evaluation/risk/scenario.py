"""Who may be looked for in a release, and the classes of rows that look alike to them.

A *disclosure scenario*, as statistical offices call it, names the columns that somebody
may know of a person (the quasi-identifiers), whose rows they are, and among whom a
person is sought. Classes of equal quasi-identifiers, and the risks of those who are in
them, are about this scenario and no other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from coclust_synth.evaluation.measures import INDIVIDUALS, PERSONS, ROWS
from coclust_synth.evaluation.risk.classes import Whose, check_weights
from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.tables.generalized.table import GeneralizedTable
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.reading.table import TableLike, open_table
from coclust_synth.tables.schema import unknown_column


@dataclass(frozen=True, eq=False)
class Scenario:
    """What is known of the people of a release, and whose its rows are.

    Attributes
    ----------
    quasi_identifiers : sequence of str, optional
        Columns that somebody may know of a person, of those that are compared. By
        default the generalised ones of a k-anonymous release; of another release none,
        and there are no classes.
    person_id, household_id : str, optional
        Columns of the release that name the person, or the household, of each row;
        equal values, the same one. By default each row is a person.
    weights : str, optional
        Column of the release with survey weights: how many people of the population a
        row stands for, from 1 on.
    population : DataFrame, path or Table, optional
        People of whom the released are some, with the original values of the
        quasi-identifiers.
    persons : Persons, optional
        Whose the released rows are, in their order, where the release lacks the column
        `person_id` that names them in the other tables.
    rows_of_persons : bool, default=False
        Whether several rows can be one person's and nothing tells which: rows are
        counted, and the figures say so.

    Examples
    --------
    >>> Scenario(quasi_identifiers=["age", "town"], household_id="home").set_aside
    ('home',)
    """

    quasi_identifiers: Sequence[str] | None = None
    person_id: str | None = None
    household_id: str | None = None
    weights: str | None = None
    population: TableLike | None = None
    persons: Persons | None = None
    rows_of_persons: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.quasi_identifiers, str):
            raise ParameterError(
                "Expected quasi_identifiers to be a list of names. Received the text "
                f"{self.quasi_identifiers!r}. Put it in a list."
            )
        if self.persons is not None and self.person_id is None:
            raise ParameterError(
                "Expected a person_id beside persons, the column that names them in "
                "the real table. Received none. Name it."
            )

    @property
    def set_aside(self) -> tuple[str, ...]:
        """Columns that tell whose rows they are, and are not compared."""
        named = (self.person_id, self.household_id, self.weights)
        return tuple(dict.fromkeys(name for name in named if name is not None))

    @property
    def counted(self) -> str:
        """What the individuals of classes are: a key of `measures.UNITS`."""
        if self.person_id is not None:
            return PERSONS
        return ROWS if self.rows_of_persons else INDIVIDUALS

    def persons_of(self, real: pd.DataFrame) -> Persons | None:
        """Whose the rows of the real table are, where it says so."""
        if self.person_id is None or self.person_id not in real.columns:
            return None
        return Persons.of(real, self.person_id)

    def compares(self, name: str) -> bool:
        """Whether a column of the release is compared with the real one."""
        return name not in self.set_aside

    def known(
        self, names: Sequence[str], labelled: GeneralizedTable | None
    ) -> tuple[str, ...]:
        """The quasi-identifiers; none where none is known of a release.

        Parameters
        ----------
        names : sequence of str
            Of the columns that are compared.
        labelled : GeneralizedTable or None
            The release, if it is k-anonymous.

        Raises
        ------
        ParameterError
            If one is not compared, or named twice; if none is known of people whose
            number or households are.
        """
        if self.quasi_identifiers is None:
            own = () if labelled is None else labelled.names
            own = tuple(name for name in own if name in names)
            self._check_of_use(own)
            return own
        own = tuple(self.quasi_identifiers)
        for name in own:
            if name not in names:
                where = "those that are compared"
                raise ParameterError(unknown_column(name, tuple(names), where))
        twice = sorted({name for name in own if own.count(name) > 1})
        if twice:
            raise ParameterError(
                "Expected every quasi-identifier to be named once. Received "
                f"{', '.join(map(repr, twice))} twice. Leave one out."
            )
        return own

    def apart_from(self, labelled: GeneralizedTable) -> GeneralizedTable:
        """A release without the columns that tell whose rows they are."""
        if not self.set_aside:
            return labelled
        kept = [name for name in labelled.others.columns if self.compares(name)]
        order = tuple(name for name in labelled.order if self.compares(name))
        return GeneralizedTable(
            labelled.columns, labelled.others[kept], order, labelled.suppressed
        )

    def _check_of_use(self, known) -> None:
        given = [
            *self.set_aside,
            *([] if self.population is None else ["a population"]),
        ]
        if given and not known:
            raise ParameterError(
                f"Expected quasi-identifiers beside {', '.join(given)}. Received none. "
                "Name the columns that somebody may know of a person (--qi)."
            )

    def whose_released(self, released: TableLike) -> Whose:
        """Whose rows the release has, as `whose`, or as `persons` says."""
        if self.persons is None:
            return self.whose(released)
        rest = replace(self, person_id=None, persons=None)
        return rest.whose(released)._replace(persons=self.persons)

    def whose(self, released: TableLike) -> Whose:
        """Whose rows a table has.

        Raises
        ------
        ParameterError
            If a column is not there.
        TableError
            If a row names nobody, or a weight is no number from 1 on.
        """
        if not self.set_aside:
            return Whose()
        source = open_table(released)
        frame = source.frame
        for name in self.set_aside:
            if name not in frame.columns:
                where = "the released table"
                raise ParameterError(unknown_column(name, tuple(frame.columns), where))
        if source.delimiter is not None:  # texts, of which an empty one is missing
            frame = frame[list(self.set_aside)].replace("", None)
        persons, households = (
            None if name is None else Persons.of(frame, name, what)
            for name, what in (
                (self.person_id, "person"),
                (self.household_id, "household"),
            )
        )
        weights = None if self.weights is None else _weights(frame[self.weights])
        return Whose(persons, households, weights)


def _weights(cells):
    try:
        weights = pd.to_numeric(cells).to_numpy(dtype=float)
    except (TypeError, ValueError) as error:
        raise TableError(
            f"Expected survey weights in {cells.name!r}, a number for each row. "
            f"Received {error}. Name the column of the weights."
        ) from None
    check_weights(weights)
    return weights
