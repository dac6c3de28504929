"""Keys: columns that differ in every row, made anew like those of a table.

A key is not modelled, and none that is made is one of the table's: who joins by it
finds nobody. New ones are counted in the pattern of the table's, and are as long as far
as there is room: with a place that all have empty filled (AB-10001 for AB-00017 and
AB-02315), with a beginning that none has (K-500001 for K-132377 and others), else with
one place more. What is around their number is that of 20 persons or of all (2023-), or
of their row, where the table's keys repeat it.
Where they are of several lengths they are numbers from the power of ten that is beyond
all. What is told of the table's keys is their pattern and length, and how none begins.

Which rows lack a key is modelled: a case number that the untried have not, say.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_datetime64_any_dtype, is_integer_dtype

from coclust_synth.exceptions import ParameterError, SchemaError
from coclust_synth.tables.column import NUMERIC_KINDS, Column
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.values.columns import to_values
from coclust_synth.tables.values.dtypes import TEXT_DTYPE, holds_missing
from coclust_synth.tables.values.key_patterns import (
    MIN_AROUND,
    counter,
    other_places,
    places_of,
    split_numbers,
    tokens_of,
    usual_ones,
)
from coclust_synth.tables.values.key_repeats import Around
from coclust_synth.tables.values.series import from_values

# Of numbers that there are larger ones beside.
_MAX_DIGITS = 17
_POWERS = 10 ** np.arange(_MAX_DIGITS + 2, dtype=np.int64)
#: Of a row that has a key, where others have none.
MARK = "a key"


@dataclass(frozen=True)
class Key:
    """How the keys of one column are made.

    Attributes
    ----------
    column : Column
        Without its values.
    position : int
        Place of the column among those that are released.
    first : int
        Number of the first key.
    around : tuple of (str, str)
        Before the number and behind it, of a column of texts, in turn.
    places : tuple of str
        Characters that each place of it can have, in order; one of a place where
        all have the same. None at all where they are of several lengths.
    repeats : Around or None
        What is around the number of a row, where it says so; else see `around`.
    is_lacked : bool, default=False
        Whether some rows have none: rows are drawn with a mark where there is one.
    """

    column: Column
    position: int
    first: int = 1
    around: tuple[tuple[str, str], ...] = (("", ""),)
    places: tuple[str, ...] = ()
    repeats: Around | None = None
    is_lacked: bool = False

    @classmethod
    def learn(
        cls,
        series: pd.Series,
        column: Column,
        position: int,
        whose: NDArray[np.int64] | None = None,
        others: pd.DataFrame | None = None,
    ) -> Self:
        """How keys like those of a column are made, none of which is of it.

        Parameters
        ----------
        series : Series of n keys
        column : Column
        position : int
            As of the class.
        whose : ndarray of int64, shape (n,), optional
            Person of each key; by default each is of another.
        others : DataFrame of n rows, optional
            Columns that they may repeat.

        Raises
        ------
        SchemaError
            If they are missing somewhere, not different, or neither texts nor whole
            numbers.
        """
        _check(series, column)
        own = replace(column.open, missing=())
        if column.kind in NUMERIC_KINDS:
            values, _ = to_values(series, replace(column, bounds=None))
            return cls._beyond(values.astype(np.int64), own, position)
        texts = series.astype(str).to_numpy(dtype=object)
        usual = usual_ones(texts.tolist(), whose)
        texts = texts[usual].tolist()
        whose = None if whose is None else whose[usual]
        split, repeats = split_numbers(texts, whose), None
        around, numbers = split or ((("", ""),), texts)
        tokens, at = tokens_of(texts)
        if at is not None and others is not None:
            others = others[usual]
            once = slice(None) if whose is None else ~pd.Series(whose).duplicated()
            of_persons = pd.Series(tokens)[once]
            repeats = Around.find(of_persons, at, others[once].reset_index(drop=True))
        if repeats is not None:
            numbers = [own[at] for own in tokens]
        places = places_of(numbers)
        if places is not None:
            places = other_places(numbers, places)
            return cls(own, position, around=around, places=places, repeats=repeats)
        longest = max((len(text) for text in numbers if _is_number(text)), default=0)
        if longest > _MAX_DIGITS:
            ones = "1" * longest
            around = tuple((head + ones, tail) for head, tail in around)
            return cls(own, position, around=around)
        first = 10**longest + 1 if longest else 1
        return cls(own, position, first, around, repeats=repeats)

    @classmethod
    def of_persons(cls, ids: pd.Series, column: Column, position: int) -> Self:
        """How persons are named like those of a table, and by none of their names.

        Parameters
        ----------
        ids : Series
            Names of the persons of rows, none missing.
        column : Column
        position : int

        Examples
        --------
        >>> column = Column(name="who", kind="integer", dtype="int64")
        >>> Key.of_persons(pd.Series([7, 31, 7]), column, 0).make(2).tolist()
        [101, 102]
        """
        once = ids.drop_duplicates()
        if column.kind == "integer":
            own = replace(column.open, dtype="int64", missing=())
            return cls._beyond(once.to_numpy(dtype=np.int64), own, position)
        texts = once.astype(str)
        own = replace(column.open, kind="categorical", dtype=TEXT_DTYPE)
        return cls.learn(texts, replace(own, categories=tuple(texts)), position)

    @classmethod
    def _beyond(cls, values, column, position):
        """How whole numbers are made, of the same length or beyond all.

        In a type that has some more of them.
        """
        texts = list(map(str, values.tolist()))
        places = places_of(texts, is_whole=True) if values.min() > 0 else None
        if places is not None:
            own = cls(column, position, places=other_places(texts, places))
            has_room = own._held(1, 10 * len(values)) is not None
            if len(own.places) == len(places) and has_room:
                return own
        first = _free_start(np.sort(values))
        if cls(column, position, 10 * first)._held(1) is None:
            whole = "Int64" if holds_missing(column) else "int64"
            dtype = whole if column.kind == "integer" else "float64"
            column = replace(column, dtype=dtype)
        return cls(column, position, first)

    def marked(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Rows with a mark for each key, where some have none: undoes `put_in`."""
        has_one = frame[self.column.name].notna()
        marks = pd.Series(MARK, index=frame.index, dtype=object).where(has_one, None)
        return frame.assign(**{self.column.name: marks})

    def put_in(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Rows with new keys, in their place or for their marks."""
        if not self.is_lacked:
            made = self.make(len(frame), rows=frame)
            sides = frame.iloc[:, : self.position], frame.iloc[:, self.position :]
            return pd.concat([sides[0], made, sides[1]], axis=1)
        has_one = frame[self.column.name].notna().to_numpy()
        own = frame[has_one].reset_index(drop=True)
        made = self.make(len(own), rows=own).set_axis(np.flatnonzero(has_one))
        made = made.reindex(np.arange(len(frame))).set_axis(frame.index)
        return frame.assign(**{self.column.name: made})

    def moved(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The rows of a table that has this column, with it in its place."""
        names = [name for name in frame.columns if name != self.column.name]
        names.insert(self.position, self.column.name)
        return frame[names]

    def make(
        self, n: int, n_before: int = 0, rows: pd.DataFrame | None = None
    ) -> pd.Series:
        """Some n keys, of the type of the column.

        Parameters
        ----------
        n : int
        n_before : int, default=0
            Keys that were made before.
        rows : DataFrame of n rows, optional
            For which they are, with the columns that they may repeat.

        Raises
        ------
        ParameterError
            If its type cannot hold so many.
        """
        held = self._held(n, n_before, rows)
        if held is None:
            raise ParameterError(
                f"Expected keys of column {self.column.name!r} up to what its type "
                f"{self.column.dtype} holds. Received {n} rows. Draw fewer, or give "
                "the column another dtype."
            )
        return held

    def _held(self, n, n_before=0, rows=None):
        """Some n keys; None where the type of the column cannot hold them."""
        present = np.zeros(n, dtype=bool)
        try:
            numbers = self.first + n_before + np.arange(n)
            if self.column.kind not in NUMERIC_KINDS:
                texts = self._texts(numbers, rows)
                column = replace(self.column, categories=tuple(texts))
                return from_values(np.arange(n), present, column)
            if self.places:
                numbers = np.array(self._texts(numbers), dtype=object).astype(np.int64)
            held = from_values(numbers, present, self.column)
            return held if (held.to_numpy(dtype=np.int64) == numbers).all() else None
        except (SchemaError, OverflowError):
            return None

    def _texts(self, numbers, rows=None):
        turn = (numbers - self.first) % len(self.around)
        heads, tails = (
            np.array(own, dtype=object)[turn] for own in zip(*self.around, strict=True)
        )
        if rows is not None and self.repeats is not None:
            before, behind = self.repeats.texts(rows)
            told = (before.notna() & behind.notna()).to_numpy()
            heads[told], tails[told] = before[told], behind[told]
        return (heads + self._numbers(numbers) + tails).tolist()

    def _numbers(self, numbers):
        """Texts between what is around them."""
        if not self.places:
            return numbers.astype(str).astype(object)
        texts = [np.full(len(numbers), "", dtype=object)]
        for place in reversed(self.places):
            numbers, digit = np.divmod(numbers, len(place))
            texts.insert(0, np.array(list(place), dtype=object)[digit])
        # Beyond all of the pattern: longer ones, different as their ends are.
        more = np.where(numbers > 0, numbers.astype(str).astype(object), "")
        texts.insert(counter(self.places), more)
        return np.sum(texts, axis=0)

    def to_dict(self) -> dict:
        """JSON compatible form."""
        (column,) = Schema((self.column,)).to_dict()["column"]
        return {
            "column": column,
            "position": self.position,
            "first": self.first,
            "around": [list(own) for own in self.around],
            "places": list(self.places),
            **({} if self.repeats is None else {"repeats": self.repeats.to_dict()}),
            **({"is_lacked": True} if self.is_lacked else {}),
        }

    @classmethod
    def from_dict(cls, data: dict) -> Self:
        """Inverse of `to_dict`."""
        (column,) = Schema.from_dict({"column": [data["column"]]}).columns
        places = tuple(map(str, data["places"]))
        if not all(places):
            raise ValueError("places")
        numbers = int(data["position"]), int(data["first"])
        # Models that were saved before have what is before the number alone.
        around = data.get("around", [(data.get("prefix", ""), "")])
        around = tuple((str(head), str(tail)) for head, tail in around)
        if not around:
            raise ValueError("around")
        repeats = Around.from_dict(data["repeats"]) if "repeats" in data else None
        is_lacked = bool(data.get("is_lacked", False))
        return cls(column, *numbers, around, places, repeats, is_lacked)


def learn_keys(
    frame: pd.DataFrame,
    schema: Schema,
    whose: NDArray[np.int64] | None = None,
    *,
    may_lack: bool = False,
) -> tuple[Key, ...]:
    """How the keys of a table are made.

    Parameters
    ----------
    frame : DataFrame of n rows
    schema : Schema
        Complete; of treatment "key" are its keys.
    whose : ndarray of int64, shape (n,), optional
        Person of each row; by default each is of another.
    may_lack : bool, default=False
        Whether rows can be without a key, which `marked` says.

    Returns
    -------
    tuple of Key

    Raises
    ------
    SchemaError
        As `Key.learn`.

    Examples
    --------
    >>> from coclust_synth import infer_schema
    >>> frame = pd.DataFrame({"code": ["AB-017", "AB-231"], "age": [31, 52]})
    >>> (key,) = learn_keys(frame, infer_schema(frame).as_key("code"))
    >>> key.make(2).tolist()
    ['AB-101', 'AB-102']
    """
    released = [c for c in schema.columns if c.treatment in ("keep", "key")]
    kept = [c.name for c in released if c.treatment == "keep" and c.name in frame]
    others, keys = frame[kept].reset_index(drop=True), []
    for position, column in enumerate(released):
        if column.treatment != "key":
            continue
        has_one = frame[column.name].notna().to_numpy()
        if not may_lack or has_one.all() or not has_one.any():
            own = frame[column.name], column, position, whose, others
            keys.append(Key.learn(*own))
            continue
        of_rows = None if whose is None else whose[has_one]
        n = has_one.sum() if of_rows is None else len(np.unique(of_rows))
        if n < MIN_AROUND:
            # Nothing of so few is told: `with_marks` leaves all rows without one.
            keys.append(Key(replace(column.open, missing=()), position, is_lacked=True))
            continue
        beside = others[has_one].reset_index(drop=True)
        own = frame.loc[has_one, column.name], column, position, of_rows, beside
        keys.append(replace(Key.learn(*own), is_lacked=True))
    return tuple(keys)


def person_key(frame: pd.DataFrame, schema: Schema, name: str) -> Key:
    """How the persons of a table are named anew.

    Parameters
    ----------
    frame : DataFrame
    schema : Schema
        Complete.
    name : str
        Column that names the persons.
    """
    before = schema.columns[: schema.names.index(name)]
    position = sum(c.treatment in ("keep", "key") for c in before)
    ids, column = frame[name], schema[name].open
    if column.kind == "datetime" or is_datetime64_any_dtype(ids.dtype):
        # They are counted: what has the digits of dates need not be one.
        column = Column(name=name, kind="integer", treatment=column.treatment)
        return Key(replace(column, dtype="int64"), position)
    kind = "integer" if is_integer_dtype(ids.dtype) else "categorical"
    return Key.of_persons(ids, replace(column, kind=kind), position)


def with_keys(frame: pd.DataFrame, keys: Sequence[Key]) -> pd.DataFrame:
    """Rows with new keys, each column in its place.

    Parameters
    ----------
    frame : DataFrame
    keys : sequence of Key
        In the order of their places.
    """
    for key in keys:
        frame = key.put_in(frame)
    return frame


def schema_with_keys(
    frame: pd.DataFrame, schema: Schema, keys: Sequence[Key]
) -> Schema:
    """The schema of rows with keys.

    Parameters
    ----------
    frame : DataFrame
        As `with_keys` gives it.
    schema : Schema
        Of the other columns, and of numbers that keys were made of.
    keys : sequence of Key
    """
    made = {key.column.name for key in keys}
    columns = [column for column in schema.columns if column.name not in made]
    for key in keys:
        column = key.column
        if column.kind not in NUMERIC_KINDS:
            texts = frame[column.name].dropna().unique()
            column = replace(column, categories=tuple(texts))
        columns.insert(key.position, column)
    return replace(schema, columns=tuple(columns))


def _check(series, column):
    n_same = int(series.duplicated().sum())
    n_missing = int(series.isna().sum())
    if n_missing or n_same:
        lacked = (
            "Which rows have none is drawn only of a table in memory, without clusters "
            "that are given. "
        )
        raise SchemaError(
            f"Expected a key, {column.name!r}, that differs in every row. Received "
            f"none in {n_missing:,} of the rows and that of another row in {n_same:,}. "
            f"{lacked if 0 < n_missing < len(series) else ''}Drop it; or, where trees "
            "draw rows, say that it is the person id if it tells whose each row is, or "
            "which column that is if a person has several of it, as of stays."
        )
    is_whole = column.kind in ("integer", "real") and column.decimals == 0
    is_text = column.kind == "categorical" and series.map(type).eq(str).all()
    if not is_whole and not is_text:
        raise SchemaError(
            f"Expected a key, {column.name!r}, of texts or whole numbers. Received a "
            f"column of kind {column.kind}. Drop it."
        )


def _free_start(values):
    """One over a power of ten, beyond all values or far below the next."""
    starts = _POWERS + 1
    after = np.searchsorted(values, starts)
    nearest = np.append(values, np.iinfo(np.int64).max)[after]
    is_free = after == len(values)
    room = np.where(is_free, np.iinfo(np.int64).max, nearest - starts)
    return int(starts[room.argmax()])


def _is_number(text):
    try:
        return bool(text) and np.isfinite(float(text))
    except ValueError:
        return False
