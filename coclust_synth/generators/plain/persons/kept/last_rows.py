"""What only last rows of persons have, or no last row: an end that is open, a death."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.relations import Never
from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.kept import Rule, Rules
from coclust_synth.tables.rules.values.combinations import Combinations, exclusions
from coclust_synth.tables.rules.values.pairs import Pair

# Bins of numbers of rows: the last one, and others.
LAST, OTHERS = 0, 1
_NOT = "is not "


@dataclass(frozen=True, eq=False)
class LastRows:
    """What of a column no other rows have than last ones, or none of these.

    Attributes
    ----------
    column : str
    allowed : ndarray of bool, shape (2, n_bins)
        Bins that last rows may have, then those that others may have.
    only, never : tuple of str
        What only last rows have, and what they never have, in words.
    whose : str
        Rows these are, in words.
    """

    column: str
    allowed: NDArray[np.bool_]
    only: tuple[str, ...]
    never: tuple[str, ...]
    whose: str

    @property
    def said(self) -> tuple[str, ...]:
        """In words."""
        last = f"last row of {self.whose}"
        only = (f"{self.column} {what} in the {last} only" for what in self.only)
        never = (
            f"{self.column} is {what.removeprefix(_NOT)} in the {last}"
            if what.startswith(_NOT)
            else f"{self.column} {what} in no {last}"
            for what in self.never
        )
        return *only, *never


def bins_of_last(parts: AtomParts) -> NDArray[np.int32]:
    """Bins of numbers of rows that are to come, one being the last one.

    Parameters
    ----------
    parts : AtomParts
        Of such numbers.

    Returns
    -------
    ndarray of int32, shape (n_parts,)
        All zeros where a run holds one and others.
    """
    is_last = parts.highs <= 1
    if not is_last.any() or (parts.lows[~is_last] <= 1).any():
        return np.zeros(parts.n_parts, dtype=np.int32)
    return np.where(is_last, LAST, OTHERS).astype(np.int32)


def find_last_rows(
    evidence: Evidence,
    number: str,
    names: Sequence[str],
    k: int,
    whose: str,
    ends: Mapping[str, NDArray[np.int32]],
) -> tuple[LastRows, ...]:
    """What of some columns goes with last rows, or with others.

    As combinations that never occur are found, see `exclusions`: k persons have each
    side. Of numbers and dates only that they are missing, or not, is looked at.

    Parameters
    ----------
    evidence : Evidence
        Of rows of persons.
    number : str
        Of rows that are to come with each row, in `bins_of_last`.
    names : sequence of str
    k : int
    whose : str
        Rows these are, in words.
    ends : mapping of str to ndarray of int32
        Bins of columns of categories from which nothing could tell a next row.
    """
    index, found = evidence.coding.names.index, []
    if evidence.n_bins[index(number)] < 2:
        return ()
    for name in names:
        pair = Pair.of(index(number), index(name), evidence)
        rule, said = exclusions(pair, k), _labels(evidence, index(name))
        allowed = np.ones(pair.together.shape, dtype=bool)
        if rule is not None:
            allowed = rule.allowed.copy()
        allowed[OTHERS, ends.get(name, [])] = False
        if isinstance(evidence.coding.parts[index(name)], AtomParts):
            allowed = _missing_or_not(allowed, evidence.missing.get(index(name)))
        only, never = (
            tuple(said[b] for b in np.flatnonzero(~allowed[row]) if b in said)
            for row in (OTHERS, LAST)
        )
        if not allowed.all():
            found.append(LastRows(name, allowed, only, never, whose))
    return tuple(found)


def with_last_rows(
    rules: Rules, evidence: Evidence, number: str, last_rows: Sequence[LastRows]
) -> Rules:
    """Rules, and that rows have what goes with their place.

    What some rows break is left out.

    Parameters
    ----------
    rules : Rules
        Of the columns of `evidence`.
    evidence : Evidence
    number : str
        Of rows that are to come with each row, in `bins_of_last`.
    last_rows : sequence of LastRows
    """
    index, found, combinations = evidence.coding.names.index, [], []
    for own in last_rows:
        first, second = index(number), index(own.column)
        met = Pair.of(first, second, evidence).together
        if met.shape == own.allowed.shape and not met[~own.allowed].any():
            found.append(
                Rule(
                    Never(number, own.column, said=", ".join(own.said)),
                    rows=len(evidence.codes),
                    individuals=evidence.n_individuals,
                )
            )
            combinations.append(Combinations(first, second, own.allowed, False))
    return replace(
        rules,
        all=(*rules.all, *found),
        combinations=(*rules.combinations, *combinations),
    )


def _missing_or_not(allowed, missing):
    """Of numbers, what is said of all of them, or of missing ones."""
    kept = np.ones_like(allowed)
    if missing is not None:
        kept[:, missing] = allowed[:, missing]
        present = np.arange(allowed.shape[1]) != missing
        kept[:, present] = allowed[:, present].any(axis=1)[:, None]
    return kept


def _labels(evidence, j):
    """What a bin of a column says, by bin; of numbers that they are missing or not."""
    parts, missing = evidence.coding.parts[j], evidence.missing.get(j)
    none = evidence.coding.schema.columns[j].no_date or "missing"
    said = {} if missing is None else {missing: f"is {none}"}
    if isinstance(parts, AtomParts):
        present = next((b for b in range(evidence.n_bins[j]) if b != missing), None)
        return said if present is None else said | {present: f"{_NOT}{none}"}
    return {b: f"= {label}" for b, label in enumerate(parts.labels)} | said
