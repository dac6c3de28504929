"""What an evaluation found; `coclust_synth.evaluation.evaluating`."""

import html
import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coclust_synth._version import __version__
from coclust_synth.evaluation.comparing.scores import Figure
from coclust_synth.evaluation.measures import INDIVIDUALS
from coclust_synth.exceptions import ModelFileError
from coclust_synth.tables.showing import counted

FORMAT, VERSION = "coclust_synth evaluation", 1


class Score(NamedTuple):
    """One figure of a release, beside what it can be.

    Attributes
    ----------
    name : str
        A key of `coclust_synth.evaluation.measures.MEASURES`.
    group : {"utility", "risk"}
    columns : tuple of str
        What it is about; () for the whole table.
    value : float
        nan where it was not measured; `note` says why.
    unit, direction : str
    low, high : float
        95 % interval; nan where there is none.
    floor_fresh, ceiling_bootstrap, floor_independent : float
        The same figure of fresh rows, of a bootstrap copy of the real rows, and of
        independent columns; nan where it was not measured.
    note : str
    """

    name: str
    group: str
    columns: tuple[str, ...]
    value: float
    unit: str
    direction: str
    low: float = math.nan
    high: float = math.nan
    floor_fresh: float = math.nan
    ceiling_bootstrap: float = math.nan
    floor_independent: float = math.nan
    note: str = ""

    @property
    def figure(self) -> Figure:
        """The figure without what it is compared with."""
        return Figure(self.value, self.low, self.high, self.note)

    @property
    def is_measured(self) -> bool:
        """Whether there is a figure."""
        return not math.isnan(self.value)


class Finding(NamedTuple):
    """Something that whoever releases the table must know.

    Attributes
    ----------
    kind : str
        ``copies``, ``columns``, ``independent``, ``missing``, ``rules``, ``values``,
        ``totals`` or ``holdout``.
    text : str
        A sentence or two, with the figures.
    """

    kind: str
    text: str


@dataclass(frozen=True)
class Facts:
    """What was compared.

    Attributes
    ----------
    n_real, n_released : int
        Rows.
    n_holdout : int or None
    columns : dict of str to str
        Names and kinds of the columns compared.
    left_out : dict of str to str
        Other columns of the real table, and why they are not.
    is_generalized : bool
        Whether the release holds labels, and values were drawn from them.
    random_state : int
    quasi_identifiers : tuple of str
        Columns that somebody is taken to know of a person; none if no class was looked
        at.
    counted : {"individuals", "persons", "rows"}
        Who the figures of classes are of: rows, each of a person of its own; persons;
        or rows of which several can be one person's.
    made : dict of str to tuple of str
        Which of the columns are numbers in texts, by the name of these, see
        `coclust_synth.evaluation.comparing.unfolded`.
    """

    n_real: int
    n_released: int
    n_holdout: int | None
    columns: dict[str, str]
    left_out: dict[str, str]
    is_generalized: bool
    random_state: int
    quasi_identifiers: tuple[str, ...] = ()
    counted: str = INDIVIDUALS
    made: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def n_columns(self) -> int:
        """How many columns of the real table are compared."""
        made = {name for names in self.made.values() for name in names}
        return len({*self.columns, *self.made} - made)


class ColumnShares(NamedTuple):
    """Shares of the parts of a column in the real and in the released rows."""

    labels: tuple[str, ...]
    real: NDArray[np.float64]
    released: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Details:
    """What pictures and tables of an evaluation are made from.

    Attributes
    ----------
    columns : dict of str to ColumnShares
    pairs : ndarray of shape (d, d)
        Total variation of each pair of columns, of single ones on the diagonal.
    cells : DataFrame
        See `coclust_synth.evaluation.utility.distances.worst_cells`.
    rules : DataFrame
        ``rule``, and the shares of rows that break it: ``real``, ``released``,
        ``fresh``, ``independent``.
    """

    columns: dict[str, ColumnShares]
    pairs: NDArray[np.float64]
    cells: pd.DataFrame
    rules: pd.DataFrame


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """All figures of a release, what stands out, and what pictures are made from.

    Attributes
    ----------
    scores : tuple of Score
    facts : Facts
    details : Details
    findings : tuple of Finding
        Empty where nothing stands out, which proves nothing.
    """

    scores: tuple[Score, ...]
    facts: Facts
    details: Details
    findings: tuple[Finding, ...]

    def __getitem__(self, key: str | tuple[str, ...]) -> Score:
        """A score by its name, or by its name and its columns."""
        name, *columns = (key,) if isinstance(key, str) else key
        for score in self.scores:
            if (score.name, score.columns) == (name, tuple(columns)):
                return score
        raise KeyError(key)

    def of_columns(self, name: str) -> list[Score]:
        """The scores of single columns under a name."""
        return [s for s in self.scores if s.name == name and s.columns]

    def to_frame(self) -> pd.DataFrame:
        """A row for each score; its columns between commas."""
        frame = pd.DataFrame(self.scores, columns=Score._fields)
        return frame.assign(columns=frame["columns"].map(", ".join))

    def to_dict(self) -> dict[str, Any]:
        """JSON compatible form; what was not measured is None."""
        return {
            "format": FORMAT,
            "format_version": VERSION,
            "software": {"coclust_synth": __version__},
            "facts": _told_facts(self.facts),
            "findings": [finding._asdict() for finding in self.findings],
            "scores": [_finite(score._asdict()) for score in self.scores],
            "rules": [_finite(rule) for rule in self.details.rules.to_dict("records")],
            "worst_cells": self.details.cells.to_dict("records"),
            "pairs": {
                "columns": list(self.details.columns),
                "total_variation": self.details.pairs.round(6).tolist(),
            },
            "shares": {
                name: {
                    "labels": list(own.labels),
                    "real": own.real.tolist(),
                    "released": own.released.tolist(),
                }
                for name, own in self.details.columns.items()
            },
            "confidential": "computed on the real table: as confidential as it is",
        }

    @classmethod
    def from_dict(cls, content: Any) -> "Evaluation":
        """The evaluation that `to_dict` described.

        Parameters
        ----------
        content : dict
            JSON types. Distances of pairs have six decimals.

        Raises
        ------
        ModelFileError
            If this is no evaluation, or one of another version.
        """
        found = content.get("format") if isinstance(content, dict) else content
        if found != FORMAT:
            raise ModelFileError(
                f"Expected an evaluation (format {FORMAT!r}). Received "
                f"{str(found)[:80]!r}. Give the evaluation.json of `evaluate`."
            )
        if content.get("format_version") != VERSION:
            raise ModelFileError(
                f"Expected an evaluation of format version {VERSION}. Received version "
                f"{content.get('format_version')!r}. Evaluate the release again, or "
                "install the coclust_synth that wrote it."
            )
        try:
            return cls(
                tuple(_score(own) for own in content["scores"]),
                _facts(content["facts"]),
                _details(content),
                tuple(Finding(**own) for own in content["findings"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ModelFileError(
                "Expected the scores, facts and findings of an evaluation. Received "
                f"a content that does not read ({type(error).__name__}: {error}). "
                "Give the file as it was written."
            ) from None

    def __repr__(self) -> str:
        told = sum(score.is_measured for score in self.scores)
        return (
            f"<Evaluation of {counted(self.facts.n_released, 'row')} x "
            f"{counted(self.facts.n_columns, 'column')}: {counted(told, 'figure')}, "
            f"{counted(len(self.findings), 'finding')}>"
        )

    def _repr_html_(self) -> str:
        told = "".join(f"<li>{html.escape(f.text)}</li>" for f in self.findings)
        whole = [s for s in self.scores if s.is_measured and not s.columns]
        frame = pd.DataFrame(whole, columns=Score._fields).drop(columns="columns")
        return f"<ul>{told}</ul>{frame.to_html(index=False, float_format='%.4g')}"


def _finite(record):
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in record.items()
    }


def _score(record):
    numbers = {
        name: math.nan if record[name] is None else float(record[name])
        for name, kind in Score.__annotations__.items()
        if kind is float
    }
    return Score(**record | numbers | {"columns": tuple(record["columns"])})


def _told_facts(facts):
    """The facts; who is counted where that is not each row, and what is made if any."""
    told = dict(vars(facts))
    if facts.counted == INDIVIDUALS:
        del told["counted"]
    if not facts.made:
        del told["made"]
    return told


def _facts(record):
    made = {name: tuple(own) for name, own in record.get("made", {}).items()}
    known = tuple(record["quasi_identifiers"])
    return Facts(**record | {"quasi_identifiers": known, "made": made})


def _details(content):
    columns = {
        name: ColumnShares(
            tuple(own["labels"]), np.array(own["real"]), np.array(own["released"])
        )
        for name, own in content["shares"].items()
    }
    cells = [
        own | {"columns": tuple(own["columns"]), "values": tuple(own["values"])}
        for own in content["worst_cells"]
    ]
    rules = pd.DataFrame(content["rules"], columns=_OF_RULES)
    shares = rules.columns.drop(["rule", "columns"])
    rules[shares] = rules[shares].astype(float)
    rules["columns"] = rules["columns"].map(tuple)
    return Details(
        columns,
        np.array(content["pairs"]["total_variation"]),
        pd.DataFrame(cells, columns=_OF_CELLS),
        rules,
    )


_OF_RULES = ["rule", "columns", "real", "released", "fresh", "independent"]
_OF_CELLS = ["columns", "values", "real", "released"]
