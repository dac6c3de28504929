"""Columns of texts that list items, such as what somebody ticked in a questionnaire.

Of ``Docker, SQL, Python`` most texts are rare, and would be drawn as common ones, or be
released as ``(other)``. Rare ones get one label before a table is learnt from, and a
column of yes and no is made of each item; a drawn text lists those of its row.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import pandas as pd

from coclust_synth.tables.column import Column
from coclust_synth.tables.labels import distinct_name
from coclust_synth.tables.parts.folded.spelt import (
    count_individuals,
    fewest,
    is_open,
    with_cells,
)
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.reading.texts.lists import LIST, Lists
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import TableValues
from coclust_synth.tables.values.dtypes import TEXT_DTYPE

_LABEL, _OTHER = "= list", "(other)"
_NO, _YES = _TICKED = "no", "yes"
# Columns are made where so many would lose their text.
_MIN_RARE = 0.05
# Of one column of texts, and of all: trees grow with the square of the columns.
_MOST_ITEMS, _MOST_MADE = 40, 200


@dataclass(frozen=True)
class Listed:
    """A column of texts, and the items that they list.

    Attributes
    ----------
    column : str
        Of texts.
    lists : Lists
        Its items are in the order in which they are listed: those that enough
        individuals have, and ``(other)`` at the end if as many have another one.
    made_columns : tuple of Column
        Of each item, whether it is listed.
    common : tuple of str
        Texts that stay as they are: enough individuals have each.
    lengths : tuple of int
        Items of a text, at least and at most, where it is not one of these.

    Examples
    --------
    >>> made = tuple(Column(name=f"x: {item}") for item in "ab")
    >>> own = Listed("x", Lists(", ", ("a", "b")), made, ("b",), (1, 2))
    >>> own.folded(pd.DataFrame({"x": ["a, b", "b"]})).to_dict("list")
    {'x': ['= list', 'b'], 'x: a': ['yes', 'no'], 'x: b': ['yes', 'yes']}
    """

    column: str
    lists: Lists
    made_columns: tuple[Column, ...]
    common: tuple[str, ...]
    lengths: tuple[int, int]

    def __str__(self):
        return f"{self.column} lists some of {len(self.items)} items"

    @property
    def items(self) -> tuple[str, ...]:
        """Those of the lists."""
        return self.lists.items

    @property
    def labels(self) -> tuple[str, ...]:
        """The text that stands for others."""
        return (_LABEL,)

    @property
    def numbers(self) -> tuple[str, ...]:
        """Names of the columns of items."""
        return tuple(column.name for column in self.made_columns)

    @cached_property
    def _known(self):
        """Numbers of the items that have a name."""
        return {item: i for i, item in enumerate(self.items) if item != _OTHER}

    def folded(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The same rows, with the label for rare texts, and which items are listed."""
        codes, texts = pd.factorize(frame[self.column])
        is_rare, has = self._listed(texts)
        own = frame[self.column].mask(is_rare[codes], _LABEL)
        made: dict[str, object] = {self.column: own}
        for column, ticked in zip(self.made_columns, has.T, strict=True):
            cells = pd.Series(np.where(ticked, _YES, _NO), dtype=TEXT_DTYPE)
            made[column.name] = cells.array[codes]
        return frame.assign(**made)

    def _listed(self, texts):
        """Which texts, and a missing one at their end, are rare lists; and the items.

        Of common texts others are no item: they are as they stand.
        """
        common, has_other = {*self.common}, self.items[-1] == _OTHER
        has = np.zeros((len(texts) + 1, len(self.items)), dtype=bool)
        for row, text in zip(has, texts, strict=False):
            numbers = self.lists.read(text, self._known) or ()
            # Where others have no item they are left out; no list has none.
            with_others = has_other and text not in common
            row[[n for n in numbers if n >= 0 or with_others]] = True
        is_rare = np.array([*(text not in common for text in texts), False])
        return is_rare & has.any(axis=1), has

    def spelt_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Rows as they were: each label gives way to the items of its row.

        One that has fewer items or more than texts have, or those of a common text,
        lists those of the row that is likest.

        Parameters
        ----------
        frame : DataFrame
            Texts may be held as codes of categories.
        """
        own = frame[self.column]
        cells = own.astype(object).to_numpy(copy=True)
        rows = np.flatnonzero(own == _LABEL)
        ticked = [frame[name].iloc[rows] == _YES for name in self.numbers]
        has = np.array(ticked, dtype=bool).reshape(len(self.items), len(rows)).T
        distinct, codes = np.unique(has, axis=0, return_inverse=True)
        items, common = np.array(self.items, dtype=object), {*self.common}
        texts = [self.lists.write(items[row]) for row in distinct]
        n_items, (least, most) = distinct.sum(axis=1), self.lengths
        fits = (least <= n_items) & (n_items <= most)
        fits &= [text not in common for text in texts]
        codes = _with_fitting(distinct, codes.reshape(-1), fits, rows)
        cells[rows] = np.array([*texts, None], dtype=object)[codes]
        return with_cells(frame, self.column, cells).drop(columns=[*self.numbers])

    def to_dict(self) -> dict:
        """JSON compatible form."""
        return {
            "column": self.column,
            "separator": self.lists.separator,
            "items": [*self.items],
            "end": self.lists.end,
            "made": Schema(self.made_columns).to_dict(),
            "common": [*self.common],
            "lengths": [*self.lengths],
        }

    @classmethod
    def from_dict(cls, data: dict) -> Self:
        """Inverse of `to_dict`."""
        items, common = (tuple(map(str, data[name])) for name in ("items", "common"))
        lists = Lists(str(data["separator"]), items, str(data["end"]))
        made = Schema.from_dict(data["made"]).columns
        least, most = map(int, data["lengths"])
        return cls(str(data["column"]), lists, made, common, (least, most))


def find_listed(
    values: TableValues,
    schema: Schema,
    rare: int,
    k: int,
    *,
    persons: Persons | None = None,
    but: Collection[str] = (),
) -> tuple[Listed, ...]:
    """The columns of texts whose items are drawn on their own.

    Their `format` in the schema is ``"list"``; one individual in twenty has a text that
    fewer than `rare` have, and k and `rare` have each item. Of many columns those are
    taken in which most such texts are saved for each item. No rule that the schema
    states is about the column.

    Parameters are those of `find_patterned`.
    """
    found, taken = [], {own.name for own in schema.columns}
    stated = {name for rule in schema.rules or () for name in rule.columns}
    for column in (c for c in schema.kept.columns if c.format == LIST and is_open(c)):
        if column.name not in stated and column.name not in but:
            codes = np.maximum(values.codes(column), -1)
            found += _found(column, codes, column.rare or rare, k, persons)
    chosen: list[Listed] = []
    for _, own in sorted(found, key=lambda pair: pair[0], reverse=True):
        if sum(len(other.items) for other in (*chosen, own)) <= _MOST_MADE:
            made = _made_columns(own, taken)
            chosen.append(replace(own, made_columns=made))
    return tuple(chosen)


def _found(column, codes, rare, k, persons):
    """How a column lists items, and how many rare texts that saves an item; or none."""
    texts, least = column.categories, max(rare, k)
    lists = Lists.of(texts)
    if lists is None or _LABEL in texts or fewest(codes, persons) >= rare:
        return []

    def n_holders(is_one):
        """Individuals with a text that is one of those; the last is none."""
        labels = np.where(is_one[codes], 0, -1)
        return int(count_individuals(labels, persons).sum())

    # The last row is of no text, the last column of other items.
    # An item of the name that others have is one of these.
    has = np.zeros((len(texts) + 1, len(lists.items) + 1), dtype=bool)
    known = {item: i for i, item in enumerate(lists.items) if item != _OTHER}
    for row, text in zip(has, texts, strict=False):
        row[lists.read(text, known) or []] = True
    holders = np.array([n_holders(own) for own in has.T[:-1]])
    commonest = np.argsort(-holders, kind="stable")[:_MOST_ITEMS]
    kept = np.sort(commonest[holders[commonest] >= least])
    counts = count_individuals(codes, persons)
    is_common = np.array([*(counts >= rare), False])
    others = np.delete(has, kept, axis=1).any(axis=1) & ~is_common
    has_other = n_holders(others) >= least
    has = np.column_stack([has[:, kept], others & has_other])
    n_items = np.where(is_common, 0, has.sum(axis=1))
    n_rare = n_holders(n_items > 0)
    ways = range(1, int(n_items.max()) + 1)
    up_to = [n for n in ways if n_holders((0 < n_items) & (n_items <= n)) >= least]
    from_on = [n for n in ways if n_holders(n_items >= n) >= least]
    n_all = n_holders(np.arange(len(has)) < len(texts))
    if not from_on or n_rare < _MIN_RARE * n_all:
        return []
    items = (*(lists.items[i] for i in kept), *[_OTHER] * has_other)
    common = tuple(text for text, one in zip(texts, is_common, strict=False) if one)
    lengths = up_to[0], from_on[-1]
    own = Listed(column.name, lists._replace(items=items), (), common, lengths)
    return [(n_rare / len(items), own)]


def _made_columns(own, taken):
    """A column of yes and no for each item."""
    made = []
    for item in own.items:
        name = distinct_name(f"{own.column}: {item}", taken)
        taken.add(name)
        fields = {"kind": "categorical", "dtype": TEXT_DTYPE, "categories": _TICKED}
        made.append(Column(name=name, **fields))
    return tuple(made)


def _with_fitting(distinct, codes, fits, rows):
    """Codes of lists in place of those that do not fit.

    Each gives way to a list that differs from it in fewest items, those of one in turn
    to those of the others, and where rows follow each other, as those of a person do,
    to one; -1 where none fits.
    """
    given = np.flatnonzero(fits[codes])
    codes, before = codes.copy(), codes
    goes_on = (np.diff(rows, prepend=-2) == 1) & (np.diff(before, prepend=-1) == 0)
    for wrong in np.flatnonzero(~fits):
        own = np.flatnonzero(before == wrong)
        if len(given) == 0:
            codes[own] = -1
            continue
        differs = (distinct != distinct[wrong]).sum(axis=1)
        nearest = given[differs[before[given]] == differs[before[given]].min()]
        run = np.cumsum(~goes_on[own]) - 1
        codes[own] = before[nearest[run * len(nearest) // (run.max(initial=0) + 1)]]
    return codes
