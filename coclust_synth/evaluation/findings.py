"""What of an evaluation whoever releases the table must not overlook.

Each finding rests on an interval or a reference of the same run, and is told with its
figures. That none is told proves nothing.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from coclust_synth.evaluation.evaluation_result import Finding, Score

# Beyond the interval of 95 %: several signs are looked at, and each should be rare.
_WIDER = 1.5
# Below these a sign is of no weight, whatever the number of rows.
_LEAST_COPIED, _LEAST_NEARER, _LEAST_TOLD = 0.01, 0.53, 0.55
_BROKEN = 0.01  # of the rows
_NAMED = 3  # rules, those that most rows break
_UNSEEN = 0.001  # of the cells


def find(scores: Sequence[Score], rules: pd.DataFrame) -> tuple[Finding, ...]:
    """What stands out.

    Parameters
    ----------
    scores : sequence of Score
    rules : DataFrame
        That of `Details`.
    """
    by_name = {score.name: score for score in scores if not score.columns}
    return (
        *_copies(by_name),
        *_independent(by_name),
        *_rules(rules),
        *_values(by_name),
    )


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
                f"{what} learnt from are told from others with an AUC of "
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
            "copies", f"Rows it was made from show through: {'; '.join(signs)}."
        )


def _independent(scores: Mapping[str, Score]) -> Iterator[Finding]:
    pairs = scores.get("mean_total_variation_2")
    if pairs is None:
        return
    least = _of_real_rows(pairs)
    excess, most = pairs.value - least, pairs.floor_independent - least
    if excess <= most / 2:
        return
    # A pair of columns that have changed by a and b, independently, has by a + b - ab.
    single = scores["mean_total_variation_1"]
    changed = max(single.value - _of_real_rows(single), 0.0)
    if excess - changed * (2 - changed) > most / 2:
        yield Finding(
            "independent",
            "The release has lost most of what goes with what: pairs of columns are "
            f"{pairs.value:.3f} from the real ones, independent columns would be "
            f"{pairs.floor_independent:.3f}, real rows {least:.3f}.",
        )
    else:
        yield Finding(
            "columns",
            "Columns by themselves have changed, and pairs with them: single columns "
            f"are {single.value:.3f} from the real ones on average, real rows would be "
            f"{_of_real_rows(single):.3f}. See which under Columns.",
        )


def _of_real_rows(score: Score) -> float:
    """What rows kept aside have, or a copy where there are none."""
    fresh = score.floor_fresh
    return score.ceiling_bootstrap if math.isnan(fresh) else fresh


def _rules(rules: pd.DataFrame) -> Iterator[Finding]:
    known = rules["released"] - rules["real"] > _BROKEN
    broken = rules[known].sort_values("released", ascending=False, kind="stable")
    if len(broken):
        named = "; ".join(
            f"{rule} by {share:.1%} of the rows"
            for rule, share in zip(
                broken["rule"][:_NAMED], broken["released"][:_NAMED], strict=True
            )
        )
        if len(broken) > _NAMED:
            named += f"; and {len(broken) - _NAMED} more"
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
