r"""What two releases of overlapping people give away together.

k-anonymity holds of each release by itself. Somebody who is in both is in a class of
either, and who has both tables can look for what fits both. Three attacks are tried:

order       Both tables have as many rows, and every row fits the row at its place: then
            they may be in the same order, and rows can be joined by their place
            (unsorted matching [1]_). The classes are those of both tables together.
values      Columns that both release as they are, such as a sensitive one, link rows
            (complementary releases; a table before and after, the temporal attack
            [1]_). Of a class a of the first and a class b of the second that one person
            may be in both of, only those rows are left whose values the other has too.
difference  All people of one table may be in the other, as after an update. Where the
            people of classes a_1, a_2, ... can be in b only, the others of b are those
            that are new: |b| - |a_1| - |a_2| - ... of them.

A person may be in both of two classes if the labels have a value in common in every
column that both tables have. What labels stand for is read from the files beside the
tables; of a table without, any two labels are taken to fit, which can only find more.

The smallest number of rows that is left is compared with k. It is a worst case: that a
person is in such a pair of classes at all, these tables do not tell. It is about the
quasi-identifiers, and labels that stand for the values of their rows: of a perturbed
row nothing follows. Suppressed rows are left out, and persons of several rows are taken
for several people.

References
----------
.. [1] L. Sweeney, "k-anonymity: a model for protecting privacy", International Journal
   on Uncertainty, Fuzziness and Knowledge-based Systems 10, 2002, section 4.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype, is_numeric_dtype
from scipy import sparse

from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy.classes import code_values, count_matrix, equivalence_classes
from coclust_synth.tables.generalized.table import GeneralizedTable
from coclust_synth.tables.reading.infer import check_table
from coclust_synth.tables.reading.texts.cells import cell_text
from coclust_synth.tables.rows import collapse
from coclust_synth.tables.schema import unknown_column
from coclust_synth.validation import check_integer

_MAX_PAIRS = 2**22  # classes of both tables that are looked at together


class Attack(NamedTuple):
    """What one attack leaves of the people who are in both releases.

    Attributes
    ----------
    name : str
    applies : bool
        Whether what it takes is so, as far as the tables tell.
    why : str
        Why it applies, or does not.
    left : int or None
        Fewest rows that are left; None where it does not apply, or finds nothing.
    """

    name: str
    applies: bool
    why: str
    left: int | None = None


@dataclass(frozen=True)
class TwoReleases:
    """What `check_two_releases` found.

    Attributes
    ----------
    n_rows, k : (int, int)
        Of each release: its rows, and those of its smallest class.
    asked : int
        The k that is asked of both together.
    quasi_identifiers : tuple of str
        Of either.
    linking : tuple of str
        Columns that both release as they are.
    attacks : tuple of Attack
    values_left : dict of str to int
        Of each sensitive column of both, the fewest values that a class of one and a
        class of the other have in common, where they have one.
    """

    n_rows: tuple[int, int]
    k: tuple[int, int]
    asked: int
    quasi_identifiers: tuple[str, ...]
    linking: tuple[str, ...]
    attacks: tuple[Attack, ...]
    values_left: dict[str, int]

    @property
    def left(self) -> int:
        """Fewest rows that any attack leaves, or that a class of either release has."""
        found = (own.left for own in self.attacks if own.left is not None)
        return min(*self.k, *found)

    @property
    def holds(self) -> bool:
        """Whether every attack leaves k rows or more."""
        return self.left >= self.asked


def check_two_releases(
    first: GeneralizedTable | pd.DataFrame,
    second: GeneralizedTable | pd.DataFrame,
    quasi_identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    *,
    k: int | None = None,
) -> TwoReleases:
    """Measure what two releases of overlapping people give away together.

    Parameters
    ----------
    first, second : GeneralizedTable or DataFrame
        Rows in the order in which they are released.
    quasi_identifiers : sequence of str, optional
        Of a DataFrame; those of a GeneralizedTable are its generalised columns, and
        these too.
    sensitive : sequence of str, optional
        Columns of both, of whose values it is told how many are left.
    k : int, optional
        Rows that every attack must leave; by default the smaller k of the two.

    Returns
    -------
    TwoReleases

    Raises
    ------
    ParameterError
        If a column is not there, or a table has no quasi-identifier.
    TableError
        If a table has fewer than two rows.

    Examples
    --------
    Twelve people by race and ZIP code, released twice in the same order [1]_:

    >>> zips = ["02138", "02139", "02141", "02142"] * 3
    >>> races = [race for race in ("Asian", "Black", "White") for _ in range(4)]
    >>> one = pd.DataFrame({"race": "person", "zip": zips})
    >>> two = pd.DataFrame({"race": races, "zip": [code[:4] + "*" for code in zips]})
    >>> check = check_two_releases(one, two, ["race", "zip"])
    >>> check.k, check.left, check.holds
    ((3, 2), 1, False)
    """
    if k is not None:
        check_integer("k", k, minimum=1)
    known = {**dict.fromkeys(_columns(first)), **dict.fromkeys(_columns(second))}
    for name in quasi_identifiers:
        if name not in known:
            raise ParameterError(unknown_column(name, tuple(known), "the releases"))
    one = _Published.of(first, quasi_identifiers)
    other = _Published.of(second, quasi_identifiers)
    tables = one, other
    names = tuple(dict.fromkeys((*one.names, *other.names)))
    common = [name for name in one.frame if name in other.frame]
    for name in sensitive:
        if name not in common or name in names:
            raise ParameterError(unknown_column(name, tuple(common), "both releases"))
    linking = tuple(name for name in common if name not in names)
    fits = [_Fits.of(one, other, name) for name in common if name in names]
    linked = _codes_of(one, other, linking) if linking else None
    pairs = _Pairs(tables, fits, linked)
    k_one, k_other = (int(min(own[own > 0], default=0)) for own in pairs.sizes)
    order = _by_order(tables, fits, linked)
    return TwoReleases(
        n_rows=(len(one.frame), len(other.frame)),
        k=(k_one, k_other),
        asked=min(k_one, k_other) if k is None else k,
        quasi_identifiers=names,
        linking=linking,
        attacks=(order, _by_values(pairs, linking), _by_difference(pairs)),
        values_left={name: _values_left(tables, pairs, name) for name in sensitive},
    )


# --- the tables -----------------------------------------------------------------


def _columns(table):
    return table.order if isinstance(table, GeneralizedTable) else table.columns


@dataclass(frozen=True, eq=False)
class _Published:
    """A table as it is released, and its classes."""

    frame: pd.DataFrame
    names: tuple[str, ...]
    classes: NDArray[np.int64]
    kept: NDArray[np.bool_]
    labels: GeneralizedTable | None

    @classmethod
    def of(cls, table, quasi_identifiers):
        labels = table if isinstance(table, GeneralizedTable) else None
        frame = table if labels is None else table.to_frame()
        check_table(frame)
        own = () if labels is None else labels.names
        names = (*own, *(name for name in quasi_identifiers if name not in own))
        names = tuple(name for name in names if name in frame)
        if not names:
            raise ParameterError(
                "Expected at least one quasi-identifier in each release. Received none "
                f"among {', '.join(map(repr, frame.columns))}. Name the columns that "
                "somebody may know of a person."
            )
        classes = equivalence_classes(frame, names).codes
        kept = np.ones(len(frame), bool) if labels is None else ~labels.suppressed
        return cls(frame.reset_index(drop=True), names, classes, kept, labels)

    def column(self, name):
        """Label of each row, and the values of each; None where nobody says them."""
        if self.labels is not None and name in self.labels.names:
            own = self.labels[name]
            return own.codes, (sparse.csr_array(own.members.astype(int)), own.leaves)
        coded = code_values(self.frame[name])
        if self.labels is None:
            return coded.codes, None
        n = len(coded.values)
        return coded.codes, (sparse.eye_array(n, dtype=int, format="csr"), coded.values)


class _Fits(NamedTuple):
    """Labels of a column of both tables, and which of them one value may have.

    Attributes
    ----------
    codes : (ndarray, ndarray)
        Label of each row of either table.
    may_meet : ndarray of bool, shape (n_labels_first, n_labels_second)
    """

    codes: tuple[NDArray[np.int64], NDArray[np.int64]]
    may_meet: NDArray[np.bool_]

    @classmethod
    def of(cls, first, second, name):
        codes, sets = zip(first.column(name), second.column(name), strict=True)
        if None in sets:
            shape = [int(own.max()) + 1 for own in codes]
            return cls(codes, np.ones(shape, dtype=bool))
        (ours, leaves), (theirs, others) = sets
        place = {leaf: i for i, leaf in enumerate(leaves)}
        shared = [(place[leaf], j) for j, leaf in enumerate(others) if leaf in place]
        left, right = np.array(shared, dtype=np.int64).reshape(-1, 2).T
        return cls(codes, (ours[:, left] @ theirs[:, right].T).toarray() > 0)


class _Pairs:
    """Classes of both tables, a few of the first with all of the second at a time."""

    def __init__(self, tables, fits, linked):
        self.linked = linked
        self.classes = [own.classes for own in tables]
        self.kept = [own.kept for own in tables]
        self.n = [int(own.max()) + 1 for own in self.classes]
        first = [np.unique(own, return_index=True)[1] for own in self.classes]
        self.fits = [
            (own.may_meet, own.codes[0][first[0]], own.codes[1][first[1]])
            for own in fits
        ]

    @property
    def sizes(self):
        """Rows of each class of both tables; 0 for the suppressed ones."""
        return [
            np.bincount(classes[kept], minlength=n)
            for classes, kept, n in zip(self.classes, self.kept, self.n, strict=True)
        ]

    def blocks(self):
        """Positions of some classes of the first, and which of the second they meet."""
        sizes, step = self.sizes, max(1, _MAX_PAIRS // self.n[1])
        for start in range(0, self.n[0], step):
            chosen = np.arange(start, min(start + step, self.n[0]))
            meet = (sizes[0][chosen] > 0)[:, np.newaxis] & (sizes[1] > 0)
            for may_meet, ours, theirs in self.fits:
                meet &= may_meet[np.ix_(ours[chosen], theirs)]
            yield chosen, meet

    def counts(self, codes):
        """Rows of each class, of both tables, that have each code."""
        n_codes = 1 + max(int(own.max()) for own in codes)
        each = zip(self.classes, self.kept, codes, self.n, strict=True)
        return [
            count_matrix(classes[kept], own[kept], (n, n_codes))
            for classes, kept, own, n in each
        ]


def _codes_of(first, second, names):
    """The values of both tables in some columns, equal ones by the same number."""
    tables = [own.frame[list(names)] for own in (first, second)]
    for name in names:
        if len({is_numeric_dtype(own[name]) for own in tables}) > 1:
            # What reads as numbers in one file may be texts in the other.
            tables = [own.assign(**{name: _texts(own[name])}) for own in tables]
    both = pd.concat(tables)
    codes = equivalence_classes(both, names).codes
    return codes[: len(first.frame)], codes[len(first.frame) :]


def _texts(series):
    """Values as their file has them: 1 is no 1.0 for a missing one beside it."""
    if is_numeric_dtype(series) and not is_bool_dtype(series):
        return [cell_text(value) for value in series]
    return series.astype(str).astype(object).where(series.notna(), None)


# --- the attacks ----------------------------------------------------------------


def _by_order(tables, fits, linked):
    n = [len(own.frame) for own in tables]
    if n[0] != n[1]:
        return Attack("order", False, "the tables have different numbers of rows")
    kept = tables[0].kept & tables[1].kept
    apart = np.zeros(n[0], dtype=bool)
    for own in fits:
        apart |= ~own.may_meet[own.codes]
    if linked is not None:
        apart |= linked[0] != linked[1]
    if apart[kept].any():
        places = f"the rows at {apart[kept].sum():,} places cannot be of one person"
        return Attack("order", False, places)
    if not kept.any() or not (fits or linked is not None):
        return Attack("order", False, "the tables have no column in common")
    classes = np.column_stack([own.classes[kept] for own in tables])
    rows, _ = collapse(classes, classes.max(axis=0) + 1)
    why = "the rows at every place may be of one person"
    return Attack("order", True, why, int(rows.counts.min()))


def _by_values(pairs, linking):
    if pairs.linked is None:
        return Attack("values", False, "no column is released as it is in both")
    counts = pairs.counts(pairs.linked)
    held = [(own > 0).astype(np.int64) for own in counts]
    fewest = []
    for chosen, meet in pairs.blocks():
        ours = (counts[0][chosen] @ held[1].T).toarray()
        theirs = (held[0][chosen] @ counts[1].T).toarray()
        left = np.minimum(ours, theirs)[meet & (ours > 0)]
        fewest += [int(left.min())] if len(left) else []
    why = f"linked by {', '.join(linking)}"
    if not fewest:
        return Attack("values", True, f"{why}: no row of one fits a row of the other")
    return Attack("values", True, why, min(fewest))


def _by_difference(pairs):
    """People who are in one table only, where those of the other are all in it."""
    sizes = pairs.sizes
    meets = np.zeros(pairs.n, dtype=bool)
    for chosen, meet in pairs.blocks():
        meets[chosen] = meet
    counts = None if pairs.linked is None else pairs.counts(pairs.linked)
    found = []
    for one, other in ((0, 1), (1, 0)):
        left = _rest(meets if one == 0 else meets.T, sizes[one], sizes[other])
        if left is None or not _are_among(meets, counts, one):
            continue
        found += left[left > 0].tolist()
    if not found:
        why = (
            "no class holds all people of classes of the other table and new ones "
            "besides"
        )
        return Attack("difference", False, why)
    why = "the people of one table may all be in the other, whose other rows are new"
    return Attack("difference", True, why, int(min(found)))


def _rest(meets, inner, outer):
    """Rows that each class of the outer table has beside those that must be in it.

    None if that cannot be: a class of the inner table has no place in the outer one, or
    more rows must be in a class than it has. 0 for classes that none must be in.
    """
    if inner.sum() > outer.sum() or not meets[inner > 0].any(axis=1).all():
        return None
    alone = np.flatnonzero(meets.sum(axis=1) == 1)
    inside = np.bincount(
        meets[alone].argmax(axis=1), weights=inner[alone], minlength=len(outer)
    ).astype(np.int64)
    if (inside > outer).any():
        return None
    return np.where(inside > 0, outer - inside, 0)


def _are_among(meets, counts, one):
    """Whether rows that must be in a class of the other have values that it has."""
    if counts is None:
        return True
    meets = meets if one == 0 else meets.T
    inner, outer = counts[one], counts[1 - one]
    alone = np.flatnonzero(meets.sum(axis=1) == 1)
    gather = sparse.csr_array(
        (np.ones(len(alone), np.int64), (meets[alone].argmax(axis=1), alone)),
        shape=(outer.shape[0], inner.shape[0]),
    )
    beyond = gather @ inner - outer
    return not (beyond > 0).nnz


def _values_left(tables, pairs, name):
    """Fewest values of a column that two classes of one person have in common."""
    held = [
        (own > 0).astype(np.int64) for own in pairs.counts(_codes_of(*tables, [name]))
    ]
    fewest = []
    for chosen, meet in pairs.blocks():
        common = (held[0][chosen] @ held[1].T).toarray()[meet]
        fewest += [int(common[common > 0].min())] if common.any() else []
    return min(fewest, default=0)
