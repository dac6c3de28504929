"""What a column is like in all rows of a person, in a number or a category.

Rows that are told from the row before alone forget what came earlier: wages of ten
years ago would hardly go with those of today. So a person has a level in each column
in which rows of one person are more alike than those of different ones, and every row
is drawn given it. Of numbers it is the mean place of the person's rows among all rows
(of times around midnight in the order of `first_of_day`); of columns of two values the
share of the rows that have the second; of other categories the one that most of them
have, and so of whole numbers that are codes: rows of a person often have the same, and
those that differ are no nearer to each other than rows of two persons.

A mean of few rows is off by what rows differ in. Drawn as it is, and rows again around
it, rows of a person would be too much alike: those of two persons of two rows, drawn by
chance, would go together by a half. So what is drawn lies nearer to the mean of all, by
the square root of the share of its variance that is between persons (its reliability:
Kelley 1927), and the rows of a person go together on average as in the table. That of a
person whose rows are all the same is drawn as it is: those who stay where they are
would come as some who move. So is one whose rows know what is left of it: see
`level_rests`.
"""

from dataclasses import dataclass

import numpy as np

from coclust_synth.tables.column import LISTED_KINDS, Column
from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.atoms import are_values, learn_atoms
from coclust_synth.tables.parts.midnight import in_order
from coclust_synth.tables.parts.parts import CategoryParts, Parts
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.rows import count_values

# Two rows of a person are alike, beyond chance, by such a share at least. Of stays in
# hospital, which a patient has by chance, no column reaches it; of years of workers
# nearly all do.
_MIN_ALIKE = 0.1
#: Places are told in so many steps.
STEPS = 10_000
# Persons of fewer rows have none: two of three rows are much of their mean. Panels of
# four rows and fewer come out worse with levels, those of six and more better.
_MIN_ROWS_EACH = 6


@dataclass(frozen=True, eq=False)
class Level:
    """The level of each person in a column.

    Attributes
    ----------
    column : Column
        Of the same name.
    parts : Parts
        Of the levels that are drawn: each of 20 persons at least.
    drawn, held : (ndarray of int32, ndarray of float64 or None)
        Code and number of each person, as it is drawn and as rows depend on it; no
        number of a category.
    has_rests : bool
        Whether each row knows what is left of it.
    """

    column: Column
    parts: Parts
    drawn: tuple[np.ndarray, np.ndarray | None]
    held: tuple[np.ndarray, np.ndarray | None]
    has_rests: bool = False


def learn_level(evidence, name, comes_back=False):
    """The level of a column, or None where rows of a person are hardly alike in it.

    Parameters
    ----------
    evidence : Evidence
        Of persons.
    name : str
    comes_back : bool, default=False
        Whether k persons change it in either direction, if it has two values.

    Returns
    -------
    Level or None
    """
    j = evidence.coding.names.index(name)
    codes, parts = evidence.codes[:, j], evidence.coding.parts[j]
    column, n_present = evidence.coding.schema[name], parts.n_parts - parts.with_missing
    is_listed = column.kind in LISTED_KINDS and column.kind != "ordinal"
    person = evidence.persons.codes
    if is_listed and n_present > 2:
        return _usual(name, codes, parts.n_parts, person)
    if column.kind == "integer" and are_values(parts):
        if _are_codes(codes, n_present, person):
            return _usual(name, codes, parts.n_parts, person)
    place = np.argsort(in_order(parts.n_parts, n_present, evidence.first_code(name)))
    has_rests = comes_back and n_present == 2
    return _mean_place(name, place[codes], n_present, person, has_rests)


def _are_codes(codes, n_present, person):
    """Whether rows of a person often have the same number, and others are not alike.

    Besides the commonest number, as 0 of amounts that many have none of. Of quantities
    those that differ are near each other.
    """
    counts = np.bincount(codes, minlength=n_present)[:n_present]
    some = (codes < n_present) & (codes != counts.argmax())
    codes, person = codes[some], person[some]
    if not len(codes):
        return False
    counts[counts.argmax()] = 0
    off = np.cumsum(counts) - counts / 2 - len(codes) / 2
    keys, n_each = np.unique(person * n_present + codes, return_counts=True)
    n, total = np.bincount(person), np.bincount(person, off[codes])
    equal = n_each * (n_each - 1)
    n_pairs, n_equal = (n * (n - 1)).sum(), equal.sum()
    by_chance = ((counts / len(codes)) ** 2).sum()
    if n_equal - by_chance * n_pairs < _MIN_ALIKE * (1 - by_chance) * n_pairs:
        return False
    alike = (total**2).sum() - (off[codes] ** 2).sum()
    alike -= (equal * off[keys % n_present] ** 2).sum()
    n_differ, variance = n_pairs - n_equal, (off[codes] ** 2).mean()
    return n_differ > 0 and alike < _MIN_ALIKE * variance * n_differ


def _mean_place(name, codes, n_present, person, has_rests):
    """The level of numbers, whose codes are in order; further ones are missing."""
    known, n_rows = codes < n_present, np.bincount(person)
    counts = np.bincount(codes[known], minlength=n_present)
    place = (np.cumsum(counts) - counts / 2) / max(known.sum(), 1)
    place = np.arange(2.0) if n_present == 2 else place
    middle = counts @ place / max(known.sum(), 1)
    off = np.where(known, np.append(place, middle)[codes] - middle, 0.0)
    n, total = np.bincount(person, known), np.bincount(person, off)
    n_pairs = (n * (n - 1)).sum()
    variance = (off**2).sum() / max(known.sum(), 1)
    between = ((total**2).sum() - (off**2).sum()) / max(n_pairs, 1)
    if not variance or between < _MIN_ALIKE * variance:
        return None
    mean, missing = total / np.maximum(n, 1), (n == 0) | (n_rows < _MIN_ROWS_EACH)
    if missing.all():
        return None
    of_mean = between + (variance - between) / np.maximum(n, 1)
    stays = _stays(codes[known], person[known], len(n)) | has_rests
    share = np.where(stays, 1.0, np.sqrt(between / of_mean))
    drawn, held = (
        np.rint(STEPS * (middle + own)).astype(np.int64) for own in (share * mean, mean)
    )
    with_missing = bool(missing.any())
    parts = learn_atoms(
        count_values(drawn, missing), None, SteppedRuler(1), with_missing
    )
    if has_rests and _share_moved(parts, drawn, missing) > MAX_BROKEN:
        return _mean_place(name, codes, n_present, person, False)
    dtype = "Int64" if with_missing else "int64"
    column = Column(name=name, kind="integer", dtype=dtype, step=1, bounds=(0, STEPS))
    return Level(
        column,
        parts,
        *(
            (parts.encode(own, missing), np.where(missing, np.nan, own))
            for own in (drawn, held)
        ),
        has_rests=has_rests,
    )


def _share_moved(parts, drawn, missing):
    """Of the persons, those whose level is drawn as that of many others near it."""
    codes, own = parts.encode(drawn, missing)[~missing], drawn[~missing]
    return ((own < parts.lows[codes]) | (own > parts.highs[codes])).mean()


def _stays(codes, person, n_persons):
    """Whether the codes of a person are all the same, ndarray of bool."""
    lowest = np.full(n_persons, codes.max(initial=0))
    highest = np.zeros(n_persons, dtype=codes.dtype)
    np.minimum.at(lowest, person, codes)
    np.maximum.at(highest, person, codes)
    return lowest == highest


def _usual(name, codes, n_codes, person):
    """The level of categories: the code of most rows of a person, if there is one."""
    held = np.zeros((int(person.max()) + 1, n_codes), dtype=np.int64)
    np.add.at(held, (person, codes), 1)
    n, share = held.sum(axis=1), np.bincount(codes) / len(codes)
    alike = (held * (held - 1)).sum() / max((n * (n - 1)).sum(), 1)
    by_chance = (share**2).sum()
    if by_chance == 1 or alike - by_chance < _MIN_ALIKE * (1 - by_chance):
        return None
    most = held.max(axis=1)
    is_usual = (2 * most > n) & (n >= _MIN_ROWS_EACH)
    own = np.where(is_usual, held.argmax(axis=1), n_codes)  # the last one is none
    kept = np.flatnonzero(np.bincount(own, minlength=n_codes + 1) >= MIN_ROWS)
    if not (kept < n_codes).any():
        return None
    kept = np.union1d(kept, [n_codes])
    own = np.where(np.isin(own, kept), own, n_codes)
    categories = tuple(map(str, kept.tolist()))
    column = Column(name=name, kind="categorical", dtype="str", categories=categories)
    parts = CategoryParts(categories, tuple(range(len(kept))), False)
    of_persons = np.searchsorted(kept, own).astype(np.int32), None
    return Level(column, parts, of_persons, of_persons)
