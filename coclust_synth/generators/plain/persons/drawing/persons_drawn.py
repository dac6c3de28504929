"""All rows of persons, one after the other."""

import numpy as np
import pandas as pd

from coclust_synth.generators.plain.persons.drawing.in_the_end import (
    with_told_in_the_end,
)
from coclust_synth.generators.plain.persons.drawing.rows_after import RowsAfter
from coclust_synth.generators.plain.persons.kept.known_before import COUNT, KEY_ROWS
from coclust_synth.generators.plain.persons.kept.person_once import Seen
from coclust_synth.generators.plain.structured.drawing.rows import Drawing


def draw_persons(persons, clusters, rng):
    """Draw all rows of a person for each of some clusters.

    Parameters
    ----------
    persons : PersonStructure
    clusters : ndarray of int64, shape (n,)
    rng : numpy.random.Generator

    Returns
    -------
    DataFrame
        Nobody is named in it.
    ndarray of int64
        Whose each row is, in order, from 0.
    """
    n, after = len(clusters), RowsAfter(persons)
    of_key = None if persons.within is None else RowsAfter(persons.within)
    between = after.between(COUNT)
    row = Drawing(persons.first, clusters, rng, between=between)
    row.fill()
    person = np.arange(n)
    n_rows = row.numbers[COUNT] if persons.later is not None else np.ones(n)
    frames, whose, sums = [], [], np.zeros((len(persons.totals), n))
    held = {name: np.zeros((n, size), int) for name, size in after.remembered.items()}
    seen, n_drawn = Seen(persons.once, n), 0
    while True:
        n_drawn += 1
        seen.draw_others(row, person)
        for own, total in zip(sums, persons.totals, strict=True):
            own[person] += total.of_rows(row)
        for name, counts in held.items():
            codes = row.codes[:, row.structure.coding.names.index(name)]
            counts[person, codes] += 1
        for own, place in _with_rows_of_key(row, of_key, rng):
            frame = pd.DataFrame({name: own.cells[name] for name in persons.names})
            if of_key is not None:
                frame[persons.nested[0].column] = n_drawn
            frames.append(frame)
            whose.append(person[place])
        has_more = after.goes_on(row, n_rows[person] - n_drawn)
        if not has_more.any():
            break
        person = person[has_more]
        left = n_rows[person] - n_drawn
        before_row = {name: counts[person] for name, counts in held.items()}
        row = after.draw(row, has_more, left, before_row, seen.taken(person), rng)
    whose = np.concatenate(whose)
    order = np.argsort(whose, kind="stable")
    frame, whose = pd.concat(frames, ignore_index=True).iloc[order], whose[order]
    frame = frame.reset_index(drop=True)
    return with_told_in_the_end(persons, frame, whose, sums), whose


def _with_rows_of_key(row, of_key, rng):
    """Some rows, and those after them that have the same key, if such are drawn.

    Each with the places of its rows among those of the first one.
    """
    place, n_drawn = np.arange(row.n), 1
    seen = Seen(() if of_key is None else of_key.persons.once, row.n)
    while True:
        seen.draw_others(row, place)
        yield row, place
        if of_key is None:
            return
        left = row.numbers[KEY_ROWS] - n_drawn
        has_more = of_key.goes_on(row, left)
        if not has_more.any():
            return
        place, n_drawn = place[has_more], n_drawn + 1
        taken = seen.taken(place)
        row = of_key.draw(row, has_more, left[has_more], {}, taken, rng)
