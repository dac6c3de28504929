"""What comes first on a page: the release in words, and figures of its evaluation."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from coclust_synth.evaluation.evaluation_result import Evaluation, Facts, Score
from coclust_synth.evaluation.measures import PERSONS, ROWS, measure_of
from coclust_synth.reports.manifest import NO_GUARANTEE, is_private

OUTSIDE_THE_BUDGET = (
    "computed after the release, from the real rows, outside of its budget: publishing "
    "any of it spends privacy that the ledger of the release does not count"
)
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


class Story(NamedTuple):
    """A release in a few sentences.

    Attributes
    ----------
    name : str
        Of its file.
    method : str
    guarantee : str
    is_private : bool
        Whether it promises differential privacy.
    warnings : tuple of str, default=()
        That whoever made the release knows of.
    not_protected : tuple of str, default=()
        As its manifest says it.
    """

    name: str
    method: str
    guarantee: str
    is_private: bool
    warnings: tuple[str, ...] = ()
    not_protected: tuple[str, ...] = ()


def story(
    name: str,
    facts: Facts,
    manifest: dict[str, Any] | None,
    warnings: Sequence[str] = (),
) -> Story:
    """The story of a release, from its manifest where it has one.

    Parameters
    ----------
    name : str
    facts : Facts
    manifest : dict or None
        As the commands that release tables write it.
    warnings : sequence of str
    """
    method, guarantee, private = _told(facts, manifest)
    limits = tuple((manifest or {}).get("not_protected", ()))
    return Story(name, method, guarantee, private, tuple(warnings), limits)


def _told(facts, manifest):
    """Method, guarantee, and whether it is of differential privacy."""
    if manifest is None:
        kind = "a table with labels" if facts.is_generalized else "a table"
        return (
            f"{kind} made by an unknown method: no manifest lies beside it",
            f"Not known; taken as: {NO_GUARANTEE}",
            False,
        )
    if is_private(manifest):
        generator, statement = manifest["generator"]["name"], manifest["statement"]
        return (
            f"rows drawn from noisy counts by {generator}",
            f"{statement[:1].upper()}{statement[1:]}; unit: {manifest['unit']}.",
            True,
        )
    method = manifest["method"]
    how = f"{method['what']}, by the command {method['command']}"
    return how, manifest["guarantee"], False


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


def left_out_by_reason(facts: Facts) -> dict[str, list[str]]:
    """The columns that were not compared, of each reason."""
    columns: dict[str, list[str]] = {}
    for name, why in facts.left_out.items():
        columns.setdefault(why, []).append(name)
    return columns


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
