"""Keys: columns that differ in every row, made anew like those of a table.

A key is not modelled, and none that is made is one of the table's: who joins by it
finds nobody. New ones are counted: whole numbers from the power of ten that is beyond
all; texts in the pattern of the table's, where all are of one length and have letters
and digits in the same places, with a place that all have empty filled (AB-10001 for
AB-00017 and AB-02315), or one place more (AB-100001 for AB-71000); else numbers behind
what all begin with. What is told of the table's keys is their pattern and their length.
"""

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pandas as pd
from pandas.api.types import is_integer_dtype

from coclust_synth.exceptions import ParameterError, SchemaError
from coclust_synth.tables.schema import NUMERIC_KINDS, Column, Schema
from coclust_synth.tables.values.columns import from_values, to_values
from coclust_synth.tables.values.dtypes import TEXT_DTYPE

_ALPHABETS = (
    string.digits,
    string.ascii_uppercase,
    string.ascii_lowercase,
    string.digits + "ABCDEF",
    string.digits + "abcdef",
    string.digits + string.ascii_uppercase,
    string.digits + string.ascii_lowercase,
    string.ascii_letters,
    string.digits + string.ascii_letters,
)
# Of numbers that there are larger ones beside.
_MAX_DIGITS = 17
_POWERS = 10 ** np.arange(_MAX_DIGITS + 2, dtype=np.int64)
_NUMBERED = re.compile(r"(.*?)[0-9]+", re.DOTALL)


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
    prefix : str
        Before the number, of a column of texts.
    places : tuple of str
        Characters that each place of a text can have, in order; one of a place where
        all have the same. None at all where texts are of no pattern.
    """

    column: Column
    position: int
    first: int = 1
    prefix: str = ""
    places: tuple[str, ...] = ()

    @classmethod
    def learn(cls, series: pd.Series, column: Column, position: int) -> Self:
        """How keys like those of a column are made, none of which is of it.

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
        texts = series.astype(str).tolist()
        places = _places(texts)
        if places is not None:
            return cls(own, position, places=_other_places(places))
        found = [_NUMBERED.fullmatch(text) for text in texts]
        prefixes = {match and match[1] for match in found}
        prefix = (prefixes.pop() if len(prefixes) == 1 else None) or ""
        rests = [text[len(prefix) :] for text in texts]
        longest = max((len(rest) for rest in rests if _is_number(rest)), default=0)
        if longest > _MAX_DIGITS:
            return cls(own, position, prefix=prefix + "1" * longest)
        first = 10**longest + 1 if longest else 1
        return cls(own, position, first, prefix)

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
        """How whole numbers are made, in a type that has some more of them."""
        first = _free_start(np.sort(values))
        if cls(column, position, 10 * first)._held(1) is None:
            dtype = "int64" if column.kind == "integer" else "float64"
            column = replace(column, dtype=dtype)
        return cls(column, position, first)

    def moved(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The rows of a table that has this column, with it in its place."""
        names = [name for name in frame.columns if name != self.column.name]
        names.insert(self.position, self.column.name)
        return frame[names]

    def make(self, n: int) -> pd.Series:
        """The first n keys, of the type of the column.

        Raises
        ------
        ParameterError
            If its type cannot hold so many.
        """
        held = self._held(n)
        if held is None:
            raise ParameterError(
                f"Expected keys of column {self.column.name!r} up to what its type "
                f"{self.column.dtype} holds. Received {n} rows. Draw fewer, or give "
                "the column another dtype."
            )
        return held

    def _held(self, n):
        """The first n keys; None where the type of the column cannot hold them."""
        present = np.zeros(n, dtype=bool)
        try:
            numbers = self.first + np.arange(n)
            if self.column.kind not in NUMERIC_KINDS:
                column = replace(self.column, categories=tuple(self._texts(numbers)))
                return from_values(np.arange(n), present, column)
            held = from_values(numbers, present, self.column)
            return held if (held.to_numpy(dtype=np.int64) == numbers).all() else None
        except (SchemaError, OverflowError):
            return None

    def _texts(self, numbers):
        if not self.places:
            return [f"{self.prefix}{number}" for number in numbers.tolist()]
        texts = [np.full(len(numbers), "", dtype=object)]
        for place in reversed(self.places):
            numbers, digit = np.divmod(numbers, len(place))
            texts.insert(0, np.array(list(place), dtype=object)[digit])
        # Beyond all of the pattern: longer ones, different as their ends are.
        more = np.where(numbers > 0, numbers.astype(str).astype(object), "")
        texts.insert(_counter(self.places), more)
        return np.sum(texts, axis=0).tolist()

    def to_dict(self) -> dict:
        """JSON compatible form."""
        (column,) = Schema((self.column,)).to_dict()["column"]
        return {
            "column": column,
            "position": self.position,
            "first": self.first,
            "prefix": self.prefix,
            "places": list(self.places),
        }

    @classmethod
    def from_dict(cls, data: dict) -> Self:
        """Inverse of `to_dict`."""
        (column,) = Schema.from_dict({"column": [data["column"]]}).columns
        places = tuple(map(str, data["places"]))
        if not all(places):
            raise ValueError("places")
        numbers = int(data["position"]), int(data["first"])
        return cls(column, *numbers, str(data["prefix"]), places)


def learn_keys(frame: pd.DataFrame, schema: Schema) -> tuple[Key, ...]:
    """How the keys of a table are made.

    Parameters
    ----------
    frame : DataFrame
    schema : Schema
        Complete; of treatment "key" are its keys.

    Returns
    -------
    tuple of Key

    Examples
    --------
    >>> from coclust_synth import infer_schema
    >>> frame = pd.DataFrame({"code": ["AB-017", "AB-231"], "age": [31, 52]})
    >>> (key,) = learn_keys(frame, infer_schema(frame).as_key("code"))
    >>> key.make(2).tolist()
    ['AB-1001', 'AB-1002']
    """
    released = [c for c in schema.columns if c.treatment in ("keep", "key")]
    return tuple(
        Key.learn(frame[column.name], column, position)
        for position, column in enumerate(released)
        if column.treatment == "key"
    )


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
    kind = "integer" if is_integer_dtype(frame[name].dtype) else "categorical"
    column = replace(schema[name].open, kind=kind)
    return Key.of_persons(frame[name], column, position)


def with_keys(frame: pd.DataFrame, keys: Sequence[Key]) -> pd.DataFrame:
    """Rows with new keys, each column in its place.

    Parameters
    ----------
    frame : DataFrame
    keys : sequence of Key
        In the order of their places.
    """
    for key in keys:
        sides = frame.iloc[:, : key.position], frame.iloc[:, key.position :]
        frame = pd.concat([sides[0], key.make(len(frame)), sides[1]], axis=1)
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
            column = replace(column, categories=tuple(frame[column.name].unique()))
        columns.insert(key.position, column)
    return replace(schema, columns=tuple(columns))


def _check(series, column):
    n_same = int(series.duplicated().sum())
    n_missing = int(series.isna().sum())
    if n_missing or n_same:
        raise SchemaError(
            f"Expected a key, {column.name!r}, that differs in every row. Received "
            f"{n_missing} rows without and {n_same} with that of another. Drop it, or "
            "name it as that of the persons if they have several rows, or them beside "
            "it if it is of one person each, where trees draw these."
        )
    is_whole = column.kind in ("integer", "real") and column.decimals == 0
    is_text = column.kind == "categorical" and series.map(type).eq(str).all()
    if not is_whole and not is_text:
        raise SchemaError(
            f"Expected a key, {column.name!r}, of texts or whole numbers. Received a "
            f"column of kind {column.kind}. Drop it."
        )


def _places(texts):
    """The characters of each place; None where texts are of no pattern."""
    if len(set(map(len, texts))) > 1:
        return None
    places = []
    for characters in map(set, zip(*texts, strict=True)):
        if len(characters) == 1:
            places.append(characters.pop())
            continue
        alphabet = next((a for a in _ALPHABETS if characters <= set(a)), None)
        if alphabet is None:
            return None
        places.append(alphabet)
    return tuple(places)


def _counter(places):
    """Where the last run of places that differ begins; their number if none does."""
    differ = [len(place) > 1 for place in places]
    if not any(differ):
        return len(places)
    start = len(places) - 1 - differ[::-1].index(True)
    while start and (differ[start - 1] or places[start - 1] in string.digits):
        start -= 1
    return differ.index(True, start)


def _other_places(places):
    """Places of texts of which none is of these, in the same pattern.

    The place before the counter is filled where all have it empty, else there is one
    more.
    """
    at = _counter(places)
    zero, one = "01"
    if at < len(places):
        zero, one = places[at][:2]
    is_empty = at > 0 and places[at - 1] == zero
    return *places[: at - is_empty], one, *places[at:]


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
