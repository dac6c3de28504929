"""A first draft of a table's domain, read from its rows, to be corrected by hand."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import pandas as pd

from coclust_synth.exceptions import (
    DataWarning,
    SchemaError,
    TableError,
    no_data_warnings,
)
from coclust_synth.tables.domain.column import DomainColumn
from coclust_synth.tables.domain.domain import Domain
from coclust_synth.tables.domain.text import (
    FROM_DATA,
    HEAD,
    column_block,
    commented_block,
)
from coclust_synth.tables.reading.infer import check_table, parse_text


@dataclass(frozen=True)
class DomainDraft:
    """What could be read of each column, or why it could not.

    Attributes
    ----------
    columns : mapping of name to DomainColumn or str
        In the order of the table; a str is the reason why a column is not declared.
    """

    columns: Mapping[str, DomainColumn | str]

    @property
    def left_out(self) -> dict[str, str]:
        """The reason of each column that is not declared."""
        return {k: v for k, v in self.columns.items() if isinstance(v, str)}

    def to_domain(self) -> Domain:
        """The domain of the columns that are declared; `from_data` is true.

        Raises
        ------
        SchemaError
            If none is.

        Warns
        -----
        DataWarning
            If some are not.
        """
        if self.left_out:
            warnings.warn(
                "Expected columns whose domain can be read from the rows. Received "
                f"others, left out: {', '.join(self.left_out)}. Declare them by hand.",
                DataWarning,
                stacklevel=2,
            )
        declared = (c for c in self.columns.values() if isinstance(c, DomainColumn))
        return Domain(tuple(declared), from_data=True)

    def to_toml(self) -> str:
        """The domain as TOML, with a comment for each column that is not declared."""
        blocks = [
            commented_block(name, found)
            if isinstance(found, str)
            else column_block(found)
            for name, found in self.columns.items()
        ]
        label = f"# {FROM_DATA.capitalize()}.\nfrom_data = true\n"
        return "\n".join([HEAD, label, *blocks])


def draft_domain(
    texts: pd.DataFrame, *, bins: int = 10, keep: Collection[str] = ()
) -> DomainDraft:
    """Read the domain of each column of a table from its rows, one by one.

    Parameters
    ----------
    texts : DataFrame of str or None
        As `read_texts` gives it; at least two rows.
    bins : int, default=10
        Intervals of each column of numbers or dates; fewer where it has fewer values.
    keep : collection of str, default=()
        Columns to declare although they look like identifiers or free text.

    Raises
    ------
    TableError
        If it is no table.
    """
    check_table(texts)
    return DomainDraft(
        {
            name: _draft_column(texts[[name]], bins, judged=name not in keep)
            for name in texts.columns
        }
    )


def _draft_column(
    texts: pd.DataFrame, bins: int, *, judged: bool
) -> DomainColumn | str:
    with no_data_warnings():
        try:
            frame, schema = parse_text(texts.fillna(""))
            (column,) = schema.columns
            if column.treatment == "undecided" and judged:
                return _reason(column)
            return Domain.from_frame(frame, schema, bins=bins).columns[0]
        except (SchemaError, TableError) as error:
            return str(error)


def _reason(column) -> str:
    reason = f"Not declared: {column.reason}."
    if column.role == "identifier":
        option = f"--person-id {shlex.quote(column.name)}"
        reason += f"\nIf it names persons, give `dp` {option}."
    return reason
