"""What a plain synthesizer gives away, tried: a fit on 80 % of the individuals.

The others are drawn at random and left out. Whether rows drawn from that fit tell who
was in it is asked by `NearestRowAttack`, of all rows and of the isolated ones; without
each column, where all rows tell it; and again along k, where the co-clustering is not
searched again but cut or merged to k, but for tables with texts that are learnt from by
labels or with nested keys. It is no bound: see there.
"""

from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import clone

from coclust_synth.evaluation.telling_apart.nearest_rows import (
    Membership,
    NearestRowAttack,
    check_sizes,
)
from coclust_synth.exceptions import no_data_warnings
from coclust_synth.generators.plain.fitting import default_k
from coclust_synth.generators.plain.synthesizer import (
    CoclusterSynthesizer,
    clusters_for_another_k,
)
from coclust_synth.tables.column import LISTED_KINDS
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.reading.settling import settle_patterns
from coclust_synth.tables.reading.table import TableLike, as_table
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.showing import Shown
from coclust_synth.tables.values.columns import bounds_of, to_values
from coclust_synth.validation import Seed, seed_sequence

LEARNT = 0.8  # share of the individuals
ALONG_K = (20, 50, 100, 200, 500)
# Below, rows that were learnt from are told a little better than by a coin.
HIDDEN = 0.55


@dataclass(frozen=True, repr=False)
class Audit(Shown):
    """What an attack found on rows drawn from a fit on 80 % of the individuals.

    Attributes
    ----------
    k : int
        Individuals that each cluster of that fit holds at least.
    membership : Membership
        At that k.
    along_k : dict of int to Membership
        At others.
    without : dict of str to float
        AUC of all rows if a column is not looked at, by its name, at the k of the fit;
        empty where all rows are told by under .55.
    """

    k: int
    membership: Membership
    along_k: dict[int, Membership]
    without: dict[str, float]

    @property
    def hidden_from(self) -> int | None:
        """The smallest k tried from which on rows are told by under .55.

        All rows, and isolated ones; None where even at the largest some are above.
        """
        found = self.along_k | {self.k: self.membership}
        hidden = None
        for k in sorted(found, reverse=True):
            if max(area.value for area in found[k]) >= HIDDEN:
                break
            hidden = k
        return hidden

    def facts(self) -> dict:
        """JSON compatible form."""
        found = self.along_k | {self.k: self.membership}
        by = min(self.without, key=self.without.get, default=None)
        told_by = by and {"column": by, "auc_without": self.without[by]}
        return {
            "share_learnt": LEARNT,
            "k": self.k,
            "membership": _figures(self.membership.every),
            "membership_isolated": _figures(self.membership.isolated),
            "along_k": {str(k): found[k].every.value for k in sorted(found)},
            "isolated_along_k": {
                str(k): found[k].isolated.value for k in sorted(found)
            },
            "hidden_from_k": self.hidden_from,
            "told_by": told_by,
        }

    def _told(self):
        every, isolated = self.membership.every, self.membership.isolated
        return {
            "k": self.k,
            "membership AUC": every.value,
            "of isolated rows": isolated.value,
            "hidden from k": self.hidden_from,
        }


def _figures(area):
    return {"auc": area.value, "low": area.low, "high": area.high}


def audit_synthesizer(
    synthesizer: CoclusterSynthesizer, table: TableLike, schema: Schema | None = None
) -> Audit:
    """Fit again on a random 80 % of the individuals, and attack what is drawn.

    Parameters
    ----------
    synthesizer : CoclusterSynthesizer
        Its options and seed are taken; where it was fitted, its k. Its clusters are
        searched again, on the 80 %.
    table : DataFrame, path or Table
    schema : Schema, optional
        As of `CoclusterSynthesizer.fit`.

    Returns
    -------
    Audit
        A figure about the very people of the table, which no guarantee covers.

    Raises
    ------
    ParameterError, TableError, SchemaError
        As `fit`; if a part has fewer than 20 rows.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"sex": ["F", "M"] * 100, "age": [*range(40)] * 5})
    >>> model = CoclusterSynthesizer(k=20, n_iterations=2, random_state=0)
    >>> audit_synthesizer(model, table).k
    20
    """
    table = as_table(table, schema)
    if synthesizer.within == "trees":
        table = settle_patterns(table)
    frame, schema = table
    seed = seed_sequence("random_state", synthesizer.random_state)
    person, is_learnt = _parted(frame, synthesizer.person_id, seed)
    learnt, others = (
        frame[rows].reset_index(drop=True) for rows in (is_learnt, ~is_learnt)
    )
    attack = NearestRowAttack(
        learnt,
        others,
        schema.drop(*filter(None, [synthesizer.person_id])),
        persons=(person[is_learnt], person[~is_learnt]),
        random_state=seed,
    )
    n_learnt = len(np.unique(person[is_learnt]))
    asked = getattr(synthesizer, "k_", synthesizer.k) or default_k(n_learnt)
    k = min(asked, n_learnt)
    rare = [synthesizer.rare, *(column.rare for column in schema.kept.columns)]
    least = max(filter(None, rare), default=1)
    options = {"model": None, "callback": None, "random_state": seed}
    fresh = clone(synthesizer).set_params(**options)
    part = as_table(learnt, _without_extremes(frame, schema))
    with no_data_warnings():
        # What is said of the rows of a part was said of the whole table.
        fitted = fresh.set_params(k=k).fit(part)
        drawn = fitted.sample()
        found = {k: attack.membership(drawn)}
        is_told = found[k].every.value >= HIDDEN
        without = attack.without_each(drawn) if is_told else {}
        clusters = clusters_for_another_k(fitted)
        for other in ALONG_K:
            if other != k and least <= other <= n_learnt:
                again = clone(fresh).set_params(k=other, model=clusters)
                found[other] = attack.membership(again.fit(part).sample())
    return Audit(k, found.pop(k), found, without)


def check_audit(
    table: TableLike, person_id: str | None = None, random_state: Seed = None
) -> None:
    """Refuse a table that is too small for an audit, before the work of a fit.

    Parameters
    ----------
    table : DataFrame, path or Table
    person_id, random_state
        Those of the synthesizer.

    Raises
    ------
    ParameterError, TableError, SchemaError
    """
    frame, _ = as_table(table)
    seed = seed_sequence("random_state", random_state)
    _, is_learnt = _parted(frame, person_id, seed)
    check_sizes(int(is_learnt.sum()), int((~is_learnt).sum()))


def _parted(frame, person_id, seed):
    """Person of each row, and whether the row is one that is learnt from."""
    person = np.arange(len(frame))
    if person_id is not None:
        person = Persons.of(frame, person_id).codes
    n = int(person.max()) + 1
    rank = np.random.default_rng(seed).permutation(n)
    return person, (rank < LEARNT * n)[person]


def _without_extremes(frame, schema):
    """The schema without bounds that are the extremes of the table."""
    columns = []
    for column in schema.columns:
        if column.treatment == "keep" and column.kind not in LISTED_KINDS:
            values, missing = to_values(frame[column.name], column)
            if column.bounds == bounds_of(values[~missing], column):
                column = replace(column, bounds=None)
        columns.append(column)
    return replace(schema, columns=tuple(columns))
