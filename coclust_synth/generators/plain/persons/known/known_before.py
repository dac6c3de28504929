"""What is known before a row of a person after the first is drawn, in one list.

Such a row is drawn given columns that are told before it. `KNOWN` lists their kinds:
how each is learnt from the rows of a table (`PersonTable`), and what it is of rows that
follow drawn ones (`RowsToCome`). Their names have a character that no column has.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coclust_synth.generators.plain.persons.kept.last_rows import bins_of_last
from coclust_synth.generators.plain.persons.kept.person_summaries import TO_DO, Summary
from coclust_synth.generators.plain.persons.kept.person_totals import (
    REST,
    Total,
    rest_before,
)
from coclust_synth.generators.plain.persons.known.earlier_rows import (
    MOST_PARTS,
    mean_after,
    place_among,
    steps_between,
)
from coclust_synth.generators.plain.persons.known.key_rows import (
    ALL_ROWS,
    EACH,
    KEY_ROWS,
    ROWS_OF_KEYS,
    numbers_told,
    rows_each,
)
from coclust_synth.generators.plain.persons.known.level_rests import rest_after
from coclust_synth.generators.plain.persons.known.person_starts import (
    said_of_starts,
    start,
)
from coclust_synth.generators.plain.persons.known.person_times import room_of_rows
from coclust_synth.generators.plain.structured.drawing.rows import Drawing
from coclust_synth.generators.plain.structured.structure import Structure
from coclust_synth.tables.relations import Cases, Dependence, Fit, Never

#: Names of the number of rows of a person, of those still to come, ...
COUNT, LEFT = "\0rows", "\0rows left"
#: ... of the keys still to come, with that of the row, ...
KEYS_LEFT = "\0keys left"
#: ... and of the room for each of these, where rows have an order, see `room_of_rows`.
ROOM = "\0room for a row"
# What those of the row before, and of the level of a person, end with.
_BEFORE, _LEVEL = "\0before", "\0level"
_HELD, _REST_OF_LEVEL = "\0held ", "\0rest of level"
_SO_FAR, _LAST_STEP = "\0so far", "\0last step"


def before(name):
    """Name of a column of the row before, beside those of a table."""
    return name + _BEFORE


def of_row_before(name):
    """The column that has a name of the row before; of others the same name."""
    return name.removesuffix(_BEFORE)


def in_words(said, row_before="the row before"):
    """Texts about columns of the row before, in words."""
    return tuple(
        text.replace(_BEFORE, f" of {row_before}") for text in said if _BEFORE in text
    )


def level(name):
    """Name of the level of a person in a column, beside those of a table."""
    return name + _LEVEL


def rest_of_level(name):
    """Name of what the level of a person leaves for the rows to come."""
    return name + _REST_OF_LEVEL


def so_far(name):
    """Name of the mean of the earlier rows of a person in a column."""
    return name + _SO_FAR


def last_step(name):
    """Name of how far the row before of a person is from that before it."""
    return name + _LAST_STEP


def held_before(name, code):
    """Name of the number of earlier rows of a person that have a code of a column."""
    return f"{name}{_HELD}{code}"


def remembered(names):
    """The columns of which some names are numbers of earlier rows."""
    return sorted({name.partition(_HELD)[0] for name in names if _HELD in name})


@dataclass(frozen=True, eq=False)
class RowsToCome:
    """Rows after some that are drawn, of the individuals who have more.

    Attributes
    ----------
    later : Structure
        That they are drawn from.
    row : Drawing
        The rows before, or the first ones of the keys before.
    row_before : Drawing or LastOfKeys
        The rows before.
    has_more : ndarray of bool, shape (n,)
        After which of these another comes.
    n_drawn : int
        How many rows each of these has.
    left : ndarray of float64, shape (m,)
        How many come.
    held : dict of str to ndarray of int64, shape (m, codes)
        By column, the earlier rows that have each code.
    totals : tuple of Total
    summaries : tuple of Summary
    ordered_by : str or None
    above : tuple of str
        What stays and is above it.
    """

    later: Structure
    row: Drawing
    row_before: Any
    has_more: NDArray[np.bool_]
    n_drawn: int
    left: NDArray[np.float64]
    held: dict[str, NDArray[np.int64]]
    totals: tuple[Total, ...]
    summaries: tuple[Summary, ...]
    ordered_by: str | None
    above: tuple[str, ...]

    def known(self):
        """Codes of the columns that are given, and numbers of those that have such.

        Returns
        -------
        codes : ndarray of int32, shape (m, d)
        numbers : dict of str to ndarray of float64, shape (m,)
        """
        names = self.later.coding.names
        codes = np.zeros((len(self.left), len(names)), dtype=np.int32)
        numbers = {}
        for j in self.later.given:
            kinds = (kind.told for kind in KNOWN if kind.is_anew(names[j]))
            codes[:, j], own = next(kinds, _carried)(self, names[j])
            if own is not None:
                numbers[names[j]] = own
        return codes, numbers

    def encoded(self, name, values):
        """Codes of values that are not missing."""
        parts = self.later.coding.parts[self.later.coding.names.index(name)]
        return parts.encode(values, np.zeros(len(values), dtype=bool))


class Known(NamedTuple):
    """One kind of what is known before a row.

    Attributes
    ----------
    learn : callable
        From a `PersonTable`: puts its columns in `ColumnsOfRows`.
    is_anew : callable, optional
        Whether a name is one of this kind that is told anew before each row. Other
        columns are carried on: of the row before they are the same, or its own.
    told : callable, optional
        From `RowsToCome` and such a name: codes, and numbers or None.
    """

    learn: Callable[[Any, Any], None]
    is_anew: Callable[[str], bool] = lambda name: False
    told: Callable[[RowsToCome, str], tuple[np.ndarray, np.ndarray | None]] = None


def _carried(rows, name):
    """What the row before has."""
    return _held_by(rows.row, name, rows.has_more)


def _held_by(row, name, some):
    """Codes of some rows, and their numbers if there are such."""
    codes, own = row.codes[some, row.coding.names.index(name)], row.numbers.get(name)
    return codes, None if own is None else own[some]


def _learn_constants(table, columns):
    columns.add(table.constants, table.rows_after)


def _learn_count(table, columns):
    if table.has_counts:
        each = table.n_rows_each
        person = table.evidence.persons.codes[table.rows_after]
        columns.add_number(COUNT, each[person], numbers_told(each), spread=True)


def _learn_left(table, columns):
    left = table.n_left
    counted = left[table.individuals_after.spread(left)]
    columns.add_number(LEFT, left, counted, bins_of_last)


def _left(rows, name):
    return rows.encoded(name, rows.left.astype(np.int64)), rows.left


def _learn_room(table, columns):
    if table.ordered_by is not None:
        room = table.room_before
        columns.add_number(ROOM, room, room[table.individuals_after.spread(room)])


def _room(rows, name):
    coding, column = rows.later.coding, rows.ordered_by
    own = coding.parts[coding.names.index(column)], rows.later.scales[column]
    row = rows.row_before
    known = {column, *rows.above} & {*row.numbers}
    numbers = {name: row.numbers[name][rows.has_more] for name in known}
    room = room_of_rows(numbers[column], rows.left, numbers, rows.above, *own)
    return rows.encoded(name, room), room.astype(np.float64)


def _learn_held(table, columns):
    for name, held in table.remembered.items():
        for code, own in enumerate(held.T):
            columns.add_count(held_before(name, code), own, table.individuals_after)


def _held(rows, name):
    column, _, code = name.partition(_HELD)
    return rows.encoded(name, rows.held[column][:, int(code)]), None


def _learn_levels(table, columns):
    person = table.individual[table.rows_after]
    for name, own in table.levels.items():
        columns.add_level(level(name), own, own.held, person)


def _learn_rests_of_levels(table, columns):
    for name, own in table.rests_of_levels.items():
        columns.add_steps(rest_of_level(name), own, table.individuals_after)


def _rest_of_level(rows, name):
    column, row = name.removesuffix(_REST_OF_LEVEL), rows.row
    codes = row.codes[rows.has_more, row.coding.names.index(column)]
    # Before the first row the level itself is to come.
    known = row.numbers[name if name in row.numbers else level(column)]
    rest = rest_after(known[rows.has_more], codes, rows.left)
    parts = rows.later.coding.parts[rows.later.coding.names.index(name)]
    return parts.encode(np.nan_to_num(rest).astype(np.int64), np.isnan(rest)), rest


def _learn_so_far(table, columns):
    for name, own in table.means_so_far.items():
        columns.add_steps(so_far(name), own, table.individuals_after)


def _so_far(rows, name):
    column, row = name.removesuffix(_SO_FAR), rows.row
    names, later = row.coding.names, rows.later.coding
    place = place_among(
        row.codes[rows.has_more, names.index(column)],
        later.parts[later.names.index(column)],
    )
    none = np.full(len(row.codes), np.nan)
    mean = row.numbers.get(name, none)[rows.has_more]
    mean = mean_after(mean, place, rows.n_drawn)
    parts = later.parts[later.names.index(name)]
    return parts.encode(np.nan_to_num(mean).astype(np.int64), np.isnan(mean)), mean


def _learn_last_steps(table, columns):
    for name, own in table.last_steps.items():
        ends = -MOST_PARTS, MOST_PARTS
        columns.add_steps(last_step(name), own, table.individuals_after, ends)


def _last_step(rows, name):
    column, row, later = name.removesuffix(_LAST_STEP), rows.row, rows.later.coding
    own = row.numbers[column][rows.has_more]
    earlier = np.full(len(own), np.nan)
    if rows.n_drawn > 1:
        earlier = row.numbers[before(column)][rows.has_more]
    step = steps_between(own, earlier, later.parts[later.names.index(column)])
    parts = later.parts[later.names.index(name)]
    return parts.encode(np.nan_to_num(step).astype(np.int64), np.isnan(step)), step


def _learn_starts(table, columns):
    person = table.individual[table.rows_after]
    for name, own in table.starts.items():
        columns.add_level(start(name), own, own.held, person)


def _rest_before(table, total):
    rest = rest_before(total, table.evidence, table.rows, table.is_first)
    if total == ROWS_OF_KEYS:  # Who has more than are told: those of the key, if told.
        rows, most = (table.evidence.numbers[n] for n in (KEY_ROWS, ALL_ROWS))
        rest = np.maximum(rest, np.minimum(rows, most))
    return rest


def _learn_rests(table, columns):
    for total in table.totals:
        rest = _rest_before(table, total)
        if total.is_count:
            own = rest[table.rows_after].astype(np.int64)
            counted = own[table.individuals_after.spread(own)]
            columns.add_number(total.rest, own, counted)
        else:
            columns.add_rest(total.rest, total.source, rest, table.rows_after)


def _rest(rows, name):
    total = next(total for total in rows.totals if total.rest == name)
    scale = rows.later.scales[name]
    values = scale.nearest(total.rest_after(rows.row)[rows.has_more])
    none = np.zeros(len(values), dtype=bool)
    return rows.encoded(name, values), scale.to_numbers(values, none)


def _learn_to_do(table, columns):
    numbers = {n: x[table.rows] for n, x in table.evidence.numbers.items()}
    for own in table.summed_up:
        to_do = np.empty(len(table.rows))
        to_do[table.rows] = own.to_do_before(numbers, table.is_first)
        if own.is_mean:
            columns.add_rest(own.to_do, own.target, to_do, table.rows_after)
        else:
            to_do = to_do[table.rows_after].astype(np.int64)
            counted = to_do[table.individuals_after.spread(to_do)]
            columns.add_number(own.to_do, to_do, counted)


def _to_do(rows, name):
    summary = next(own for own in rows.summaries if own.to_do == name)
    numbers, some = rows.row.numbers, rows.has_more
    names = {summary.source, summary.target, summary.to_do} & numbers.keys()
    own = {name: numbers[name][some] for name in names}
    to_do = summary.to_do_after(own, rows.left + 1)
    if not summary.is_mean:
        return rows.encoded(name, to_do.astype(np.int64)), to_do
    return rows.encoded(name, rows.later.scales[name].nearest(to_do)), to_do


def _learn_each(table, columns):
    if ROWS_OF_KEYS in table.totals:
        rest = _rest_before(table, ROWS_OF_KEYS)
        own = rows_each(rest[table.rows_after], table.n_left)
        columns.add_number(EACH, own, own[table.individuals_after.spread(own)])


def _each(rows, name):
    rest = ROWS_OF_KEYS.rest_after(rows.row)[rows.has_more]
    own = rows_each(rest, rows.left)
    return rows.encoded(name, own), own.astype(np.float64)


def _learn_row_before(table, columns):
    of = table.evidence_before
    columns.add(table.changing, table.rows_before, before, of)


def _row_before(rows, name):
    return _held_by(rows.row_before, of_row_before(name), rows.has_more)


def _learn_keys_left(table, columns):
    if table.n_keys_left is not None:
        left = table.n_keys_left
        counted = left[table.individuals_after.spread(left)]
        columns.add_number(KEYS_LEFT, left, counted, bins_of_last)


def _keys_left(rows, name):
    """Of a person's first key all are to come, and of each other row its own number."""
    own = rows.row.numbers
    held = next(own[n] for n in (KEYS_LEFT, LEFT, COUNT) if n in own)[rows.has_more]
    return rows.encoded(name, held.astype(np.int64)), held


#: In the order of the columns.
KNOWN = (
    Known(_learn_constants),
    Known(_learn_count),
    Known(_learn_left, LEFT.__eq__, _left),
    Known(_learn_room, ROOM.__eq__, _room),
    Known(_learn_held, lambda name: _HELD in name, _held),
    Known(_learn_levels),
    Known(
        _learn_rests_of_levels,
        lambda name: name.endswith(_REST_OF_LEVEL),
        _rest_of_level,
    ),
    Known(_learn_so_far, lambda name: name.endswith(_SO_FAR), _so_far),
    Known(_learn_last_steps, lambda name: name.endswith(_LAST_STEP), _last_step),
    Known(_learn_starts),
    Known(_learn_rests, lambda name: name.startswith(REST), _rest),
    Known(_learn_to_do, lambda name: name.startswith(TO_DO), _to_do),
    Known(_learn_each, EACH.__eq__, _each),
    Known(_learn_keys_left, KEYS_LEFT.__eq__, _keys_left),
    Known(_learn_row_before, lambda name: name.endswith(_BEFORE), _row_before),
)


def said_of_row_before(rules, row_before="the row before"):
    """What the row before, or a number of the person, tells exactly, in words.

    Of rules of rows after the first.
    """
    told = [rule.relation for rule in rules.all]
    lags = (own for own in told if isinstance(own, Dependence))
    said = [
        *(str(fit) for fit in told if isinstance(fit, Fit | Cases) and not fit.about),
        *(f"{own.target} = {', '.join(own.parents)}" for own in lags),
    ]
    return *said_of_starts(told), *in_words(said, row_before)


def said_of_last_row(rules):
    """Of rules of rows after the first, what goes with the last row, in words."""
    told = (rule.relation for rule in rules.all)
    said = (
        str(own)
        for own in told
        if isinstance(own, Never) and own.first in (LEFT, KEYS_LEFT)
    )
    return tuple(dict.fromkeys(said))
