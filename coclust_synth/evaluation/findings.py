"""What of an evaluation whoever releases the table must not overlook.

Each finding but that of totals rests on an interval or a reference of the same run, and
is told with its figures. That none is told proves nothing.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from coclust_synth.evaluation.comparing.alike import AlikeTables
from coclust_synth.evaluation.comparing.coded import CodedRows, Coding
from coclust_synth.evaluation.evaluation_result import Facts, Finding, Score
from coclust_synth.tables.column import Column
from coclust_synth.tables.values.numbers import below_1

# Of the mean of a column, or of all that its individuals have: totals that fall.
_FALLEN = 0.1
# Beyond the interval of 95 %: several signs are looked at, and each should be rare.
_WIDER = 1.5
# Below these a sign is of no weight, whatever the number of rows.
_LEAST_COPIED, _LEAST_NEARER, _LEAST_TOLD = 0.01, 0.53, 0.55
# Changed columns, and what goes with what, are seen beyond a share of sampling error.
_SEEN = 0.15
_BROKEN = 0.01  # of the rows
_NAMED = 3  # rules, those that most rows break, or columns
_MORE_MISSING = 0.02  # of the rows, beyond the interval
_UNSEEN = 0.001  # of the cells
# Chi-square over its degrees of freedom: beyond it is one random part in a million.
_UNLIKE = 25
_LEAST_EXPECTED = 5  # rows in either table


def find(
    scores: Sequence[Score], rules: pd.DataFrame, facts: Facts
) -> tuple[Finding, ...]:
    """What stands out.

    Parameters
    ----------
    scores : sequence of Score
    rules : DataFrame
        That of `Details`.
    facts : Facts
        How many rows there are of what.
    """
    by_name = {score.name: score for score in scores if not score.columns}
    return (
        *_copies(by_name),
        *_independent(by_name, facts),
        *_missing(scores),
        *_rules(rules),
        *_values(by_name),
    )


def find_unlike(
    coding: Coding, real: CodedRows, holdout: CodedRows | None
) -> tuple[Finding, ...]:
    """Whether rows kept aside are no random ones: Pearson's chi-square of each column.

    Parameters
    ----------
    coding : Coding
    real : CodedRows
    holdout : CodedRows or None
    """
    if holdout is None:
        return ()
    off = {}
    for k, name in enumerate(coding.names):
        counts = np.stack(
            [
                np.bincount(rows.parts[:, k], minlength=int(coding.n_parts[k]))
                for rows in (real, holdout)
            ]
        ).astype(float)
        expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
        told = expected.min(axis=0) >= _LEAST_EXPECTED
        statistic = ((counts - expected) ** 2)[:, told] / expected[:, told]
        off[name] = statistic.sum() / max(int(told.sum()) - 1, 1)
    most = sorted((n for n in off if off[n] > _UNLIKE), key=lambda n: -off[n])
    if not most:
        return ()
    named = _and_more(map(repr, most[:_NAMED]), len(most))
    text = (
        "If each row is a different person, values of rows kept aside differ from "
        f"the real ones by more than chance explains in {named}. Rows kept aside have "
        "to be a random part of the table; as they are not, figures that use them "
        "may be wrong. Draw them anew."
    )
    return (Finding("holdout", text),)


def find_totals(tables: AlikeTables) -> tuple[Finding, ...]:
    """Which totals have fallen of which one real row has much; figures are not told.

    Parameters
    ----------
    tables : AlikeTables
    """
    carried = carried_by_one(tables.schema.columns, tables.real, tables.released)
    if not carried:
        return ()
    named = _and_more(map(repr, carried[:_NAMED]), len(carried))
    text = (
        "Totals and means have fallen by more than a tenth in columns where one real "
        f"row has more than a tenth of the total: {named}."
    )
    return (Finding("totals", text),)


def _copies(scores: Mapping[str, Score]) -> Iterator[Finding]:
    signs = []
    beyond = scores["uniques_beyond_chance"]
    if beyond.value > _LEAST_COPIED and _low(beyond) > 0:
        signs.append(
            f"it holds {beyond.value:.1%} more of the unique rows it was made from "
            f"than chance explains ({beyond.note})"
        )
    nearer = scores["nearer_to_training"]
    if nearer.value > _LEAST_NEARER and _low(nearer) > _of_no_copy(nearer):
        signs.append(
            f"{nearer.value:.1%} of its rows are nearer to rows learnt from than to "
            "rows kept aside (50 % without copying)"
        )
    for name, what in (
        ("membership_uniques", "unique rows"),
        ("membership_distance", "rows"),
        ("membership_isolated", "isolated rows"),
        ("membership_density", "rows, by density,"),
    ):
        score = scores[name]
        if score.value > _LEAST_TOLD and _low(score) > _of_no_copy(score):
            signs.append(
                f"{what} learnt from can be told from others with an AUC of "
                f"{score.value:.3f} ({_of_no_copy(score):.3f} without copying)"
            )
    # By itself that is no sign: where a release has the table's own counts of values,
    # what more of a value the part learnt from has, the part asked has less.
    told = scores.get("told_from_training")
    if signs and told is not None and _high(told) < _of_no_copy(told, min):
        signs.append(
            f"boosting takes the rows learnt from for released ones (AUC "
            f"{told.value:.3f}, {_of_no_copy(told, min):.3f} without copying)"
        )
    if signs:
        yield Finding(
            "copies",
            "The rows that the release was made from show through: "
            f"{'; '.join(signs)}.",
        )


def _independent(scores: Mapping[str, Score], facts: Facts) -> Iterator[Finding]:
    pairs = scores.get("mean_total_variation_2")
    if pairs is None:
        return
    least = _of_real_rows(pairs, facts)
    excess, most = pairs.value - least, pairs.floor_independent - least
    if excess <= most / 2:
        return
    # A pair of columns that have changed by a and b, independently, has by a + b - ab.
    single = scores["mean_total_variation_1"]
    of_one = _of_real_rows(single, facts)
    changed = max(single.value - of_one, 0.0)
    are_apart = excess - changed * (2 - changed) > most / 2
    if not are_apart and changed > _SEEN * of_one:
        yield Finding(
            "columns",
            "Single columns have changed, and pairs with them. On average, single "
            f"columns are {single.value:.3f} from the real ones, where other real "
            f"rows would be about {of_one:.3f}. See which under Columns.",
        )
    if are_apart and most > _SEEN * least:
        yield Finding(
            "independent",
            "The release has lost most of the dependences between columns. Pairs of "
            f"columns are {pairs.value:.3f} from the real ones, where independent "
            f"columns would be {pairs.floor_independent:.3f}, and other real rows "
            f"about {least:.3f}.",
        )


def _of_real_rows(score: Score, facts: Facts) -> float:
    """About what as many other real rows as the release has would have.

    All of it is sampling error, of variance 1 / m + 1 / n for m rows beside n. A copy
    has 1 / m of it; rows kept aside have it for their own m. Where values are many both
    are told too low by up to an eighth, as no distance is above 1.
    """
    n, m = facts.n_real, facts.n_released
    of_copy = score.ceiling_bootstrap * math.sqrt(1 + m / n)
    if facts.n_holdout is None or math.isnan(score.floor_fresh):
        return of_copy
    own = (1 / n + 1 / m) / (1 / n + 1 / facts.n_holdout)
    return max(of_copy, score.floor_fresh * math.sqrt(own))


def _missing(scores: Sequence[Score]) -> Iterator[Finding]:
    changed = [
        score
        for score in scores
        if score.name == "missing_change" and _low(score) > _MORE_MISSING
    ]
    if changed:
        most = sorted(changed, key=lambda score: -score.value)[:_NAMED]
        named = _and_more((f"{s.columns[0]} ({s.note})" for s in most), len(changed))
        yield Finding(
            "missing", f"The share of rows without a value has changed: {named}."
        )


def _rules(rules: pd.DataFrame) -> Iterator[Finding]:
    known = rules["released"] - rules["real"] > _BROKEN
    broken = rules[known].sort_values("released", ascending=False, kind="stable")
    if len(broken):
        most = broken[["rule", "released"]][:_NAMED].itertuples(index=False)
        said = (f"{rule} by {share:.1%} of the rows" for rule, share in most)
        named = _and_more(said, len(broken))
        yield Finding(
            "rules",
            f"The release breaks {len(broken)} of {len(rules)} rules of the real "
            f"table: {named}.",
        )


def _values(scores: Mapping[str, Score]) -> Iterator[Finding]:
    score = scores["unseen_values"]
    if score.value > _UNSEEN:
        yield Finding(
            "values",
            f"{score.value:.2%} of the released cells hold a value that the real table "
            f"lacks ({score.note}).",
        )


def _and_more(said, n):
    """The first few of n, as text, and how many more there are."""
    more = [f"and {n - _NAMED} more"] if n > _NAMED else []
    return "; ".join([*said, *more])


def _of_no_copy(score, most=max):
    """The area that what copies nobody has: .5, or more by the rows that are asked.

    Or less, with `min`: rows that share their margins are taken for each other.
    """
    others = (score.floor_fresh, score.floor_independent)
    return most(0.5, *(value for value in others if not math.isnan(value)))


def _low(score):
    return score.value - _WIDER * (score.value - score.low)


def _high(score):
    return score.value + _WIDER * (score.high - score.value)


def carried_by_one(
    columns: Iterable[Column],
    real: pd.DataFrame,
    released: pd.DataFrame,
    individuals: np.ndarray | None = None,
) -> list[str]:
    """Columns whose total has fallen by more than a tenth, and of which one has more.

    Which individual it is that has more than a tenth, and how much, is not told.

    Parameters
    ----------
    columns : iterable of Column
        Of the real table; those of numbers that both have are looked at.
    real, released : DataFrame
        Typed, of any numbers of rows: the mean of a row is what is compared.
    individuals : ndarray of int64, shape (n,), optional
        Number of the individual of each real row; by default each is one of its own.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from coclust_synth import infer_schema
    >>> real = pd.DataFrame({"x": [1.0, 2.0, 3.0, 94.0], "y": [3.0, 2.5, 2.0, 1.0]})
    >>> columns = infer_schema(real).columns
    >>> carried_by_one(columns, real, real.assign(x=2.0))
    ['x']
    """
    names = []
    for column in columns:
        if column.kind not in ("integer", "real") or column.name not in released:
            continue
        own, drawn = (
            np.nan_to_num(frame[column.name].to_numpy(np.float64, na_value=np.nan))
            for frame in (real, released)
        )
        own, exponent = below_1(own)  # or sums are infinite
        drawn = np.ldexp(drawn, -exponent)
        size = np.abs(own)
        of_each = size if individuals is None else np.bincount(individuals, size)
        means = [abs(numbers.sum()) / max(len(numbers), 1) for numbers in (own, drawn)]
        has_fallen = means[1] < (1 - _FALLEN) * means[0]
        if has_fallen and of_each.max(initial=0.0) > _FALLEN * size.sum():
            names.append(column.name)
    return names
