"""Rows of what a person has several of: the first one of each key, then its others.

The lines of an order are of one day and go to one place, and the next order is another
one. The versions of a contract follow each other, and so do those of another contract
of the same customer, in the same years: what the row before of a customer is tells
nothing of a row that is of another contract. So the first row of each key is drawn as
the rows of persons are, and the others of it right after it, given how many there are,
where

- keys of a person follow each other, as orders and stays do: the row before the first
  one of a key is the last one of the key before then,
- something stays in all rows of a key,
- or the row before of the same key tells more than that of the person.

Without a key the moments at which persons have several rows are the keys, see
`moments`: they follow each other. Individuals are persons in all of this.

How many rows a person has of all keys is drawn after how many keys, unless each key of
a person has as many, or a column tells how many. So the keys get all of these together.
Other totals of a person are those of what was drawn: where a rule binds one to what
else stays (a limit that is not exceeded), rows are drawn as those of the person alone.
"""

from dataclasses import replace

import numpy as np

from coclust_synth.generators.plain.persons.known.key_rows import KEY_ROWS
from coclust_synth.generators.plain.persons.known.known_before import before
from coclust_synth.generators.plain.persons.learning.first_rows import more_than
from coclust_synth.generators.plain.persons.learning.from_table import (
    structure_of_persons,
)
from coclust_synth.generators.plain.persons.learning.keys_in_order import (
    follow_each_other,
    numbered_in_order,
)
from coclust_synth.generators.plain.persons.learning.later_rows import learn_later
from coclust_synth.generators.plain.persons.learning.moments import find_moments
from coclust_synth.generators.plain.persons.learning.person_table import PersonTable
from coclust_synth.generators.plain.persons.learning.tables_of_keys import (
    FirstOfKeys,
    RowsOfKeys,
    with_number,
)
from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.kept import Rule


def learn_with_keys(evidence, rules, clusters, k, ids, nested=(), grouped=None):
    """Grow trees for persons, their rows, and those of one key.

    Parameters
    ----------
    evidence : Evidence
        Of the n rows of a table, and their persons.
    rules : Rules
        Of the table.
    clusters : ndarray of int64, shape (n,)
        Cluster of the person of each row, of k persons at least.
    k : int
        Persons of each leaf, at least.
    ids : Key
        Of persons.
    nested : tuple of NestedKey, default=()
        Columns that are drawn as numbers in each person. Of several the first one is
        looked at, of most values.
    grouped : Evidence, optional
        Of the same rows, with groups where `evidence` has common values for rare ones.

    Returns
    -------
    PersonStructure
        With `within` where rows are drawn key by key.
    """
    whole = PersonTable.of(evidence, rules, k, nested, grouped)
    whole = numbered_in_order(whole) if nested else whole
    shared = whole.nested[0].column if nested else find_moments(whole)
    split = None if shared is None else _split(whole, shared)
    if split is None:
        return structure_of_persons(whole, clusters, ids)
    of_key, firsts = split
    structure = structure_of_persons(
        firsts, clusters[of_key.rows[of_key.is_first]], ids
    )
    own = replace(
        structure,
        names=whole.evidence.coding.names,
        n_rows=len(clusters),
        totals=(*structure.totals, *whole.totals),
        row_numbers=whole.row_numbers,
        summaries=tuple(
            own
            for own in whole.summaries
            if not own.needs_order or firsts.lasts is not None
        ),
        is_after_last=firsts.lasts is not None,
    )
    later = learn_later(of_key, clusters, k)
    within = replace(
        own,
        later=later,
        constants=of_key.constants,
        ordered_by=of_key.ordered_by,
        is_once=of_key.is_once,
        most_rooms=of_key.most_rooms,
        once=of_key.once(later.rules),
    )
    return replace(own, within=within)


def find_rows_together(evidence, rules, k):
    """The column of which rows of a person that share a value are drawn together.

    Parameters
    ----------
    evidence : Evidence
        Of the rows of a table, and their persons; without keys.
    rules : Rules
        Of the table.
    k : int
        Persons of each leaf, at least.

    Returns
    -------
    str or None
    """
    whole = PersonTable.of(evidence, rules, k)
    shared = find_moments(whole)
    is_shared = shared is not None and _split(whole, shared) is not None
    return shared if is_shared else None


def _split(whole, key):
    """The rows by key, and the first ones by person, of all; None to be left so."""
    evidence, k = whole.evidence, whole.k
    if whole.n_with_several < k or _binds_totals(whole):
        return None
    person = evidence.persons.codes
    of_key = np.column_stack([person, evidence.numbers[key]])
    of_key = np.unique(of_key, axis=0, return_inverse=True)[1].ravel()
    n_rows = np.bincount(of_key)[of_key]
    none = np.zeros(len(n_rows), dtype=bool)
    parts = evidence.learn_atoms(n_rows, none, SteppedRuler(1))
    tables = with_number((evidence, whole.grouped), KEY_ROWS, n_rows, parts)
    keys = Persons(key, of_key)
    by_key = (None if own is None else replace(own, persons=keys) for own in tables)
    parted = RowsOfKeys.of_owners(person, whole.rules, k, *by_key)
    n_keys = np.bincount(person[parted.rows[parted.is_first]])
    if min(evidence.n_of(n_rows > 1), (n_keys > 1).sum()) < k:
        return None
    if parted.ordered_by is None and not whole.nested:
        # As they stand in the order of all, which may be the other way round.
        is_first = np.diff(of_key[whole.rows], prepend=-1) > 0
        parted = replace(parted, rows=whole.rows, is_first=is_first)
    follow = follow_each_other(parted, whole)
    if not (follow or whole.nested[0].constants or _tells_more(parted, whole)):
        return None
    first = FirstOfKeys.of_keys(whole, tables, parted, follow)
    parted = replace(parted, firsts=first)
    first = replace(first, last_of_keys=parted.last_rows)
    if KEY_ROWS in first.changing:
        told = _told_by(evidence.numbers, n_rows)
        if told is None:
            first = first.with_all_rows(np.bincount(person))
        else:
            rows, n = first.rows, first.evidence.persons.n
            rule = Rule(told, rows=len(rows), individuals=n)
            first = replace(
                first, rules=replace(first.rules, all=(*first.rules.all, rule))
            )
    return parted, first


def _binds_totals(whole):
    """Whether a rule is about a total of persons and what else stays with them.

    But for what totals tell exactly, which is told anew from what was drawn. What sums
    up numbers is like them; categories that rules are about stay as they were drawn.
    """
    numbers = whole.evidence.numbers
    told = *whole.totals, *(own for own in whole.summaries if own.target in numbers)
    totals, stays = {own.target for own in told}, {*whole.constants}
    for relation in whole.rules.relations:
        own = {*relation.columns}
        if own <= stays and not own.isdisjoint(totals) and not own <= totals:
            fit = whole.rules.fits.get(relation.told)
            if fit is not relation or fit.is_loose or fit.draws_factor:
                return True
    return False


def _told_by(numbers, n_rows):
    """The number of rows of a key, as a column says it, None where none does."""
    for name, own in numbers.items():
        more = more_than(own, n_rows)
        if more is not None:
            return Fit(KEY_ROWS, (name,), (1.0,), more)
    return None


def _tells_more(of_key, whole):
    """Whether the row before of the same key tells what that of the person does not."""
    numbered = {own.target for own in whole.row_numbers} | {*whole.starts}
    said = [
        {
            str(relation)
            for relation in table.rules_of_later.relations
            if not relation.about
            and relation.told not in numbered
            and any(before(name) in relation.columns for name in table.changing)
        }
        for table in (of_key, whole)
    ]
    return not said[0] <= said[1]
