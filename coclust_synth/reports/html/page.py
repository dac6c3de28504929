"""An evaluation as one page that needs nothing else: no network, and no script."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from coclust_synth._version import __version__
from coclust_synth.evaluation.evaluation_result import (
    ColumnShares,
    Evaluation,
    Facts,
    Score,
)
from coclust_synth.evaluation.measures import HALF, LOWER, MEASURES, measure_of
from coclust_synth.plotting.axes import shortened
from coclust_synth.plotting.scores import (
    RISKS,
    pairs_size,
    plot_distances,
    plot_pairs,
    plot_risk_utility,
    plot_scores,
)
from coclust_synth.reports.html.headline import (
    Story,
    headlines,
    interval,
    left_out_by_reason,
    written,
)
from coclust_synth.reports.html.rendering import (
    PageFigure,
    Section,
    page_figure,
    rendered,
)
from coclust_synth.tables.rules.values.in_words import told_once

# What a page of at most 3 MB and a reader's patience have room for.
_MAX_COLUMNS, _MAX_PARTS = 80, 14
_LONGEST = 40  # letters of the name of a column, in a list of them


class _Bar(NamedTuple):
    """A part of a column: its share in both tables, and widths of bars in percent."""

    label: str
    real: str
    released: str
    real_width: str
    released_width: str


def evaluation_page(
    evaluation: Evaluation, told: Story, sections: Sequence[Section] = ()
) -> str:
    """The page of an evaluation, in HTML.

    Parameters
    ----------
    evaluation : Evaluation
    told : Story
    sections : sequence of Section
        What else is known of the release, after the first figures.

    Returns
    -------
    str
        One file: style and figures are in it. The same evaluation gives the same text.
    """
    content = _content(evaluation, told)
    return rendered("evaluation.html.j2", sections=sections, **content)


def _content(evaluation: Evaluation, told: Story) -> dict[str, Any]:
    facts, details = evaluation.facts, evaluation.details
    shown = _worst_columns(evaluation)
    return {
        "version": __version__,
        "told": told,
        "facts": facts,
        "left_out": left_out_by_reason(facts),
        "findings": tuple(finding.text for finding in evaluation.findings),
        "headlines": [
            ("What it is worth", headlines(evaluation, "utility")),
            ("What it risks", headlines(evaluation, "risk")),
        ],
        "figures": _figures(evaluation),
        "columns": [
            (name, facts.columns[name], _of_column(evaluation, name), _bars(shares))
            for name, shares in details.columns.items()
            if name in shown
        ],
        "n_hidden": len(details.columns) - len(shown),
        "cells": [
            {
                "where": " and ".join(
                    f"{name}: {value}"
                    for name, value in zip(row.columns, row.values, strict=True)
                ),
                "real": _percent(row.real),
                "released": _percent(row.released),
                "change": f"{row.released - row.real:+.2%}",
            }
            for row in _cells(details.cells)
        ],
        "rules": [
            [row["rule"], *(_percent(row[place]) for place in _PLACES_OF_RULES)]
            for row in _rules_once(details.rules)
        ],
        "scores": [
            (
                group,
                title,
                [_line(s, facts) for s in evaluation.scores if s.group == group],
            )
            for group, title in (("utility", "Utility"), ("risk", "Risk"))
        ],
    }


_PLACES_OF_RULES = ("real", "released", "fresh", "independent")


def _rules_once(rules):
    """Rules; those of what is missing together, which no rows break, are said as one.

    Of independent columns at least the largest share that breaks one of them does.
    """

    def told(rule):
        is_broken = any(rule[place] > 0 for place in _PLACES_OF_RULES[:-1])
        kind = "never" if len(rule["columns"]) == 2 else None
        return rule | {"kind": kind, "drawn_broken": is_broken}

    def largest(one, other):
        return {"independent": max(one["independent"], other["independent"])}

    return told_once([*map(told, rules.to_dict("records"))], of_both=largest)


class _Cell(NamedTuple):
    columns: tuple[str, str]
    values: tuple[str, str]
    real: float
    released: float


def _cells(frame):
    return [_Cell(**record) for record in frame.to_dict("records")]


def _figures(evaluation: Evaluation) -> list[PageFigure]:
    """Of each that can be drawn."""
    whole = [s for s in evaluation.scores if not s.columns and s.is_measured]
    figures = [
        page_figure(
            "Distances of sets of columns",
            partial(plot_distances, evaluation),
            (5.2, 3.0),
            "Low is good: the release should be far below independent columns. "
            f"{of_kept_aside(evaluation.facts)}At the copy's distance or below, it "
            "differs from the real rows no more than by sampling error. The numbers "
            "are in the table of utility.",
        )
    ]
    if any(score.name in RISKS for score in whole):
        figures.append(
            page_figure(
                "Use and risk",
                partial(plot_risk_utility, evaluation),
                (5.2, 3.4),
                "Further to the left is nearer to the real rows. At the line an "
                "attacker cannot tell who was learnt from. A copy of the real rows "
                "is the most useful release, and protects nobody. The bar is the 95 "
                "% interval.",
            )
        )
    half = [s for s in whole if s.direction == HALF]
    half.sort(key=lambda score: score.group == "utility")
    if half:
        figures.append(
            page_figure(
                "Told apart, and membership",
                partial(plot_scores, half, best=0.5),
                (6.4, 0.9 + 0.42 * len(half)),
                "Areas under a curve, or shares. At the line, .5, nothing can be "
                "told; a bar is the 95 % interval. Membership, and nearness to rows "
                "learnt from: to the right of the line the release shows who was "
                "learnt from, unless rows kept aside and independent columns, which "
                "copy nobody, are as far to the right; the copy of the real rows "
                "shows how far an attack can get. Boosting, against rows kept aside: "
                "to the right, released rows can be recognised as synthetic. "
                "Boosting, against rows learnt from: to the left, released rows are "
                "copies. The numbers are in the tables.",
            )
        )
    beyond = [
        s
        for s in whole
        if s.group == "risk"
        and s.direction == LOWER
        and not math.isnan(s.low)
        and MEASURES[s.name].needs_holdout
    ]
    if beyond:
        figures.append(
            page_figure(
                "Attacks, beyond chance",
                partial(plot_scores, beyond, best=0),
                (6.4, 0.9 + 0.42 * len(beyond)),
                "Share of guesses that are right beyond chance. At 0 an attacker "
                "learns no more about the people learnt from than about anybody "
                "else. An interval that reaches 0 shows nothing. The numbers are in "
                "the table of risk.",
            )
        )
    names = list(evaluation.details.columns)
    if len(names) > 1:
        figures.append(
            page_figure(
                "Pairs of columns",
                partial(plot_pairs, evaluation),
                pairs_size(len(names)),
                "Dark cells are pairs of columns whose joint shares changed most, by "
                "total variation; the diagonal has single columns. Most changed: "
                f"{_worst_pairs(names, evaluation.details.pairs)}.",
            )
        )
    return figures


def of_kept_aside(facts):
    """How far from the real rows those kept aside are, which can be few."""
    if facts.n_holdout is None:
        return ""
    fewer = ""
    if facts.n_holdout < facts.n_released:
        fewer = (
            f", though these are only {facts.n_holdout:,}, not {facts.n_released:,}, "
            "and therefore farther by sampling alone"
        )
    return f"It should be near the rows kept aside, or below them{fewer}. "


def _worst_pairs(names, pairs):
    """The five pairs that changed most, in words."""
    i, j = np.triu_indices(len(names), 1)
    worst = np.argsort(-pairs[i, j], kind="stable")[:5]
    names = [shortened(name, _LONGEST) for name in names]
    return "; ".join(
        f"{names[i[k]]} and {names[j[k]]} {written(float(pairs[i[k], j[k]]))}"
        for k in worst
    )


def _worst_columns(evaluation):
    """Columns that have room: all, or those that changed most."""
    changes = {s.columns[0]: s.value for s in evaluation.of_columns("total_variation")}
    return set(sorted(changes, key=lambda name: -changes[name])[:_MAX_COLUMNS])


def _of_column(evaluation, name):
    """A line of figures about a column."""
    found = {s.name: s for s in evaluation.scores if s.columns == (name,)}
    told = [f"total variation {written(found['total_variation'].value)}"]
    independent = found["total_variation"].floor_fresh
    if not math.isnan(independent):
        told[0] += f" (rows kept aside {written(independent)})"
    for measure, what in (
        ("total_error", "total off by"),
        ("deviation_error", "standard deviation off by"),
        ("quantile_error", "quantiles off by"),
        ("missing_change", "missing off by"),
    ):
        score = found.get(measure)
        if score is not None and score.value > 0:
            told.append(f"{what} {_percent(score.value)}")
    return "; ".join(told)


def _bars(shares: ColumnShares) -> list[_Bar]:
    """The parts of a column, of many the most frequent ones."""
    most = np.maximum(shares.real, shares.released)
    kept = np.flatnonzero(most > 0)
    if len(kept) > _MAX_PARTS:
        kept = np.sort(kept[np.argsort(-most[kept], kind="stable")[:_MAX_PARTS]])
    rows = [
        (shares.labels[k], float(shares.real[k]), float(shares.released[k]))
        for k in kept
    ]
    others = [
        max(1 - float(own[kept].sum()), 0.0) for own in (shares.real, shares.released)
    ]
    if max(others) > 1e-9:
        n_others = int((most > 0).sum()) - len(kept)
        rows.append((f"{n_others} others", others[0], others[1]))
    widest = max(max(real, released) for _, real, released in rows)
    return [
        _Bar(
            label,
            _percent(real),
            _percent(released),
            f"{100 * real / widest:.1f}",
            f"{100 * released / widest:.1f}",
        )
        for label, real, released in rows
    ]


def _line(score: Score, facts: Facts) -> dict[str, str]:
    measure = measure_of(score.name, facts.counted)
    return {
        "title": measure.title,
        "reads": measure.reads,
        "columns": ", ".join(score.columns),
        "value": written(score.value, score.unit),
        "sort": "" if math.isnan(score.value) else repr(float(score.value)),
        "interval": interval(score),
        "fresh": written(score.floor_fresh, score.unit),
        "bootstrap": written(score.ceiling_bootstrap, score.unit),
        "independent": written(score.floor_independent, score.unit),
        "direction": score.direction.split(" is")[0],
        "unit": score.unit,
        "note": score.note,
    }


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{share:.2%}"
