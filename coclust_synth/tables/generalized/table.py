"""Tables whose cells are sets of original values, as k-anonymous releases are.

A `GeneralizedColumn` knows for each of its labels the original values, its leaves,
that the label stands for; a `GeneralizedTable` has some such columns and others that
are released as they are. Both are what measures, reports and files start from.

Nothing here protects anyone: whether classes are large enough, and what the other
columns tell, is for the generator and the privacy models.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from coclust_synth.exceptions import (
    ModelFileError,
    ParameterError,
    SchemaError,
    TableError,
    no_data_warnings,
)
from coclust_synth.tables.column import Column
from coclust_synth.tables.files import check_writable, write_files
from coclust_synth.tables.generalized.column import GeneralizedColumn, spread
from coclust_synth.tables.generalized.covering import ALL
from coclust_synth.tables.generalized.sidecar import (
    LabelSets,
    label_sets,
    manifest_path,
    read_sidecar,
    sidecar_content,
    sidecar_path,
    sidecar_text,
)
from coclust_synth.tables.labels import distinct_labels
from coclust_synth.tables.reading.infer import infer_schema
from coclust_synth.tables.reading.native import in_library, library_of
from coclust_synth.tables.reading.table import open_table
from coclust_synth.tables.rows import collapse
from coclust_synth.tables.schema import Schema, unknown_column
from coclust_synth.tables.showing import Shown
from coclust_synth.tables.values.columns import examples
from coclust_synth.tables.values.dtypes import TEXT_DTYPE
from coclust_synth.tables.writing import table_bytes
from coclust_synth.validation import Seed, check_seed

__all__ = ["GeneralizedColumn", "GeneralizedTable", "spread"]


@dataclass(frozen=True, eq=False, repr=False)
class GeneralizedTable(Shown):
    """A table of generalised columns, and others released as they are.

    Parameters
    ----------
    columns : sequence of GeneralizedColumn
        At least one, of as many rows each: the quasi-identifiers.
    others : DataFrame, optional
        The columns that are not generalised, of the same rows; none by default.
    order : sequence of str, optional
        Names of all columns as released; default, `columns` then `others`.
    suppressed : ndarray of shape (n_rows,), bool, optional
        Rows whose every generalised cell stands for all leaves because they fit in
        no class; none by default. They read ``*`` in every generalised column. As soon
        as one row is suppressed all rows of such cells are: they are one class.

    Raises
    ------
    TableError
        If there is no column or row, or columns differ in length.
    SchemaError
        If names are repeated or are not those of `order`, or a suppressed row has a
        cell that does not stand for all leaves.
    """

    columns: tuple[GeneralizedColumn, ...]
    others: pd.DataFrame | None = None
    order: tuple[str, ...] | None = None
    suppressed: np.ndarray | None = None

    def __post_init__(self) -> None:
        columns = tuple(self.columns)
        if not columns or not columns[0].n_rows:
            raise TableError(
                "Expected at least one generalised column and one row. Received "
                f"{len(columns)} columns{' of no row' if columns else ''}. Give the "
                "quasi-identifiers of a table that has rows."
            )
        n = columns[0].n_rows
        others = pd.DataFrame(index=range(n)) if self.others is None else self.others
        others = others.reset_index(drop=True)
        lengths = {column.name: column.n_rows for column in columns}
        if {*lengths.values(), len(others)} != {n}:
            raise TableError(
                f"Expected columns of {n} rows. Received {lengths} and {len(others)} "
                "rows of other columns. Give the same rows to all."
            )
        names = (*(column.name for column in columns), *others.columns)
        order = names if self.order is None else tuple(self.order)
        if sorted(map(str, order)) != sorted(map(str, names)) or len(set(order)) != len(
            order
        ):
            raise SchemaError(
                "Expected an order that names each column once, of "
                f"{', '.join(map(repr, names))}. Received "
                f"{', '.join(map(repr, order))}. Name each once."
            )
        suppressed = self._check_suppressed(columns)
        if suppressed.any():
            columns = tuple(map(_with_all_unmistaken, columns))
        for field, value in (
            ("columns", columns),
            ("others", others),
            ("order", order),
            ("suppressed", suppressed),
        ):
            object.__setattr__(self, field, value)

    def _check_suppressed(self, columns: Sequence[GeneralizedColumn]) -> np.ndarray:
        is_all = np.all([column.is_all for column in columns], axis=0)
        given = np.zeros(len(is_all), dtype=bool)
        if self.suppressed is not None:
            given = np.asarray(self.suppressed)
        if given.dtype != bool or given.shape != is_all.shape:
            raise TableError(
                f"Expected a bool for each of the {len(is_all)} rows in suppressed. "
                f"Received dtype {given.dtype}, shape {given.shape}. Give a mask."
            )
        if (given & ~is_all).any():
            raise SchemaError(
                "Expected every generalised cell of a suppressed row to stand for all "
                f"leaves. Received {(given & ~is_all).sum()} suppressed rows with "
                "others. Give these rows the label of all leaves."
            )
        suppressed = is_all if given.any() else given.copy()
        suppressed.setflags(write=False)
        return suppressed

    @property
    def n_rows(self) -> int:
        """Number of rows, suppressed ones included."""
        return len(self.suppressed)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the generalised columns."""
        return tuple(column.name for column in self.columns)

    def __getitem__(self, name: str) -> GeneralizedColumn:
        for column in self.columns:
            if column.name == name:
                return column
        raise SchemaError(unknown_column(name, self.names))

    @cached_property
    def class_codes(self) -> np.ndarray:
        """Equivalence class of each row, shape (n_rows,), int64.

        Rows of equal labels in all generalised columns, from 0 without gaps, ordered
        by the codes of their labels. Suppressed rows are one class.
        """
        codes = np.column_stack([column.codes for column in self.columns])
        _, classes = collapse(codes, [len(c.labels) for c in self.columns])
        return classes

    @property
    def class_sizes(self) -> np.ndarray:
        """Rows of each equivalence class, shape (n_classes,), int64."""
        return np.bincount(self.class_codes)

    @property
    def kept_class_sizes(self) -> np.ndarray:
        """The same without the suppressed rows; empty if all rows are suppressed."""
        sizes = np.bincount(self.class_codes[~self.suppressed])
        return sizes[sizes > 0]

    def take(self, order: np.ndarray) -> GeneralizedTable:
        """The same rows in another order.

        Parameters
        ----------
        order : ndarray of shape (n_rows,), int
            Each position once.

        Raises
        ------
        ParameterError
            If it is no permutation of the rows.
        """
        order = np.asarray(order)
        if not np.array_equal(np.sort(order), np.arange(self.n_rows)):
            raise ParameterError(
                f"Expected each of the positions 0 to {self.n_rows - 1} once. Received "
                f"{order.shape} of them, not so. Give a permutation of the rows."
            )
        return GeneralizedTable(
            tuple(column.take(order) for column in self.columns),
            self.others.iloc[order],
            self.order,
            self.suppressed[order],
        )

    def to_frame(self, like: Any = None) -> Any:
        """The table as it is released: texts in the generalised columns.

        Parameters
        ----------
        like : frame, optional
            Of polars, pyarrow or another library, whose frame is given; by default a
            DataFrame is.
        """
        frame = self._arrange(
            pd.Series(
                np.where(
                    self.suppressed, ALL, np.array(c.labels, dtype=object)[c.codes]
                ),
                dtype=TEXT_DTYPE,
            )
            for c in self.columns
        )
        return in_library(frame, library_of(like))

    def draw(self, random_state: Seed = None) -> pd.DataFrame:
        """A table of original values: in each cell one leaf of its label, at random.

        All leaves of a label are equally likely, cells are drawn independently, and
        the other columns stay. Such a table can train what takes no sets; it tells
        nothing that the generalised one does not.

        Parameters
        ----------
        random_state : int, SeedSequence, Generator or None, default=None

        Returns
        -------
        DataFrame
            Of n_rows rows, columns as released; their types are those that pandas
            gives to the leaves.
        """
        check_seed("random_state", random_state)
        rng = np.random.default_rng(random_state)
        return self._arrange(
            pd.Series(list(c.leaves)).take(c.draw(rng)).reset_index(drop=True)
            for c in self.columns
        )

    def _arrange(self, generalized) -> pd.DataFrame:
        series = dict(zip(self.names, generalized, strict=True))
        return pd.concat([pd.DataFrame(series), self.others], axis=1)[list(self.order)]

    # --- files ----------------------------------------------------------------

    def sidecar(self) -> dict:
        """What each label stands for, as JSON types; see `tables.sidecar`."""
        n_suppressed = int(self.suppressed.sum())
        return sidecar_content(self._label_sets(), self.others.columns, n_suppressed)

    def _label_sets(self) -> list[LabelSets]:
        """The texts of each generalised column, that of suppressed rows among them."""
        return [
            _plus_all(column) if self.suppressed.any() else LabelSets.of(column)
            for column in self.columns
        ]

    @classmethod
    def from_frame_and_sidecar(
        cls, frame: pd.DataFrame, sidecar: dict
    ) -> GeneralizedTable:
        """Inverse of `to_frame` and `sidecar`.

        Parameters
        ----------
        frame : DataFrame
            The released table.
        sidecar : dict
            What its labels stand for.

        Raises
        ------
        ModelFileError
            If the sidecar is of another kind or version, or does not read.
        SchemaError
            If the table has other columns than the sidecar, or a label that the
            sidecar lacks.
        """
        sets = label_sets(sidecar)
        names = [*(s.name for s in sets), *sidecar["others"]]
        if sorted(map(str, frame.columns)) != sorted(names):
            raise SchemaError(
                f"Expected the columns {', '.join(map(repr, names))} that the labels "
                f"were released with. Received {', '.join(map(repr, frame.columns))}. "
                "Give the table and its labels of one release."
            )
        columns = [
            GeneralizedColumn.from_members(
                s.name,
                s.leaves,
                s.ordered,
                s.members,
                _label_codes(frame[s.name], s.name, s.labels),
                s.labels,
            )
            for s in sets
        ]
        n_suppressed = sidecar["suppressed_rows"]
        is_all = np.all([column.is_all for column in columns], axis=0)
        if n_suppressed not in (0, is_all.sum()):
            raise ModelFileError(
                f"Expected the {n_suppressed} suppressed rows that the labels tell of. "
                f"Received a table of {is_all.sum()} rows without any value. Give the "
                "table and its labels of one release."
            )
        suppressed = is_all if n_suppressed else None
        return cls(tuple(columns), frame[sidecar["others"]], frame.columns, suppressed)

    def save(
        self,
        path: str | os.PathLike,
        schema: Schema | None = None,
        *,
        force: bool = False,
    ) -> None:
        """Write the table, and what its labels stand for beside it.

        Parameters
        ----------
        path : path
            Where to; its extension says in which format. The labels go beside it,
            `sidecar_path(path)`.
        schema : Schema, optional
            How to write the columns that are not generalised; by default as they are.
        force : bool, default=False
            Whether to replace files that exist. The manifest of another release, which
            would seem to be of this one, goes.

        Raises
        ------
        ParameterError
            If the name of the file does not say what it is.
        OutputError
            If a file exists, or cannot be written. Nothing is left behind.
        """
        for file in (path, sidecar_path(path), manifest_path(path)):
            check_writable(file, force)
        write_files(self.to_files(path, schema))
        manifest_path(path).unlink(missing_ok=True)

    def to_files(
        self, path: str | os.PathLike, schema: Schema | None = None
    ) -> dict[str | os.PathLike, bytes]:
        """What `save` writes, for files that go with others.

        Returns
        -------
        dict of Path to bytes
            The table, then its labels.
        """
        frame = self.to_frame()
        if schema is None and len(self.others.columns):
            with no_data_warnings():  # a column may well hold one value only
                schema = infer_schema(self.others)
        labelled = {sets.name: _label_column(sets) for sets in self._label_sets()}
        columns = tuple(
            labelled[name] if name in labelled else schema[name] for name in self.order
        )
        delimiter = "," if schema is None else schema.delimiter
        content = table_bytes(frame, path, Schema(columns, delimiter))
        labels = sidecar_text(self.sidecar()).encode()
        return {Path(path): content, sidecar_path(path): labels}

    @classmethod
    def load(
        cls,
        path: str | os.PathLike,
        schema: Schema | None = None,
        *,
        labels: str | os.PathLike | None = None,
    ) -> GeneralizedTable:
        """Read what `save` wrote.

        Parameters
        ----------
        path : path
            The table.
        schema : Schema, optional
            What is known of the columns that are not generalised; by default found
            out.
        labels : path, optional
            The file of its labels; by default `sidecar_path(path)`.

        Raises
        ------
        TableError, ParameterError
            If the table does not read.
        ModelFileError
            If the labels do not read.
        SchemaError
            If the table has other columns or labels than those.
        """
        content = read_sidecar(sidecar_path(path) if labels is None else labels)
        columns = [
            *map(_label_column, label_sets(content)),
            *(
                Column(name=n) if schema is None else schema[n]
                for n in content["others"]
            ),
        ]
        with no_data_warnings():  # a column may well hold one value only
            frame, _ = open_table(path).complete(Schema(tuple(columns)))
        return cls.from_frame_and_sidecar(frame, content)

    def _told(self):
        sizes = self.kept_class_sizes
        return {
            "rows": self.n_rows,
            "generalised": ", ".join(map(str, self.names)),
            "others": ", ".join(map(str, self.others.columns)) or None,
            "classes": len(sizes),
            "smallest class": int(sizes.min()) if len(sizes) else None,
            "suppressed rows": int(self.suppressed.sum()) or None,
        }

    def _listed(self):
        # Released rows, as the file has them.
        return self.to_frame().head().to_dict("records")


def _with_all_unmistaken(column: GeneralizedColumn) -> GeneralizedColumn:
    """The column, in which no label but that of all leaves reads like it."""
    is_all = column.sizes == len(column.leaves)
    partial = [
        text for text, every in zip(column.labels, is_all, strict=True) if not every
    ]
    if ALL not in partial:
        return column
    numbered = iter(distinct_labels([ALL, *partial], with_missing=False)[1:])
    labels = tuple(ALL if every else next(numbered) for every in is_all)
    return replace(column, labels=labels)


def _plus_all(column: GeneralizedColumn) -> LabelSets:
    """The labels of a column, and ``*`` for all leaves where none of them is."""
    sets = LabelSets.of(column)
    if ALL in sets.labels:
        return sets
    everything = np.ones((1, len(sets.leaves)), dtype=bool)
    return sets._replace(
        members=np.vstack([sets.members, everything]), labels=(*sets.labels, ALL)
    )


def _label_column(column: LabelSets) -> Column:
    return Column(
        name=column.name,
        kind="categorical",
        dtype=TEXT_DTYPE,
        missing=(),
        categories=column.labels,
    )


def _label_codes(cells: pd.Series, name: str, labels: Sequence[str]) -> np.ndarray:
    codes, uniques = pd.factorize(cells)
    place = {label: i for i, label in enumerate(labels)}
    # A missing cell, whose code is -1, has no label.
    places = np.array([*(place.get(str(text), -1) for text in uniques), -1])
    if (places[codes] < 0).any():
        unknown = pd.unique(cells[places[codes] < 0])
        raise SchemaError(
            f"Column {name!r}: expected one of its {len(labels)} labels, "
            f"{examples(labels)}. Received {examples(unknown)}, of which it is not "
            "known what they stand for. Give the table and its labels of one release."
        )
    return places[codes]
