"""Tables that are compared, as arrays: parts, exact values, numbers and places.

All is settled on the real table alone, so that no release moves the ruler that it is
measured with. Of each cell there are four forms::

    parts    code of a category, of a tenth of the numbers, or of one of few numbers;
             one more for what the real table has nowhere, missing marks included
    exact    code of the very value, the same in all tables; -1 where missing
    numbers  the number, dates in days; nan where missing and in other columns
    places   whole number to be compared with: of a column of more than 20 numbers the
             share of the real values below, of `FULL`; of others the exact code

The distance of two rows is the sum over their columns: of the former the difference of
their places, a missing value being `FULL` below all others; of the latter `FULL` where
they differ.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coclust_synth.evaluation.comparing.alike import AlikeTables
from coclust_synth.exceptions import no_data_warnings
from coclust_synth.tables.column import LISTED_KINDS
from coclust_synth.tables.labels import distinct_labels, interval_labels, shorter_text
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.parts.parts import IntervalParts
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.values.columns import to_values
from coclust_synth.tables.values.numbers import are_wide, numbers_of, origin_of

BINS = 10
# The whole range of a column, in distances: whole numbers compare and add exactly.
FULL = 2**16
# A column of no more numbers is one of categories.
_MAX_LISTED = 20


class CodedRows(NamedTuple):
    """Some rows, in four forms; see the head of this module.

    parts (n, d) int32, exact (n, d) int64, numbers (n, d) float64, places (n, d) int32.
    """

    parts: NDArray[np.int32]
    exact: NDArray[np.int64]
    numbers: NDArray[np.float64]
    places: NDArray[np.int32]

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.parts)

    def take(self, rows: NDArray[np.integer]) -> "CodedRows":
        """Some of the rows, or some columns where `rows` is of shape (n, d)."""
        if rows.ndim == 1:
            return CodedRows._make(own[rows] for own in self)
        return CodedRows._make(np.take_along_axis(own, rows, axis=0) for own in self)

    def columns(self, which: NDArray[np.integer] | slice) -> "CodedRows":
        """The same rows, of some columns."""
        return CodedRows._make(own[:, which] for own in self)


@dataclass(frozen=True, eq=False)
class Coding:
    """What the codes of each of the d columns stand for.

    Attributes
    ----------
    schema : Schema
    labels : tuple of tuple of str
        A text for each part; the last is that of values that the real table lacks.
    is_number : ndarray of bool, shape (d,)
        Whether it is a number or a date.
    is_ranked : ndarray of bool, shape (d,)
        Whether places are ranks, and not codes.
    origins : ndarray of float64, shape (d,)
        What numbers are counted from: 0, or where doubles do not tell integers apart a
        number near them.
    """

    schema: Schema
    labels: tuple[tuple[str, ...], ...]
    is_number: NDArray[np.bool_]
    is_ranked: NDArray[np.bool_]
    origins: NDArray[np.float64]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.schema.names

    @property
    def n_parts(self) -> NDArray[np.int64]:
        """Parts of each column, that of what the real table lacks included."""
        return np.array([len(labels) for labels in self.labels])


def code_tables(tables: AlikeTables) -> tuple[Coding, dict[str, CodedRows]]:
    """Code tables by what the real one holds.

    Parameters
    ----------
    tables : AlikeTables

    Returns
    -------
    Coding
    dict of str to CodedRows
        Those of `AlikeTables.frames`.
    """
    frames = tables.frames
    cuts = dict(_single_values(tables))
    learnt = TableCoding.learn(
        tables.real, tables.schema, binning="quantile", bins=BINS, cuts=cuts
    )
    parts = {name: _parts(learnt, frame, tables) for name, frame in frames.items()}
    forms = [_forms(column, frames) for column in tables.schema.columns]
    coding = Coding(
        tables.schema,
        tuple((*_labels(of), "(not in the real table)") for of in learnt.parts),
        np.array([c.kind not in LISTED_KINDS for c in tables.schema.columns]),
        np.array([form["ranked"] for form in forms]),
        np.array([form["origin"] for form in forms], dtype=float),
    )
    rows = {
        name: CodedRows(
            parts[name],
            np.column_stack([form["exact"][name] for form in forms]),
            np.column_stack([form["numbers"][name] for form in forms]),
            np.column_stack([form["places"][name] for form in forms]).astype(np.int32),
        )
        for name in frames
    }
    return coding, rows


def _labels(of):
    """A text for each part of a column; ends of numbers have few digits."""
    if isinstance(of, IntervalParts) and of.edges.dtype == np.float64:
        shorter = interval_labels(of.edges, of.ruler, shorter_text(of.edges.tolist()))
        return distinct_labels(shorter, of.with_missing)
    return of.labels


def _single_values(tables):
    """Cuts between all values of the numbers and dates that have few."""
    for column in tables.schema.columns:
        if column.kind not in LISTED_KINDS:
            values, missing = to_values(tables.real[column.name], column)
            values = np.unique(values[~missing])
            if len(values) <= _MAX_LISTED:
                yield column.name, _between(values)


def _between(values):
    """A cut between each number and the next: it is the end of the part below it."""
    if are_wide(values):
        return values[:-1]
    return (values[:-1] + values[1:]) / 2


def _parts(learnt, frame, tables):
    # A number beyond all real ones is in the end part, however far it is.
    numbers = [c.name for c in tables.schema.columns if c.kind in ("integer", "real")]
    ends = {
        name: (tables.real[name].min(), tables.real[name].max()) for name in numbers
    }
    frame = frame.assign(**{name: frame[name].clip(*ends[name]) for name in numbers})
    with no_data_warnings():  # told as a part of its own
        codes = learnt.encode(frame, strict=False)
    return np.where(codes < 0, learnt.n_parts_per_variable, codes).astype(np.int32)


def _forms(column, frames):
    """Exact codes, numbers and places of a column, each by table."""
    ends = np.cumsum([len(frame) for frame in frames.values()])[:-1]
    both = pd.concat([frame[column.name] for frame in frames.values()])
    if column.kind in LISTED_KINDS:
        exact, _ = pd.factorize(both.astype(object))
        numbers, origin = np.full(len(both), np.nan), 0
    else:
        numbers, origin = _as_numbers(both, column)
        exact, _ = pd.factorize(both, sort=True)
    # By codes: they are in the order of the numbers, which doubles may not tell apart.
    known = np.sort(exact[: len(frames["real"])])
    known = known[known >= 0]
    ranked = column.kind not in LISTED_KINDS and len(np.unique(known)) > _MAX_LISTED
    places = exact
    if ranked:
        below = np.searchsorted(known, exact) / len(known)
        places = np.where(np.isnan(numbers), -FULL, np.rint(FULL * below))
    by_table = {
        form: dict(zip(frames, np.split(values, ends), strict=True))
        for form, values in (("exact", exact), ("numbers", numbers), ("places", places))
    }
    return by_table | {"ranked": ranked, "origin": origin}


def _as_numbers(series, column):
    """Numbers, and what they are counted from; dates in days."""
    if column.kind == "datetime":
        days = series.to_numpy().astype("M8[us]")
        return np.where(np.isnat(days), np.nan, days.astype(np.int64) / 86_400e6), 0
    if series.dtype == "Int64":  # wide ones: see `AlikeTables`
        origin = origin_of(series, column)
        return numbers_of(series, column, origin), origin
    return series.to_numpy(dtype=float), 0


# --- what is to be compared with -------------------------------------------------


def bootstrap_copy(rows: CodedRows, n: int, rng: np.random.Generator) -> CodedRows:
    """Rows drawn from a table with replacement: close to it, and no protection."""
    return rows.take(rng.integers(0, rows.n, n))


def independent_columns(rows: CodedRows, n: int, rng: np.random.Generator) -> CodedRows:
    """Each column drawn on its own: nothing of their dependence, and no copy."""
    return rows.take(rng.integers(0, rows.n, (n, rows.parts.shape[1])))


def split_rows(
    rows: CodedRows, n: int, rng: np.random.Generator
) -> tuple[CodedRows, CodedRows]:
    """Some `n` rows at random, and the others; both in random order."""
    order = rng.permutation(rows.n)
    return rows.take(order[:n]), rows.take(order[n:])


def some_rows(rows: CodedRows, n: int, rng: np.random.Generator) -> CodedRows:
    """At most `n` rows, at random, in random order."""
    return rows.take(rng.permutation(rows.n)[:n])
