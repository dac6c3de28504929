"""Columns of texts that hold numbers in a few patterns.

Of blood pressures (``120/80``), of doses and of quantities in two units most texts are
rare, and would be released as ``(other)``. Such texts get their pattern as label before
a table is learnt from, and columns are made of their numbers, each drawn as any other;
a drawn text is the pattern of its row with the numbers of its row.
"""

import math
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree

from coclust_synth.tables.column import Column
from coclust_synth.tables.labels import distinct_name
from coclust_synth.tables.parts.folded.spelt import (
    count_individuals,
    fewest,
    is_open,
    with_cells,
)
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.reading.texts.patterns import (
    PATTERN,
    Pattern,
    as_number,
    find_marks,
    find_patterns,
    n_decimals,
    split_text,
)
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import TableValues


@dataclass(frozen=True)
class Patterned:
    """A column of texts, and the patterns that its numbers are in.

    Attributes
    ----------
    column : str
        Of texts.
    labels : tuple of str
        Patterns, see `Pattern.parse`; the texts that stand for others.
    marks : str
        Of the numbers, see `find_marks`.
    made_columns : tuple of Column
        Of the first numbers of all patterns, the second ones, and so on. Without
        bounds, which are values of the table.
    common : tuple of str, default=()
        Texts that `rare` individuals have, which as many drawn rows have: those whose
        numbers are nearest. None where drawn texts stay as they are.
    shares : tuple of float
        Of the rows with each pattern, how many have one of these.

    Examples
    --------
    >>> whole = {"kind": "integer", "dtype": "Int64"}
    >>> made = Column(name="high", **whole), Column(name="low", **whole)
    >>> own = Patterned("bp", ("0/0",), "", made)
    >>> own.folded(pd.DataFrame({"bp": ["120/80", "84/61"]})).to_dict("list")
    {'bp': ['0/0', '0/0'], 'high': [120, 84], 'low': [80, 61]}
    """

    column: str
    labels: tuple[str, ...]
    marks: str
    made_columns: tuple[Column, ...]
    common: tuple[str, ...] = ()
    shares: tuple[float, ...] = ()

    def __str__(self):
        n = len(self.labels)
        is_in = f"the pattern {self.labels[0]}" if n == 1 else f"{n} patterns"
        return f"{self.column} has numbers in {is_in}"

    @property
    def numbers(self) -> tuple[str, ...]:
        """Names of the columns of numbers."""
        return tuple(column.name for column in self.made_columns)

    def folded(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The same rows, with patterns for texts, and the numbers of these."""
        codes, texts = pd.factorize(frame[self.column])
        patterns = [Pattern.parse(label, self.marks) for label in self.labels]
        labels, numbers = _read(texts, patterns, self.marks)
        own = frame[self.column]
        # A missing cell, of code -1, is the last.
        label = pd.Series([*labels, None], dtype=object).to_numpy()[codes]
        made = {self.column: own.where(pd.isna(label), label)}
        for i, column in enumerate(self.made_columns):
            cells = [found[i] if len(found) > i else None for found in numbers]
            made[column.name] = _typed([*cells, None], column).array[codes]
        return frame.assign(**made)

    def spelt_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Rows as they were: each pattern gives way to a text with its numbers.

        Parameters
        ----------
        frame : DataFrame
            Texts may be held as codes of categories.
        """
        own = frame[self.column]
        cells = own.astype(object).to_numpy(copy=True)
        known = [Pattern.parse(label, self.marks) for label in self.labels]
        read = _read(self.common, known, self.marks)
        listed = [*zip(self.common, *read, strict=True)]
        for i, (label, pattern) in enumerate(zip(self.labels, known, strict=True)):
            rows = np.flatnonzero(own == label)
            numbers = frame[[*self.numbers[: len(pattern.slots)]]].iloc[rows]
            # A few rows of persons have a label and no number: another row's, then.
            numbers = numbers.ffill().bfill().clip(lower=0)
            if len(rows) == 0 or numbers.isna().any(axis=None):
                cells[rows] = None
                continue
            codes, distinct = pd.MultiIndex.from_frame(numbers).factorize()
            texts = np.array([*map(pattern.write, distinct)], dtype=object)
            common = {text: n for text, given, n in listed if given == label}
            if common:
                counts = np.bincount(codes)
                _move(texts, [*distinct], counts, common, self.shares[i])
            cells[rows] = texts[codes]
        return with_cells(frame, self.column, cells).drop(columns=[*self.numbers])

    def to_dict(self) -> dict:
        """JSON compatible form."""
        return {
            "column": self.column,
            "patterns": [*self.labels],
            "marks": self.marks,
            "made": Schema(self.made_columns).to_dict(),
            "common": [*self.common],
            "shares": [*self.shares],
        }

    @classmethod
    def from_dict(cls, data: dict) -> Self:
        """Inverse of `to_dict`."""
        labels = tuple(map(str, data["patterns"]))
        made = Schema.from_dict(data["made"]).columns
        common = tuple(map(str, data["common"]))
        shares = tuple(map(float, data["shares"]))
        return cls(
            str(data["column"]), labels, str(data["marks"]), made, common, shares
        )


def find_patterned(
    values: TableValues,
    schema: Schema,
    rare: int,
    k: int,
    *,
    persons: Persons | None = None,
    but: Collection[str] = (),
) -> tuple[Patterned, ...]:
    """The columns of texts whose numbers are drawn on their own.

    Their `format` in the schema is ``"pattern"``; a text is of fewer than `rare`
    individuals, and k and `rare` have each pattern. Others stay texts: they are of
    fewer, or have more decimals than so many have. No rule that the schema states is
    about the column.

    Parameters
    ----------
    values : TableValues of n rows
    schema : Schema
        Complete.
    rare : int
        Individuals that a text describes at least, where its column says nothing.
    k : int
    persons : Persons, optional
        Of the rows; by default each row is an individual.
    but : collection of str
        Columns of texts that are not looked at.

    Returns
    -------
    tuple of Patterned
    """
    columns, found = schema.kept.columns, []
    for column in (c for c in columns if c.format == PATTERN and is_open(c)):
        is_stated = any(column.name in rule.columns for rule in schema.rules or ())
        codes = np.maximum(values.codes(column), -1)
        least = column.rare or rare
        if is_stated or column.name in but or fewest(codes, persons) >= least:
            continue
        marks = find_marks(column.categories)
        patterns = _shared(column.categories, marks, codes, max(least, k), persons)
        if patterns:
            labels = tuple(map(str, patterns))
            taken = {own.name for own in schema.columns}
            made = _made_columns(column, patterns, taken)
            own = Patterned(column.name, labels, marks, made)
            # What rows of persons have in common would not be kept.
            if persons is None:
                own = _with_common(own, column.categories, codes, patterns, least)
            found.append(own)
    return tuple(found)


def _with_common(own, texts, codes, patterns, least):
    """The same, with the texts of its patterns that so many rows have."""
    labels, _ = _read(texts, patterns, own.marks)
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    common, shares = [], []
    for label in own.labels:
        rows = np.array([given == label for given in labels]) * counts
        are_common = rows >= least
        common += [texts[i] for i in np.flatnonzero(are_common)]
        share = rows[are_common].sum() / rows.sum()
        shares.append(math.floor(1000 * share) / 1000)
    return replace(own, common=tuple(common), shares=tuple(shares))


def _move(texts, numbers, counts, common, share):
    """Change texts, in place, to the nearest common ones, until so many rows have one.

    Rows with the same numbers go together.
    """
    new = np.flatnonzero([text not in common for text in texts])
    lack = round(share * counts.sum()) - counts.sum() + counts[new].sum()
    if lack <= 0:
        return
    there = cKDTree(np.log1p(np.array([*common.values()], dtype=np.float64)))
    here = np.log1p(np.array(numbers, dtype=np.float64)[new])
    distances, nearest = there.query(here, p=1)
    order = np.argsort(distances, kind="stable")
    order = order[np.cumsum(counts[new][order]) <= lack]
    texts[new[order]] = np.array([*common], dtype=object)[nearest[order]]


def _shared(texts, marks, codes, least, persons):
    """Patterns that so many individuals have, with the decimals that as many have."""
    found = find_patterns(texts, marks)
    listed = [*dict.fromkeys(own for own in found if own is not None)]
    of_pattern = {own: i for i, own in enumerate(listed)}
    of_texts = np.array([*(of_pattern.get(own, -1) for own in found), -1])

    def n_holders(is_one):
        """Individuals with a text that is one of those."""
        return count_individuals(np.where(is_one[codes], 0, -1), persons).sum()

    counts = count_individuals(of_texts[codes], persons)
    patterns = []
    for i in np.flatnonzero(counts >= least):
        pattern, is_own = listed[i], of_texts == i
        decimals = np.zeros((len(is_own), len(pattern.slots)), dtype=np.int64)
        for j in np.flatnonzero(is_own):
            decimals[j] = [n_decimals(n, marks) for n in split_text(texts[j], marks)[1]]
        slots = []
        for slot, own in zip(pattern.slots, decimals.T, strict=True):
            ways = range(slot.most, slot.least, -1)
            most = (n for n in ways if n_holders(is_own & (own >= n)) >= least)
            slots.append(slot._replace(most=next(most, slot.least)))
        is_kept = is_own & (decimals <= [slot.most for slot in slots]).all(axis=1)
        if n_holders(is_kept) >= least:
            patterns.append(pattern._replace(slots=tuple(slots)))
    return patterns


def _made_columns(column, patterns, taken):
    """A column for each number of the pattern that has most."""
    made = []
    for i in range(max(len(pattern.slots) for pattern in patterns)):
        is_real = any(own.slots[i].most for own in patterns if len(own.slots) > i)
        kind, dtype = ("real", "float64") if is_real else ("integer", "Int64")
        name = distinct_name(f"{column.name} (number {i + 1})", taken)
        made.append(Column(name=name, kind=kind, dtype=dtype))
    return tuple(made)


def _read(texts, patterns, marks):
    """The label of each text, None where it has none, and its numbers."""
    alike = defaultdict(list)
    for pattern in patterns:
        alike[pattern.around].append(pattern)
    labels, found = [], []
    for text in texts:
        around, numbers = split_text(text, marks)
        numbers = [as_number(own, marks) for own in numbers]
        ways = (own for own in alike.get(around, ()) if own.write(numbers) == text)
        pattern = next(ways, None)
        labels.append(None if pattern is None else str(pattern))
        found.append([] if pattern is None else numbers)
    return labels, found


def _typed(cells, column):
    """Numbers, some of them missing, as a column has them."""
    kind = int if column.kind == "integer" else float
    numbers = [None if cell is None else kind(cell) for cell in cells]
    return pd.Series(numbers, dtype=column.dtype)
