"""Whole persons, all of whose rows meet some conditions, one lot after the other.

Rows of a person go together: the number of them, totals, what one row says of the next.
So persons are kept as they were drawn, or left out, by all of their rows. Those who are
left out get all of theirs too: what later rows have is balanced over everybody (see
`balance`), and would be another thing over those alone who are kept.
"""

import numpy as np

from coclust_synth.generators.draws import allot
from coclust_synth.generators.plain.structured.agreed import Agreed


class Lots:
    """Lots of persons, which are named in sequence.

    Parameters
    ----------
    persons : PersonStructure
    conditions : sequence of Comparison, SumComparison or SameText, default=()
        That all rows of a person are to meet.
    first_person : int, default=0
        Number of the first person.

    Attributes
    ----------
    n_drawn : int
        Persons up to now, those who were left out among them.
    """

    def __init__(self, persons, conditions=(), first_person=0):
        self.persons, self.conditions = persons, tuple(conditions)
        self.n_drawn, self._first, self._agreed = 0, first_person, Agreed()

    def draw(self, n, rng):
        """All rows of those who meet the conditions, of persons of about n rows.

        Parameters
        ----------
        n : int
            Of as many rows the table had so many persons as are drawn.
        rng : numpy.random.Generator

        Returns
        -------
        DataFrame
            Those of a person one after the other; the last column names the person.
        """
        own = self.persons
        size = int(np.ceil(n * own.n_persons / own.n_rows))
        sizes = allot(own.first.cluster_rows, size, rng)
        clusters = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
        frame, person = own.draw_persons(clusters, rng, self._agreed)
        met = np.ones(size, dtype=bool)
        for condition in self.conditions:
            met[person[~condition.holds(frame)]] = False
        frame, person = frame[met[person]].reset_index(drop=True), person[met[person]]
        named = own.names_of(person, self._first + self.n_drawn)
        self.n_drawn += size
        return frame.assign(**{own.ids.column.name: named})


def first_of_each_person(frame, persons):
    """The first row of each person, of rows that lots drew."""
    return frame[~frame[persons.ids.column.name].duplicated().to_numpy()]


def varying(persons, names):
    """Some columns that may differ from one row of a person to the next, in order."""
    stays = persons.names if persons.later is None else persons.lasting
    return [name for name in names if name in persons.names and name not in stays]
