"""New rows under the labels of an earlier k-anonymous release.

What is released is a batch of its own: each of its classes is a class of the earlier
release, by the same labels, and has at least k individuals of the batch alone. So old
and new rows may be told apart, as who keeps the earlier release can: the difference is
k-anonymous, and the two together are. Rows that fit no class, or one that fewer than k
others fit, are held back.

What it rests on: nobody of the batch is in the earlier release, or in another batch.
Who is can be in two classes, and what these have in common may be fewer than k. That a
row is not there tells that it fits no class, or one of fewer than k.
"""

import bisect
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coclust_synth.exceptions import ParameterError, SchemaError
from coclust_synth.generators.kanon.batch import Candidates, place_rows
from coclust_synth.privacy.classes import count_matrix
from coclust_synth.privacy.means import with_means
from coclust_synth.privacy.models.base import PrivacyModel
from coclust_synth.privacy.models.sensitive import check_models, sensitive_models
from coclust_synth.privacy.release import release_table
from coclust_synth.tables.column import KINDS, Column
from coclust_synth.tables.generalized.column import GeneralizedColumn
from coclust_synth.tables.generalized.table import GeneralizedTable
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.people.roles import Roles, check_sensitive_values
from coclust_synth.tables.reading.table import TableLike, open_table
from coclust_synth.tables.rows import collapse
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import Table
from coclust_synth.tables.values.dtypes import TEXT_DTYPE
from coclust_synth.validation import check_integer

_MAX_CELLS = 2**24  # rows by classes that are looked at together
_KINDS_OF = (
    (bool, ("boolean",)),
    ((int, float), ("real", "integer")),
    (str, ("categorical", "ordinal")),
    (datetime, ("datetime",)),
)


class NewRows(NamedTuple):
    """A batch of new rows, and what was held back of it.

    Attributes
    ----------
    release : GeneralizedTable
        The rows that are released, under the labels of the earlier release.
    classes : ndarray of int64, shape (n,)
        Class of each new row in the earlier release, as its `class_codes` number them;
        -1 if it is held back. Confidential.
    smallest : int
        Fewest individuals, rows or persons, of a class of the batch.
    n_persons : int or None
        Persons of the rows that are released, where a column names them.
    schema : Schema
        Of the columns that are released, with their roles.
    """

    release: GeneralizedTable
    classes: NDArray[np.int64]
    smallest: int
    n_persons: int | None
    schema: Schema

    @property
    def n_held_back(self) -> int:
        """Rows that are not released."""
        return int((self.classes < 0).sum())


def release_new_rows(
    earlier: GeneralizedTable,
    table: TableLike,
    schema: Schema | None = None,
    *,
    k: int,
    sensitive: Sequence[str] = (),
    sensitive_values: str | Mapping[str, str] = "keep",
    models: Sequence[tuple[str | None, PrivacyModel]] = (),
    person_id: str | None = None,
) -> NewRows:
    """Release rows of new people under the labels of an earlier release.

    Parameters
    ----------
    earlier : GeneralizedTable
    table : DataFrame, path or Table
        With the columns of the earlier release; others are left out.
    schema : Schema, optional
        What is known of the columns; quasi-identifiers are read as the values that the
        earlier labels stand for.
    k : int
        Individuals of each class of the batch, at least; from 2.
    sensitive : sequence of str, optional
        Columns of the earlier release that nobody should learn.
    sensitive_values, person_id
        As of `HybridKAnonymizer`.
    models : sequence of (column or None, PrivacyModel), optional
        What must hold for each class of the batch too, beside the whole batch.

    Returns
    -------
    NewRows

    Raises
    ------
    ParameterError
        If no class gets k of the rows, or a model cannot be asked of them.
    SchemaError, TableError
        If a column of the earlier release is not there, or the table does not read.

    Notes
    -----
    A value that the earlier table did not have fits a label only if that stands for all
    values, or it lies between two neighbouring numbers or dates that the label stands
    for: it reads as one of ``[17, 19]``.

    Examples
    --------
    >>> ages = GeneralizedColumn.from_members(
    ...     "age", (20, 25, 30), True, [[1, 1, 0], [0, 0, 1]], [0, 0, 1, 1])
    >>> new = pd.DataFrame({"age": [22, 25, 30, 41]})
    >>> batch = release_new_rows(GeneralizedTable((ages,)), new, k=2)
    >>> batch.release.to_frame()["age"].tolist(), batch.n_held_back
    (['[20, 25]', '[20, 25]'], 2)
    """
    check_integer("k", k, minimum=2)
    roles = _roles(earlier, sensitive, person_id)
    _check_models(models)
    frame, schema = _read_alike(earlier, table, schema)
    how = check_sensitive_values(sensitive_values, roles.sensitive, schema)
    persons = None if person_id is None else Persons.of(frame, person_id)
    asked = sensitive_models(frame, roles.sensitive, models, persons)
    numbers, labels = _classes(earlier)

    def failing(many):
        code = np.full(len(frame), -1)
        for own, rows in enumerate(many):
            code[rows] = own
        kept = code >= 0
        fails = np.zeros(len(many), dtype=bool)
        for model in asked:
            shape = (len(many), model.n_codes)
            fails |= ~model.holds(count_matrix(code[kept], model.codes[kept], shape))
        return fails

    candidates = _candidates(earlier, labels, frame)
    codes = None if persons is None else persons.codes
    places = place_rows(candidates, k, codes, failing)
    kept = np.flatnonzero(places >= 0)
    if not len(kept):
        raise ParameterError(
            f"Expected new rows of which {k} or more fit a class of the earlier "
            f"release. Received {len(frame)} rows, and no class gets that many of "
            "them. Wait for more rows, or make a release of these alone."
        )
    columns = tuple(
        GeneralizedColumn(c.name, c.leaves, c.ordered, c.members, c.labels, own)
        for c, own in zip(earlier.columns, labels[places[kept]].T, strict=True)
    )
    released = frame.iloc[kept].reset_index(drop=True)
    whose = None if persons is None else Persons.of(released, persons.column)
    released = with_means(released, schema, how, k, whose)
    named = Schema(tuple(schema[name] for name in earlier.order), schema.delimiter)
    named = named.with_role("quasi-identifier", *roles.quasi_identifiers)
    named = named.with_role("sensitive", *roles.sensitive)
    batch, _ = release_table(released, named, columns, places[kept], roles, how)
    sizes = np.bincount(places[kept])
    if persons is not None:
        sizes = persons.count(places)
    classes = np.where(places < 0, -1, numbers[places])
    n_persons = None if whose is None else whose.n
    return NewRows(batch, classes, int(sizes[sizes > 0].min()), n_persons, named)


def _roles(earlier, sensitive, person_id):
    """The roles that the columns had in the earlier release."""
    others = tuple(earlier.others.columns)
    unknown = [name for name in sensitive if name not in others]
    if unknown:
        raise ParameterError(
            "Expected sensitive columns among those that the earlier release has "
            f"beside its labels, {', '.join(map(repr, others)) or 'none'}. Received "
            f"{unknown[0]!r}. Leave it out."
        )
    if person_id in earlier.order:
        raise ParameterError(
            "Expected a column of the persons that is not released. Received "
            f"{person_id!r}, which the earlier release holds. Name another."
        )
    hidden = tuple(name for name in others if name in set(sensitive))
    kept = tuple(name for name in others if name not in hidden)
    return Roles(earlier.names, hidden, kept, ())


def _check_models(models):
    check_models(models)
    if any(getattr(model, "nodes", None) is not None for _, model in models):
        raise ParameterError(
            "Expected models without a hierarchy of the sensitive values, as the one "
            "there is holds the values of the earlier table alone. Received a "
            "hierarchical t-closeness. Ask for the equal distance, which is at least "
            "as strict."
        )


def _read_alike(earlier, table, schema):
    """The new rows, quasi-identifiers read as the values of the earlier labels.

    An estimator's table comes typed; what a file holds is inferred anew, and a column
    of numbers in one file may be one of texts in the other.
    """
    if isinstance(table, Table):
        found, source = table, open_table(table)
    else:
        source = open_table(table).without_empty_rows()
        found = source.complete(schema)
    lacking = [name for name in earlier.order if name not in found.schema.names]
    if lacking:
        raise SchemaError(
            "Expected new rows with the columns of the earlier release, "
            f"{', '.join(map(repr, earlier.order))}. Received a table without "
            f"{', '.join(map(repr, lacking))}. Give the same columns."
        )
    kinds = {column.name: _kinds(column) for column in earlier.columns}
    alike = tuple(
        column
        if column.kind in kinds.get(column.name, KINDS)
        else _of_kind(column.name, kinds[column.name][0])
        for column in found.schema.columns
    )
    if alike == found.schema.columns:
        return found
    return source.complete(Schema(alike, found.schema.delimiter))


def _of_kind(name, kind):
    texts = TEXT_DTYPE if kind == "categorical" else None
    return Column(name=name, kind=kind, dtype=texts)


def _kinds(column):
    """Kinds that a column of these leaves can be of, the widest first."""
    present = [leaf for leaf in column.leaves if leaf is not None]
    for types, kinds in _KINDS_OF:
        if all(isinstance(leaf, types) for leaf in present):
            return kinds
    return KINDS


def _classes(earlier):
    """Classes of a release that are not suppressed, the narrowest labels first.

    Returns
    -------
    numbers : ndarray of int64, shape (n_classes,)
        As `class_codes` has them.
    labels : ndarray of int64, shape (n_classes, d)
    """
    numbers, first = np.unique(earlier.class_codes, return_index=True)
    left = ~earlier.suppressed[first]
    numbers, first = numbers[left], first[left]
    labels = np.column_stack([c.codes[first] for c in earlier.columns]).astype(np.int64)
    losses = [(c.sizes - 1) / max(len(c.leaves) - 1, 1) for c in earlier.columns]
    width = sum(own[codes] for own, codes in zip(losses, labels.T, strict=True))
    order = np.argsort(width, kind="stable")
    return numbers[order], labels[order]


def _candidates(earlier, labels, frame):
    """The classes whose labels all stand for the values of each row."""
    fits, codes = [], []
    for column in earlier.columns:
        code, uniques = pd.factorize(frame[column.name])
        # A missing value has the code -1: the last place.
        fits.append(_stands_for(column, [*uniques.tolist(), None]))
        codes.append(np.where(code < 0, len(uniques), code))
    records, inverse = collapse(np.column_stack(codes), [f.shape[1] for f in fits])
    values = records.codes - records.offsets
    step = max(1, _MAX_CELLS // max(len(labels), 1))
    found = [np.empty((2, 0), dtype=np.int64)]
    for start in range(0, len(values), step):
        chunk = values[start : start + step]
        all_fit = np.ones((len(chunk), len(labels)), dtype=bool)
        for own, value, label in zip(fits, chunk.T, labels.T, strict=True):
            all_fit &= own[np.ix_(label, value)].T
        record, place = np.nonzero(all_fit)
        found.append(np.stack([record + start, place]))
    record, place = np.concatenate(found, axis=1)
    starts = np.searchsorted(record, np.arange(len(values) + 1))
    return Candidates(starts, place, inverse)


def _stands_for(column, values):
    """Which labels of a column fit each of some values, (n_labels, n_values)."""
    found = np.repeat(
        (column.sizes == len(column.leaves))[:, np.newaxis], len(values), axis=1
    )
    place = {leaf: i for i, leaf in enumerate(column.leaves)}
    scale = [leaf for leaf in column.leaves if leaf is not None]
    if not column.ordered or any(isinstance(leaf, str) for leaf in scale):
        scale = []
    for j, value in enumerate(values):
        if value in place:
            found[:, j] = column.members[:, place[value]]
        elif value is not None and scale:
            above = bisect.bisect(scale, value)
            if 0 < above < len(scale):
                found[:, j] |= column.members[:, above - 1] & column.members[:, above]
    return found
