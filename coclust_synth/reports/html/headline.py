"""The figures of an evaluation that come first, and how a figure is written."""

import math
from typing import NamedTuple

from coclust_synth.evaluation.evaluation_result import Evaluation, Score
from coclust_synth.evaluation.measures import PERSONS, ROWS, measure_of

# Of each group the first three that were measured.
_FIRST = {
    "utility": (
        "information_loss_set",
        "mean_il1s",
        "mean_total_variation_2",
        "told_from_holdout",
        "mean_boosting_auc",
        "mean_query_error",
        "mean_association_change",
    ),
    "risk": (
        "linked_rows",
        "smallest_class",
        "prosecutor_largest",
        "uniques_beyond_chance",
        "membership_isolated",
        "mean_inference",
        "uniques_reproduced",
        "uniques_at_large",
        "protection_profiles",
    ),
}
_N = 3
# What a reader should compare each figure of the first screen with.
_BESIDE = {
    "fresh": "real rows kept aside",
    "bootstrap": "copy of the real rows",
    "independent": "independent columns",
}
# Units of figures that are whole numbers.
_COUNTED = ("individuals", PERSONS, ROWS, "pairs of rows")


class Headline(NamedTuple):
    """A figure of the first screen.

    Attributes
    ----------
    title, value, interval, reads : str
    beside : list of (str, str)
        What else has which figure.
    """

    title: str
    value: str
    interval: str
    reads: str
    beside: list[tuple[str, str]]


def headlines(evaluation: Evaluation, group: str) -> list[Headline]:
    """The first figures of a group.

    Parameters
    ----------
    evaluation : Evaluation
    group : {"utility", "risk"}
    """
    whole = {s.name: s for s in evaluation.scores if not s.columns and s.is_measured}
    first = [whole[name] for name in _FIRST[group] if name in whole]
    counted = evaluation.facts.counted
    return [_headline(score, whole, counted) for score in first[:_N]]


def _headline(score: Score, whole: dict[str, Score], counted: str) -> Headline:
    measure = measure_of(score.name, counted)
    beside = [(what, written(value, score.unit)) for what, value in references(score)]
    of_real = whole.get(f"{score.name}_of_real")
    if of_real is not None:
        beside.insert(0, ("learnt from the real table", written(of_real.value)))
    return Headline(
        measure.title,
        written(score.value, score.unit),
        interval(score),
        measure.reads,
        beside,
    )


def references(score: Score) -> list[tuple[str, float]]:
    """What has which figure in place of the release, of what was measured."""
    values = (score.floor_fresh, score.ceiling_bootstrap, score.floor_independent)
    pairs = zip(_BESIDE.values(), values, strict=True)
    return [(what, value) for what, value in pairs if not math.isnan(value)]


def interval(score: Score) -> str:
    """The 95 % interval of a score; empty if it has none."""
    if math.isnan(score.low) or math.isnan(score.high):
        return ""
    return f"{written(score.low)} to {written(score.high)}"


def written(value: float, unit: str = "") -> str:
    """A figure in few characters; a dash for one that was not measured."""
    if math.isnan(value):
        return "–"
    if value == int(value) and (abs(value) >= 2 or unit in _COUNTED):
        return f"{value:,.0f}"
    text = f"{value:.3f}" if abs(value) < 100 else f"{value:,.0f}"
    return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text
