"""k-anonymous tables by local suppression: single cells are left out, others stay."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from numbers import Real

import numpy as np

from coclust_synth.baselines.class_labels import check_label_memory
from coclust_synth.baselines.suppression.search import (
    cells_of_sets,
    cells_until_agreeing,
    fewest_agreeing,
    give_back,
    smallest_class,
    suppressed_cells,
)
from coclust_synth.exceptions import ParameterError, SchemaError
from coclust_synth.generators.kanon.anonymizer import KAnonymizer, Recoded
from coclust_synth.tables.column import ORDERED_KINDS
from coclust_synth.tables.generalized.column import GeneralizedColumn
from coclust_synth.tables.hierarchies.columns import code_leaves
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.rows import collapse
from coclust_synth.tables.schema import unknown_column
from coclust_synth.validation import check_choice

READINGS = ("value", "any")


@dataclass(eq=False, repr=False, kw_only=True)
class LocalSuppression(KAnonymizer):
    """k-anonymous tables in which single cells are suppressed, as few as can be found.

    Every cell is released as it is or as ``*``, which stands for all values of its
    column. A suppressed cell costs one over the importance of its column, and the sum
    of these costs is made small. A missing value is a value, and not a suppressed one.

    A suppressed cell counts as a value of its own: each row reads exactly like k - 1
    others. Whoever knows all quasi-identifiers of a person finds at least k rows that
    can be this person's, and cannot tell them apart. In ``localSuppression`` of
    sdcMicro a suppressed cell agrees with every value, and each row has to agree with
    k: ``suppressed_as="any"`` counts in this way. **This is not k-anonymity**: k - 1
    rows without any value agree with everybody, and somebody whose row was left as it
    is may be the only one who fits it. `fewest_fitting_` says how few rows fit a person
    of the table.

    `HybridKAnonymizer` says what k-anonymity leaves unprotected. Which cells are
    suppressed depends on the rows: a suppressed cell shows that its value is rare
    beside those that are left.

    Parameters
    ----------
    k : int
        Rows of each class, at least, and with `person_id` different persons; from 2 to
        their number.
    importance : mapping of column name to float, or sequence of names, optional
        As in sdcMicro, 1 is the most important: a suppressed cell of a column of
        importance r counts 1 / r, with r > 0. Names in a sequence have 1, 2, 3, ...;
        columns that are left out have one more than the largest. By default all have 1,
        so that the number of suppressed cells is made small.
    key_sets : sequence of int or sequence of str, optional
        Sets of quasi-identifiers, each of which is to be k-anonymous. A number stands
        for all sets of so many, like ``combs`` of sdcMicro. By default one set, of all
        quasi-identifiers: it implies all others.
    suppressed_as : {"value", "any"}, default="value"
        What a suppressed cell counts as. ``"any"`` follows the rule of sdcMicro, and
        restores what that suppresses in excess; each row counts as a person.
    quasi_identifiers, sensitive, sensitive_values, others, person_id
        As of `HybridKAnonymizer`.

    Attributes
    ----------
    release_, classes_, report_, roles_
        As of `KAnonymizer`. Classes are those of all quasi-identifiers together, and
        can be smaller than k if `key_sets` or ``"any"`` ask for less. A row in which
        all cells are suppressed is in a class like any other.
    k_by_set_ : dict of tuple of str to int
        The k that was reached for each set of keys, counted in the release.
    n_suppressed_ : dict of str to int
        Suppressed cells of each quasi-identifier.
    fewest_fitting_ : int or None
        Rows of the release that fit a person whose quasi-identifiers are all known, for
        the person whom fewest rows fit. None if all quasi-identifiers together are
        k-anonymous: there are then k at least.

    Notes
    -----
    See `coclust_synth.baselines.suppression.search` for the methods. With n rows and d
    quasi-identifiers, of the 2^d sets of columns that a row can be suppressed in, up to
    2e7 / n are tried, and no more than 65,536; where there are more, those that near
    rows differ in. 49,000 rows of UCI Adult in eight columns take 5 CPU seconds, 77
    rows of forty columns one. With ``"any"`` all pairs of rows are compared.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [30, 30, 31, 40], "pet": ["cat"] * 3 + ["dog"]})
    >>> anonymizer = LocalSuppression(k=2).fit(table)
    >>> anonymizer.release_.to_frame()
      age  pet
    0   *    *
    1   *    *
    2  30  cat
    3  30  cat
    >>> anonymizer.n_suppressed_
    {'age': 2, 'pet': 2}
    """

    importance: Mapping[str, float] | Sequence[str] | None = None
    key_sets: Sequence[int | Sequence[str]] | None = None
    suppressed_as: str = "value"

    def _check_options(self):
        check_choice("suppressed_as", self.suppressed_as, READINGS)
        if self.suppressed_as == "any" and self.person_id is not None:
            raise ParameterError(
                'Expected rows of one person each with suppressed_as="any", which '
                f"counts rows. Received the persons of {self.person_id!r}. Leave one "
                "of them out."
            )
        _ranks(self.importance)

    def _recode(self, people):
        names = people.roles.quasi_identifiers
        weights = _weights(self.importance, names)
        sets = _key_sets(self.key_sets, names)
        columns, leaves, codes = code_leaves(people.values, people.asked)
        n_leaves = [len(own.leaves) for own in leaves]
        check_label_memory(names, n_leaves, [n + 1 for n in n_leaves])
        suppressed = self._suppressed(codes, weights, sets, people.persons)
        released = tuple(
            _column(column, own, code, hidden)
            for column, own, code, hidden in zip(
                columns, leaves, codes.T, suppressed.T, strict=True
            )
        )
        seen = _released_codes(released)
        self.k_by_set_ = {
            tuple(names[j] for j in keys): self._reached(seen[:, keys], people.persons)
            for keys in sets
        }
        counts = suppressed.sum(axis=0).tolist()
        self.n_suppressed_ = dict(zip(names, counts, strict=True))
        self.fewest_fitting_ = None
        if self.suppressed_as == "any" or tuple(names) not in self.k_by_set_:
            self.fewest_fitting_ = fewest_agreeing(codes.astype(np.int64), seen)
        return Recoded(released, _classes(seen))

    def _suppressed(self, codes, weights, sets, persons):
        """Cells to suppress in the rows of a table."""
        # By value: which of equal rows are suppressed does not depend on their order.
        order = np.lexsort(codes.T[::-1])
        codes, found = codes[order], np.empty(codes.shape, dtype=bool)
        if self.suppressed_as == "any":
            found[order] = cells_of_sets(
                codes, self.k, weights, sets, cells_until_agreeing
            )
            return found
        if persons is not None:
            persons = Persons(persons.column, persons.codes[order])
        # All columns together imply each of their sets.
        suppressed = suppressed_cells(codes, self.k, weights, None, persons)
        if len(sets) > 1 or len(sets[0]) < codes.shape[1]:
            one_by_one = cells_of_sets(
                codes, self.k, weights, sets, partial(suppressed_cells, persons=persons)
            )
            both = [suppressed, one_by_one]
            if persons is None:
                for own in both:
                    give_back(codes, own, self.k, weights, sets)
            suppressed = min(both, key=lambda own: own.sum(axis=0) @ weights)
        found[order] = suppressed
        return found

    def _reached(self, seen, persons):
        if self.suppressed_as == "any":
            return fewest_agreeing(seen, seen)
        return smallest_class(seen + 1, np.zeros(seen.shape, dtype=bool), persons)


# --- what is asked --------------------------------------------------------------


def _ranks(importance):
    """Importance of the columns that are named, by name."""
    if importance is None:
        return {}
    if isinstance(importance, Mapping):
        wrong = {
            name: rank
            for name, rank in importance.items()
            if not isinstance(rank, Real)
            or isinstance(rank, bool)
            or not 0 < rank < 1e9
        }
        if wrong:
            raise ParameterError(
                "Expected importance to be numbers above 0, 1 for the most important "
                f"columns. Received {wrong}. Correct them."
            )
        return dict(importance)
    if isinstance(importance, str) or not isinstance(importance, Sequence):
        raise ParameterError(
            "Expected importance to be a mapping of columns to numbers, or a list of "
            f"columns from the most important on. Received {importance!r}. Give one."
        )
    if len(set(importance)) < len(importance):
        raise ParameterError(
            "Expected importance to name each column once. Received "
            f"{', '.join(map(repr, importance))}. Remove the repetition."
        )
    return {name: rank for rank, name in enumerate(importance, 1)}


def _weights(importance, names):
    """What a suppressed cell of each column costs."""
    ranks = _ranks(importance)
    for name in ranks:
        _check_key(name, names)
    last = max(ranks.values(), default=0) + 1
    return np.array([1 / ranks.get(name, last) for name in names])


def _key_sets(key_sets, names):
    """Positions of the columns of each set, once and increasing."""
    if key_sets is None:
        return [list(range(len(names)))]
    if isinstance(key_sets, str) or not isinstance(key_sets, Sequence) or not key_sets:
        raise ParameterError(
            "Expected key_sets to be a list of sets of columns, or of their sizes. "
            f"Received {key_sets!r}. Give one, or leave it out."
        )
    found = {}
    for keys in key_sets:
        if isinstance(keys, int) and not isinstance(keys, bool):
            if not 1 <= keys <= len(names):
                raise ParameterError(
                    f"Expected sets of 1 to {len(names)} quasi-identifiers. Received "
                    f"{keys}. Choose a number between."
                )
            found |= dict.fromkeys(combinations(range(len(names)), keys))
            continue
        if isinstance(keys, str) or not isinstance(keys, Sequence) or not keys:
            raise ParameterError(
                "Expected each set of key_sets to be a list of columns, or a number. "
                f"Received {keys!r}. Put the names in a list."
            )
        for name in keys:
            _check_key(name, names)
        found[tuple(sorted({names.index(name) for name in keys}))] = None
    return [list(keys) for keys in found]


def _check_key(name, names):
    if name not in names:
        raise SchemaError(unknown_column(name, names))


# --- what is released -----------------------------------------------------------


def _column(column, own, codes, hidden):
    """A column of its values, and ``*`` where it is hidden."""
    n_leaves = len(own.leaves)
    members = np.vstack([np.eye(n_leaves, dtype=bool), np.ones(n_leaves, dtype=bool)])
    return GeneralizedColumn.from_members(
        column.name,
        own.leaves,
        column.kind in ORDERED_KINDS,
        members,
        np.where(hidden, n_leaves, codes),
        None,
        own.texts,
    )


def _released_codes(columns):
    """Values that a release shows, -1 for ``*``: int64 (n, d)."""
    return np.column_stack(
        [
            np.where(
                c.is_all & (len(c.leaves) > 1), -1, c.members.argmax(axis=1)[c.codes]
            )
            for c in columns
        ]
    )


def _classes(seen):
    return collapse(seen, seen.max(axis=0) + 1)[1]
