"""What another k or epsilon would have given: curves, with the chosen point on them.

Of plain tables, by clusters of the one co-clustering, whose levels are those of one
dendrogram, with laws that are learnt anew inside of them. Of k-anonymous ones, by
classes that are formed anew from the same clusters. Of private ones, by plans, which
look at no row. The first two are exact figures of the real rows, and as confidential.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from coclust_synth.baselines.mdav.anonymizer import is_of_centres
from coclust_synth.evaluation.comparing.alike import AlikeTables
from coclust_synth.evaluation.comparing.coded import (
    bootstrap_copy,
    code_tables,
    independent_columns,
)
from coclust_synth.evaluation.comparing.scores import Figure, Setting
from coclust_synth.evaluation.comparing.unfolded import Unfolded
from coclust_synth.evaluation.distances.hellinger import mean_joint_hellinger
from coclust_synth.evaluation.generalisation.losses import information_loss
from coclust_synth.evaluation.measures import MEASURES
from coclust_synth.evaluation.risk.nearest import nearest_figures
from coclust_synth.evaluation.utility.distances import set_distances, sets_of_columns
from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.kanon.anonymizer import KAnonymizer
from coclust_synth.generators.plain.fitting import MIN_LEAF
from coclust_synth.generators.plain.synthesizer import (
    CoclusterSynthesizer,
    clusters_for_another_k,
)
from coclust_synth.generators.release_plan import ReleasePlan
from coclust_synth.tables.reading.settling import settle_patterns
from coclust_synth.tables.reading.table import TableLike, as_table
from coclust_synth.tables.table import Table

#: Multiples of the k that was chosen.
LADDER_OF_K = (0.4, 2, 5, 10)
#: Multiples of the epsilon that was chosen.
LADDER_OF_EPSILON = (0.1, 0.3, 3, 10)
_ORDER = 3  # columns in a set whose distance is told
_STREAM = 1  # sets as those of the evaluation
_MEMBERSHIP = "membership_isolated"
_OF_EACH = "a release of this k"


@dataclass(frozen=True)
class TradeOff:
    """Figures by what a release is asked for.

    Attributes
    ----------
    parameter : {"k", "epsilon"}
    chosen : float
        Of the release.
    values : tuple of float
        Increasing; the chosen one is among them.
    title, unit : str
        Of all figures.
    lines : dict of str to tuple of Figure
        One for each value, by what they are of.
    references : dict of str to float
        The same figure of what a release is compared with.
    reads : str
        What the lines tell, in a sentence.
    """

    parameter: str
    chosen: float
    values: tuple[float, ...]
    title: str
    unit: str
    lines: dict[str, tuple[Figure, ...]]
    references: dict[str, float]
    reads: str = "Where a line is flat near it, more protection costs little."

    def to_frame(self) -> pd.DataFrame:
        """A row for each value, a column for each line."""
        columns = {
            name: [figure.value for figure in figures]
            for name, figures in self.lines.items()
        }
        index = pd.Index(self.values, name=self.parameter)
        return pd.DataFrame(columns, index=index)


def plain_trade_offs(
    synthesizer: CoclusterSynthesizer,
    real: TableLike,
    holdout: TableLike | None = None,
    *,
    random_state: int = 0,
    callback: Callable[[str, int, int], None] | None = None,
) -> tuple[TradeOff, ...]:
    """What other k would have kept of a table, and told of who was in it.

    Parameters
    ----------
    synthesizer : CoclusterSynthesizer
        Fitted; it is fitted again for each other k, from the same co-clustering, or
        from one that is searched again, see `clusters_for_another_k`.
    real : DataFrame, path or Table
        The rows it was fitted to.
    holdout : DataFrame, path or Table, optional
        As of `evaluate`; membership takes one.
    random_state : int, default=0
    callback : callable, optional
        Called with what is measured next, its number, and how many there are.

    Returns
    -------
    tuple of TradeOff
        Total variation of sets of three columns, and with a holdout membership of
        isolated rows; both exact figures of the real rows.

    Raises
    ------
    ParameterError
        If the rows are not those that it was fitted to.
    """
    table = as_table(real)
    if synthesizer.within == "trees":
        table = settle_patterns(table)
    chosen = synthesizer.k_
    least = MIN_LEAF if synthesizer.within == "trees" else 2
    # What the schema says of rare values is for no smaller k.
    least = max(least, *(column.rare or 0 for column in table.schema.kept.columns))
    ladder = _ladder(chosen, synthesizer.model_.n_individuals, least)
    distances, members, references = [], [], {}
    for k in _each(ladder, callback):
        drawn = _drawn(synthesizer, table, k, random_state)
        setting, rows = _coded(table, drawn, holdout, random_state)
        sets = _sets(setting)
        distances.append(Figure(_distance(setting, rows, sets)))
        if k == chosen:
            references = _references(setting, rows.n, sets)
        if holdout is not None:
            found = nearest_figures(setting, rows)
            members.append(found.get((_MEMBERSHIP, ()), Figure(nan)))
    curve = TradeOff(
        "k",
        chosen,
        tuple(ladder),
        f"Total variation, sets of {len(sets[0])} columns",
        "share",
        {_OF_EACH: tuple(distances)},
        references,
    )
    if holdout is None:
        return (curve,)
    return curve, replace(
        curve,
        title=MEASURES[_MEMBERSHIP].title,
        unit="area in [0, 1]",
        lines={_OF_EACH: tuple(members)},
        references={"nothing told": 0.5},
        reads=(
            "Near .5 an attacker cannot tell who was learnt from; a bar is the 95 % "
            "interval."
        ),
    )


def class_trade_off(
    anonymizer: KAnonymizer,
    real: TableLike,
    *,
    callback: Callable[[str, int, int], None] | None = None,
) -> TradeOff:
    """What other k would have cost a k-anonymous table.

    Parameters
    ----------
    anonymizer : HybridKAnonymizer or KAnonymizer
        Fitted; it is fitted again for each other k, from the same co-clustering.
    real : DataFrame, path or Table
        The rows it was fitted to.
    callback : callable, optional
        Called with what is done next, its number, and how many there are.

    Returns
    -------
    TradeOff
        Information loss by sets (of centroids the squared error of numbers inside of
        classes), and the mean Hellinger distance of pairs of quasi-identifiers where
        there are two; exact figures of the real rows.

    Raises
    ------
    ParameterError
        If the rows are not those that it was fitted to.
    """
    table = as_table(real)
    ladder = _ladder(anonymizer.k, anonymizer.release_.n_rows)
    names = anonymizer.roles_.quasi_identifiers
    of_centres = is_of_centres(anonymizer)
    lost = "squared error, SSE / SST" if of_centres else "information loss, by sets"
    lines: dict[str, list[Figure]] = {lost: []}
    if len(names) > 1:
        lines["Hellinger distance of pairs"] = []
    for k in _each(ladder, callback):
        other = _fitted_for(anonymizer, table, k)
        figures = [nan, nan] if other is None else _losses(other, table, names)
        for own, value in zip(lines.values(), figures, strict=False):
            own.append(Figure(value))
    return TradeOff(
        "k",
        anonymizer.k,
        tuple(ladder),
        "Loss by k",
        "share, or distance in [0, 1]",
        {name: tuple(own) for name, own in lines.items()},
        {},
    )


def private_trade_off(plan: Callable[[float], ReleasePlan], epsilon: float) -> TradeOff:
    """What other epsilons would be expected to give, from plans that see no row.

    Parameters
    ----------
    plan : callable
        From an epsilon to the plan of its release, of a public number of rows.
    epsilon : float
        That was chosen.

    Returns
    -------
    TradeOff
        Expected total variation between margins and their noisy counts, before what a
        model makes of them: an upper part of the error, and nothing of the real rows.
    """
    others = (float(f"{epsilon * step:.3g}") for step in LADDER_OF_EPSILON)
    values = tuple(sorted({epsilon, *others}))
    found = [dict(_expected(plan(value))) for value in values]
    names = dict.fromkeys(name for own in found for name in own)
    return TradeOff(
        "epsilon",
        epsilon,
        values,
        "Expected error of noisy counts by epsilon",
        "total variation",
        # What is measured depends on epsilon: some have no such margin.
        {n: tuple(Figure(own.get(n, nan)) for own in found) for n in names},
        {},
    )


def _ladder(chosen, n, least=2):
    """The k that are tried: from the least to half of n, and the chosen one."""
    others = {max(least, round(chosen * step)) for step in LADDER_OF_K}
    return sorted({chosen} | {k for k in others if k <= n // 2})


def _each(ladder, callback) -> Iterator[int]:
    """One k after the other, under a progress bar."""
    for done, k in enumerate(ladder):
        if callback is not None:
            callback(f"k = {k:,}", done, len(ladder))
        yield k


def _coded(table: Table, drawn, holdout, seed):
    tables = AlikeTables.of(table, drawn, holdout)
    coding, rows = code_tables(Unfolded.of(tables, table).tables)
    return Setting(coding, rows["real"], rows.get("holdout"), seed), rows["released"]


def _sets(setting):
    d = len(setting.coding.names)
    return sets_of_columns(d, min(_ORDER, d), setting.rng(_STREAM))


def _distance(setting, rows, sets):
    parts = setting.real.parts, rows.parts
    found = set_distances(*parts, setting.coding.n_parts, sets)
    return float(found.total_variation.mean())


def _references(setting, n, sets):
    """The same distance of a copy of the real rows, and of independent columns."""
    rng = setting.rng(0)
    made = {
        "copy of the real rows": bootstrap_copy(setting.real, n, rng),
        "independent columns": independent_columns(setting.real, n, rng),
    }
    return {name: _distance(setting, rows, sets) for name, rows in made.items()}


def _drawn(synthesizer, table, k, seed):
    """Rows for another k, from the same clusters where a fit can be given these."""
    if k == synthesizer.k_:
        return synthesizer.sample(random_state=seed)
    rare = synthesizer.rare
    other = clone(synthesizer).set_params(
        k=k,
        rare=None if rare is None else min(rare, k),
        model=clusters_for_another_k(synthesizer),
        callback=None,
    )
    return other.fit(table).sample(random_state=seed)


def _fitted_for(anonymizer, table, k) -> Any:
    """The anonymizer for another k; None where the models have none."""
    if k == anonymizer.k:
        return anonymizer
    other = clone(anonymizer).set_params(k=k)
    if hasattr(anonymizer, "coclustering_"):
        other.set_params(model=anonymizer.coclustering_, callback=None)
    try:
        return other.fit(table)
    except ParameterError:  # models that only hold for larger classes
        return None


def _losses(anonymizer, table, names):
    release = anonymizer.release_
    if is_of_centres(anonymizer):
        yield nan if (lost := anonymizer.squared_error_) is None else lost
    else:
        yield information_loss(release)
    if len(names) > 1:
        yield mean_joint_hellinger(table.frame, release, [2], list(names))


def _expected(plan: ReleasePlan):
    """The mean error of columns, and those of typical and of largest margins."""
    margins = ("typical", "largest")
    columns = [e.error for e in plan.errors if not e.what.startswith(margins)]
    if columns:
        yield "single columns, mean", float(np.mean(columns))
    for error in plan.errors:
        if error.what.startswith(margins):
            yield error.what, error.error
