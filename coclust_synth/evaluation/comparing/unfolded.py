"""Texts that hold numbers are compared by their numbers, as plain tables draw them.

Of ``$56.7M`` and ``$565K``, ``120/80`` or ``<5`` beside numbers nearly every text is
one of its own: as categories all are as far from each other, and a release that draws
other numbers has only values that the real table lacks. What is compared is the
pattern, or the word, and beside it columns of the numbers, those of 2.3M in full. Which
texts are read so, and how, is settled on the real table alone.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from coclust_synth.evaluation.comparing.alike import AlikeTables, made_alike
from coclust_synth.exceptions import no_data_warnings
from coclust_synth.tables.parts.folded.folding import (
    Folding,
    find_foldings,
    folded_column,
    with_labels,
)
from coclust_synth.tables.parts.folded.patterned import Patterned
from coclust_synth.tables.parts.folded.spelt import completed
from coclust_synth.tables.parts.rare.rare import DEFAULT_RARE
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.reading.infer import conform
from coclust_synth.tables.reading.texts.patterns import Pattern, powers_of_ten
from coclust_synth.tables.relations import Relation
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import Table

_DECIMALS = 6  # of amounts in full, at most: 2.3 million times are not quite so many


@dataclass(frozen=True)
class Unfolded:
    """Tables that are compared, of whose texts columns of numbers are made.

    Attributes
    ----------
    tables : AlikeTables
        With the columns that are made, each behind the patterns of the texts that it
        is made of, or in their place where all have one.
    foldings : tuple of Folding
        Of the columns of texts.
    """

    tables: AlikeTables
    foldings: tuple[Folding, ...] = ()

    @classmethod
    def of(
        cls,
        tables: AlikeTables,
        real: Table,
        but: Collection[str] = (),
        persons: Persons | None = None,
    ) -> Self:
        """Make columns of the numbers of texts.

        Parameters
        ----------
        tables : AlikeTables
        real : Table
            The real one, as it was read.
        but : collection of str
            Columns of texts that stay as they are.
        persons : Persons, optional
            Whose the rows of the real table are: patterns and items are named that
            enough of them have.
        """
        compared = [name for name in tables.schema.names if name not in but]
        others = [name for name in real.schema.names if name not in compared]
        # Releases have patterns of their k, which are of these.
        rare = min(DEFAULT_RARE, len(tables.real) if persons is None else persons.n)
        own = real.schema.drop(*others)
        found = find_foldings(real.values, own, rare, k=1, persons=persons)
        foldings = tuple(own for own in found if own.labels and own.made_columns)
        return cls(_unfolded(tables, foldings), foldings) if foldings else cls(tables)

    @property
    def made(self) -> dict[str, tuple[str, ...]]:
        """Names of the columns that are made, by that of the texts."""
        return {own.column: own.numbers for own in self.foldings}

    def with_made(self, names: Iterable[str]) -> list[str]:
        """Names of what is compared of some columns of the table."""
        all_of = [one for name in names for one in (name, *self.made.get(name, ()))]
        return [name for name in all_of if name in self.tables.schema.names]

    def is_of_one_text(self, rule: Relation) -> bool:
        """Whether a rule says that a text and its own numbers go together."""
        return any(
            own.column in rule.columns and {*rule.columns} <= {own.column, *own.numbers}
            for own in self.foldings
        )


def _unfolded(tables, foldings):
    """The tables with columns of numbers, each behind the texts that hold them."""
    frames = {name: _folded(own, foldings) for name, own in tables.frames.items()}
    of = {own.column: own for own in foldings}
    columns = []
    for column in tables.schema.columns:
        own = of.get(column.name)
        if own is None:
            columns.append(column)
            continue
        patterns = folded_column(column, own, frames["real"])
        if len(patterns.categories or ()) > 1:  # else the numbers say all
            columns.append(patterns)
        for made in own.made_columns:
            cells = {name: frame[made.name] for name, frame in frames.items()}
            common, same = made_alike(cells, completed(cells["real"], made))
            frames = {n: f.assign(**{made.name: same[n]}) for n, f in frames.items()}
            columns.append(common)
    schema = Schema(tuple(columns))
    frames = {name: frame[[*schema.names]] for name, frame in frames.items()}
    with no_data_warnings():
        frames["real"], schema = conform(frames["real"], schema)
    return AlikeTables(schema, frames, tables.left_out)


def _folded(frame, foldings):
    """Rows with patterns for texts and their numbers, those of 2.3M in full."""
    frame = with_labels(frame, foldings)
    for own in foldings:
        if not isinstance(own, Patterned):
            continue
        powers = powers_of_ten([Pattern.parse(t, own.marks) for t in own.labels])
        if any(powers):
            (made,) = own.numbers
            power = frame[own.column].map(dict(zip(own.labels, powers, strict=True)))
            numbers = frame[made].astype(np.float64) * 10.0 ** power.astype(np.float64)
            frame = frame.assign(**{made: numbers.round(_DECIMALS)})
    return frame
