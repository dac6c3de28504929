"""Columns of some rows of persons, and of the rows before them, side by side."""

from dataclasses import replace

import numpy as np

from coclust_synth.generators.plain.persons.known.person_levels import STEPS
from coclust_synth.tables.column import Column
from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.parts.atoms import learn_atoms
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.rows import count_values
from coclust_synth.tables.rules.evidence import Evidence, pooled_codes
from coclust_synth.tables.schema import Schema


class ColumnsOfRows:
    """What trees are grown for and ask for, one column after the other.

    Parameters
    ----------
    evidence : Evidence
        The table that rows are taken from.
    """

    def __init__(self, evidence):
        self.table = evidence
        self.columns, self.parts, self.codes, self.bins = [], [], [], []
        self.values, self.numbers, self.moved = {}, {}, {}

    @property
    def names(self):
        """Of the columns so far."""
        return tuple(column.name for column in self.columns)

    def _put(self, column, parts, codes, bins=None):
        """One more column; without bins of its codes no rule is about its values."""
        self.columns.append(column)
        self.parts.append(parts)
        self.codes.append(codes)
        one_bin = np.zeros(parts.n_parts, dtype=np.int32)
        self.bins.append(one_bin if bins is None else bins)

    def add(self, names, rows, named=str, table=None):
        """Some columns of the table, or of one alike, under other names."""
        table = self.table if table is None else table
        coding, pooled = table.coding, pooled_codes(table.coding)
        for name in names:
            j, own = coding.names.index(name), named(name)
            moved = table.is_moved(j)[rows]
            if j in pooled:
                moved |= np.isin(table.codes[rows, j], [*pooled[j]])
            if moved.any():
                self.moved[len(self.columns)] = moved
            column, codes = replace(coding.schema[name], name=own), table.codes
            bins = table.of_codes[j]
            self._put(column, coding.parts[j], codes[rows, j], bins)
            if name in table.numbers:
                self.values[own] = table.values[name][rows]
                self.numbers[own] = table.numbers[name][rows]

    def add_level(self, name, level, of_persons, person):
        """The level of the person of each row."""
        codes, numbers = of_persons
        self._put(replace(level.column, name=name), level.parts, codes[person])
        if numbers is not None:
            self.numbers[name] = numbers[person]
            values = np.nan_to_num(numbers[person])
            self.values[name] = values.astype(level.parts.ruler.dtype)

    def add_steps(self, name, own, persons, ends=(0, STEPS)):
        """A number of each row of persons in steps, see `person_levels`, or nan."""
        missing = np.isnan(own)
        values, counted = np.nan_to_num(own).astype(np.int64), persons.spread(own)
        counts = count_values(values[counted], missing[counted])
        with_missing = bool(missing.any())
        parts = learn_atoms(counts, None, SteppedRuler(1), with_missing)
        dtype = "Int64" if with_missing else "int64"
        form = {"dtype": dtype, "step": 1, "bounds": ends}
        column = Column(name=name, kind="integer", **form)
        self._put(column, parts, parts.encode(values, missing))
        self.values[name], self.numbers[name] = values, own

    def add_count(self, name, own, persons):
        """A number of rows of persons, which no rule is about."""
        self.add_number(name, own, own[persons.spread(own)])
        del self.values[name], self.numbers[name]

    def add_number(self, name, own, counted, bins_of=None, spread=False):
        """A whole number, in atoms of those that are counted, each of a person."""
        counts = count_values(counted, np.zeros(len(counted), dtype=bool))
        parts = learn_atoms(counts, None, SteppedRuler(1), spread=spread)
        # No one's: a number of rows is one of the table's, room that of an atom.
        low, high = int(parts.lows.min()), int(parts.highs.max())
        bounds = min(1, low), max(len(self.table.codes), high)
        column = Column(name=name, kind="integer", dtype="int64", step=1, bounds=bounds)
        codes = parts.encode(own, np.zeros(len(own), dtype=bool))
        self._put(column, parts, codes, None if bins_of is None else bins_of(parts))
        self.values[name], self.numbers[name] = own, own.astype(np.float64)

    def add_rest(self, name, like, rest, rows):
        """A number of some rows like those of a column; `rest` is of all of the table.

        What is left of a total before them, say.
        """
        table = self.table
        scale, missing = table.scales[like], np.zeros(len(rest), dtype=bool)
        values = scale.nearest(rest)
        parts = table.learn_atoms(values, missing, scale.ruler)
        bounds = parts.lows.min().item(), parts.highs.max().item()
        column = replace(table.coding.schema[like], name=name, bounds=bounds)
        self._put(column, parts, parts.encode(values, missing)[rows])
        self.values[name] = values[rows]
        self.numbers[name] = scale.to_numbers(values, missing)[rows]

    def evidence(self, persons):
        """All of them, of rows of some persons."""
        schema = Schema(tuple(self.columns), self.table.coding.schema.delimiter)
        coding = TableCoding(schema, tuple(self.parts))
        return Evidence(
            coding,
            np.column_stack(self.codes),
            tuple(self.bins),
            self.values,
            self.numbers,
            persons,
            self.moved,
        )
