"""The declared domain of a table: every cell that a row may fall in.

A differentially private release may show whatever does not depend on the data, so the
domain must come from elsewhere: the questionnaire, a code book, common sense. A
category list or a bound read from the rows tells that somebody has it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from coclust_synth.exceptions import ParameterError, SchemaError, TableError
from coclust_synth.tables.column import Column
from coclust_synth.tables.domain.column import DomainColumn
from coclust_synth.tables.domain.guess import guess_column
from coclust_synth.tables.domain.text import (
    FROM_DATA,
    HEAD,
    blank_block,
    column_block,
    column_from_dict,
    column_to_dict,
)
from coclust_synth.tables.files import check_writable, read_declared, write_files
from coclust_synth.tables.literals import check_fields, parse_toml
from coclust_synth.tables.reading.infer import infer_schema
from coclust_synth.tables.reading.native import as_pandas
from coclust_synth.tables.reading.texts.cells import cell_texts
from coclust_synth.tables.schema import Schema, unknown_column
from coclust_synth.tables.values.columns import to_values
from coclust_synth.validation import check_integer


@dataclass(frozen=True)
class Domain:
    """Columns of a table and all their possible values, cut into cells.

    Parameters
    ----------
    columns : tuple of DomainColumn
        At least one; others of the table are left out.
    from_data : bool, default=False
        Whether it was taken from the rows that are to be protected. Releases are then
        labelled "not differentially private: domain taken from the data".

    Raises
    ------
    SchemaError

    Examples
    --------
    >>> domain = Domain.from_dict(
    ...     {"age": {"low": 17, "high": 90, "bins": 10}, "sex": ["Female", "Male"]}
    ... )
    >>> domain.sizes, domain.n_cells
    ((10, 2), 20)
    >>> domain.encode(pd.DataFrame({"age": [17, 90], "sex": ["Male", "Male"]}))
    array([[0, 1],
           [9, 1]], dtype=int32)
    """

    columns: tuple[DomainColumn, ...]
    from_data: bool = False

    def __post_init__(self) -> None:
        if not self.columns:
            raise SchemaError(
                "Expected a domain of at least one column. Received none. Write one "
                "[[column]] for each."
            )
        twice = sorted({n for n in self.names if self.names.count(n) > 1})
        if twice:
            raise SchemaError(
                "Expected every column to be declared once. Received more than one "
                f"{', '.join(map(repr, twice))}. Remove the repetition."
            )
        if not isinstance(self.from_data, bool):
            raise SchemaError(
                "Expected `from_data` to be true or false. Received "
                f"{self.from_data!r}. Say false if nothing was read from the rows."
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Cells of each column."""
        return tuple(column.size for column in self.columns)

    @property
    def n_cells(self) -> int:
        """Cells of all columns together: the product of `sizes`."""
        return math.prod(self.sizes)

    def __getitem__(self, name: str) -> DomainColumn:
        for column in self.columns:
            if column.name == name:
                return column
        raise SchemaError(unknown_column(name, self.names))

    def select(self, names: Iterable[str]) -> Domain:
        """The domain of some of the columns, in the order given."""
        return Domain(tuple(self[name] for name in names), self.from_data)

    def encode(self, frame: pd.DataFrame) -> np.ndarray:
        """Cell of each value of a table, each read from its own text alone.

        Texts, numbers, dates and truth values are compared by their texts, as
        `coclust_synth.tables.reading.texts.cells.cell_text` gives them: a column's
        type says nothing: ``[1, 2]``, ``[1.0, 2.0, nan]`` and ``["1", "2", "unsure"]``
        have their first two cells in common. What a reader made of a text by the other
        texts of its column is not undone: `read_texts` reads a file cell by cell, where
        `pandas.read_csv` and `read_table` look at whole columns.

        Messages name the column, never a value or how many rows: what an exception
        prints ends up in logs and reports, which nobody accounts for. That there is an
        error is not protected: it is for whoever holds the table.

        Parameters
        ----------
        frame : DataFrame
            With these columns, and perhaps others.

        Returns
        -------
        ndarray of int32, shape (n, d)
            From 0 to ``sizes[j]`` - 1.

        Raises
        ------
        TableError
            If a column is absent, or holds values outside its domain.
        """
        frame = as_pandas(frame)
        if not isinstance(frame, pd.DataFrame):
            raise TableError(
                f"Expected a DataFrame. Received an object of type "
                f"{type(frame).__name__}. Read it by read_texts."
            )
        twice = frame.columns[frame.columns.duplicated()]
        if twice.isin(self.names).any():
            raise TableError(
                "Expected column names that are different. Received more than one "
                f"{', '.join(map(repr, twice.unique()))}. Rename the columns."
            )
        absent = [name for name in self.names if name not in frame.columns]
        if absent:
            raise TableError(
                f"Expected a table with the columns {', '.join(map(repr, self.names))}."
                f" Received one without {', '.join(map(repr, absent))}. Correct the "
                "names in the domain, or leave those columns out of it."
            )
        codes = np.empty((len(frame), len(self.columns)), dtype=np.int32)
        for j, column in enumerate(self.columns):
            codes[:, j] = column.encode(frame[column.name])
        return codes

    def decode(self, codes: np.ndarray, rng: np.random.Generator) -> pd.DataFrame:
        """Values for the cells of some rows.

        Parameters
        ----------
        codes : ndarray of int, shape (n, d)
            As `encode` gives them.
        rng : numpy.random.Generator or seed
            Draws numbers and dates in their bin, evenly or by logarithms as declared.

        Returns
        -------
        DataFrame
            Missing cells hold a missing value, not the mark.
        """
        rng = np.random.default_rng(rng)
        codes = np.asarray(codes)
        columns = zip(self.columns, codes.T, strict=True)
        return pd.concat([c.decode(of_column, rng) for c, of_column in columns], axis=1)

    def lay_out(self) -> dict[str, Callable[[str], str]]:
        """For each column with a `format`, what lays out a text of `cell_text`."""
        return {c.name: own for c in self.columns if (own := c.writer()) is not None}

    @property
    def laid_out_numbers(self) -> tuple[str, ...]:
        """Columns of numbers with a `format`, which files must hold as texts."""
        numbers = (c for c in self.columns if c.is_numeric and not c.is_date)
        return tuple(column.name for column in numbers if column.format is not None)

    def to_cells(self, codes: np.ndarray) -> np.ndarray:
        """Number of each row's cell, the last column varying fastest.

        Parameters
        ----------
        codes : ndarray of int, shape (n, d)

        Returns
        -------
        ndarray of int64, shape (n,)
            From 0 to `n_cells` - 1.

        Raises
        ------
        ParameterError
            If there are 2^63 cells or more.
        """
        self._check_numbered()
        cells = np.zeros(len(codes), dtype=np.int64)
        for size, of_column in zip(self.sizes, codes.T, strict=True):
            cells = cells * size + of_column
        return cells

    def from_cells(self, cells: np.ndarray) -> np.ndarray:
        """Codes of numbered cells, int32 of shape (n, d); undoes `to_cells`."""
        self._check_numbered()
        rest = np.asarray(cells, dtype=np.int64)
        codes = np.empty((len(rest), len(self.sizes)), dtype=np.int32)
        for j in reversed(range(len(self.sizes))):
            rest, codes[:, j] = np.divmod(rest, self.sizes[j])
        return codes

    def _check_numbered(self) -> None:
        if self.n_cells >= 2**63:
            raise ParameterError(
                "Expected a domain of fewer than 2^63 cells, to number them. Received "
                f"{self.n_cells:.3g}. Leave columns out, or use fewer bins."
            )

    @classmethod
    def from_dict(cls, content: Mapping) -> Domain:
        """Read a domain from plain values.

        Parameters
        ----------
        content : mapping
            Of each column's name to its list of categories, or to a mapping of the
            other fields of `DomainColumn`; or the form of `to_dict`.

        Raises
        ------
        SchemaError
            On a field that does not exist, or a wrong value.
        """
        listed = content.get("column")
        if not (isinstance(listed, list) and all(isinstance(c, dict) for c in listed)):
            listed = [
                {"name": name, **(given if isinstance(given, dict) else _listed(given))}
                for name, given in content.items()
            ]
            content = {"column": listed}
        check_fields(content, ("from_data", "column"), "The domain")
        columns = tuple(column_from_dict(column) for column in content["column"])
        return cls(columns, content.get("from_data", False))

    def to_dict(self) -> dict:
        """This domain as JSON types; `from_dict` gives it back."""
        return {
            "from_data": self.from_data,
            "column": [column_to_dict(column) for column in self.columns],
        }

    @classmethod
    def from_schema(cls, schema: Schema, *, bins: int, from_data: bool) -> Domain:
        """Take the domain of a complete schema's kept columns.

        Parameters
        ----------
        schema : Schema
            Its categories and bounds are taken as they are; bounds are rounded
            outwards if they come from data.
        bins : int
            Intervals of equal width in each column of numbers or dates; fewer where it
            has fewer values.
        from_data : bool
            Whether any category list or bound was read from the table, as those of
            `infer_schema` and `read_table` are: a schema does not tell.

        Raises
        ------
        SchemaError
            If a column has no categories or bounds, or dates with a time zone.
        """
        check_integer("bins", bins, minimum=1)
        columns = (
            guess_column(column, bins, rounded=from_data)
            for column in schema.kept.columns
        )
        return cls(tuple(columns), from_data)

    @classmethod
    def from_frame(
        cls, frame: pd.DataFrame, schema: Schema | None = None, *, bins: int = 10
    ) -> Domain:
        """Take the domain of a table from its own rows; `from_data` is then true.

        For tests and comparisons: a release over it is not differentially private,
        as its category lists and bounds are those of the people in the table.

        Parameters
        ----------
        frame : DataFrame
        schema : Schema, optional
            What `read_table` found of it; by default inferred. All columns that it
            does not drop are taken.
        bins : int, default=10
            Intervals of each column of numbers or dates; fewer where it has fewer
            values. Of equal ratio where a tenth of the range has half of the numbers
            above 0; the number 0 is then apart, as where a tenth of the rows have it.
            Where some are below 0, they grow with the distance from 0 on either side,
            and one starts at 0. Decimals that few numbers have are not drawn.

        Raises
        ------
        TableError, SchemaError
            If the table, or a column of it, cannot be described.
        """
        check_integer("bins", bins, minimum=1)
        if schema is None:
            schema = infer_schema(frame)
        columns = schema.keep(*schema.undecided).kept.columns
        guessed = (_guess_from_rows(frame[c.name], c, bins) for c in columns)
        return cls(tuple(guessed), from_data=True)

    def to_toml(self) -> str:
        """This domain as TOML; `from_toml` gives it back."""
        blocks = [HEAD]
        if self.from_data:
            blocks.append(f"# {FROM_DATA.capitalize()}.\nfrom_data = true\n")
        return "\n".join([*blocks, *map(column_block, self.columns)])

    @classmethod
    def from_toml(cls, text: str) -> Domain:
        """Read a domain from TOML, as `to_toml` writes it; see `from_dict`."""
        content = parse_toml(text, "a domain")
        if not isinstance(content.get("column"), list):
            others = [
                f"[{key}]" if isinstance(own, dict) else repr(key)
                for key, own in content.items()
            ]
            raise SchemaError(
                "Expected a domain that lists its columns, each under [[column]]. "
                f"Received {', '.join(others) or 'none'}. Write one [[column]] for "
                "each."
            )
        return cls.from_dict(content)

    def save(self, path: str | os.PathLike, *, force: bool = False) -> None:
        """Write this domain to a TOML file.

        Raises
        ------
        OutputError
            If the file exists and `force` is false, or cannot be written.
        """
        check_writable(path, force)
        write_files({path: self.to_toml().encode("utf-8")})

    @classmethod
    def load(cls, path: str | os.PathLike) -> Domain:
        """Read a domain from a TOML file; see `from_dict`."""
        return cls.from_toml(read_declared(path, "a domain"))


def as_domain(domain: Domain | Schema | Mapping | str | os.PathLike) -> Domain:
    """A domain, from whatever declares one.

    Parameters
    ----------
    domain : Domain, path, mapping or Schema
        A file as `Domain.load` reads it, or a mapping as `Domain.from_dict` does. A
        schema does not tell whether its values were read from the rows, and counts as
        if they were; `Domain.from_schema` takes the word of whoever wrote it.

    Raises
    ------
    SchemaError, ParameterError
    """
    if isinstance(domain, Domain):
        return domain
    if isinstance(domain, str | os.PathLike):
        return Domain.load(domain)
    if isinstance(domain, Mapping):
        return Domain.from_dict(domain)
    if isinstance(domain, Schema):
        return Domain.from_schema(domain, bins=10, from_data=True)
    raise ParameterError(
        "Expected a domain: a Domain, a file, a mapping or a Schema. Received one "
        f"of type {type(domain).__name__}. Declare the values of each column."
    )


def blank_domain(names: Iterable[str]) -> str:
    """A domain in TOML to be filled in by hand, with the names of the columns only."""
    return "\n".join([HEAD, *map(blank_block, names)])


# --- one column ---------------------------------------------------------------


def _listed(categories) -> dict:
    if not isinstance(categories, list | tuple):
        raise SchemaError(
            "Expected for each column a list of categories, or a mapping of low, high "
            f"and bins. Received {categories!r}. Write one of them."
        )
    return {"categories": list(categories)}


def _guess_from_rows(series: pd.Series, column: Column, bins: int) -> DomainColumn:
    values, is_there = None, cell_texts(series)[0] >= 0
    if not is_there.any():  # nobody fills it in
        mark = next(filter(None, column.missing or ()), "")
        return DomainColumn(name=column.name, categories=(), missing=mark)
    if column.kind in ("integer", "real"):
        values, missing = to_values(series, column)
        values = values[~missing]
    guessed = guess_column(column, bins, values)
    if not is_there.all():
        return replace(guessed, missing=guessed.missing or "")
    is_code = guessed.missing is not None and not column.missing
    return guessed if is_code else replace(guessed, missing=None, coerce=False)
