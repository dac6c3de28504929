"""An evaluation as one page that needs nothing else: no network, and no script."""

import math
from typing import Any, NamedTuple

import numpy as np

from coclust_synth._version import __version__
from coclust_synth.evaluation.evaluation_result import ColumnShares, Evaluation, Score
from coclust_synth.evaluation.measures import LOWER, MEASURES, ORDERS
from coclust_synth.reports.headline import headlines, interval, written
from coclust_synth.reports.html.figures import (
    by_direction,
    dots_figure,
    orders_figure,
    pairs_figure,
)
from coclust_synth.reports.html.story import Story

# What a page of at most 3 MB and a reader's patience have room for.
_MAX_COLUMNS, _MAX_PARTS = 80, 14
_UTILITY_AUC = ("told_from_holdout", "told_from_training")


class _Bar(NamedTuple):
    """A part of a column: its share in both tables, and widths of bars in percent."""

    label: str
    real: str
    released: str
    real_width: str
    released_width: str


def evaluation_page(evaluation: Evaluation, told: Story) -> str:
    """The page of an evaluation, in HTML.

    Parameters
    ----------
    evaluation : Evaluation
    told : Story

    Returns
    -------
    str
        One file: style and figures are in it. The same evaluation gives the same text.
    """
    # Here, not above: no other command has to wait for it to load.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("coclust_synth.reports.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    template = environment.get_template("evaluation.html.j2")
    return template.render(**_content(evaluation, told))


def _content(evaluation: Evaluation, told: Story) -> dict[str, Any]:
    facts, details = evaluation.facts, evaluation.details
    shown = _worst_columns(evaluation)
    return {
        "version": __version__,
        "told": told,
        "facts": facts,
        "findings": evaluation.findings,
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
            for row in details.rules.to_dict("records")
        ],
        "scores": [
            (group, title, [_line(s) for s in evaluation.scores if s.group == group])
            for group, title in (("utility", "Utility"), ("risk", "Risk"))
        ],
    }


_PLACES_OF_RULES = ("real", "released", "fresh", "independent")


class _Cell(NamedTuple):
    columns: tuple[str, str]
    values: tuple[str, str]
    real: float
    released: float


def _cells(frame):
    return [_Cell(**record) for record in frame.to_dict("records")]


def _figures(evaluation):
    """Title, figure and how to read it, of each that can be drawn."""
    whole = {s.name: s for s in evaluation.scores if not s.columns and s.is_measured}
    figures = []
    orders = [whole.get(f"mean_total_variation_{order}") for order in ORDERS]
    figures.append(
        (
            "Distances of sets of columns",
            orders_figure([score for score in orders if score is not None]),
            "Low is good: the release should be near the rows kept aside, and far "
            "below independent columns. At the copy's distance or below it is as near "
            "as its own sampling error. The numbers are in the table of utility.",
        )
    )
    risks = [s for s in whole.values() if s.group == "risk"]
    half, others = by_direction(risks)
    half += [whole[name] for name in _UTILITY_AUC if name in whole]
    beyond = [s for s in others if s.direction == LOWER and s.low == s.low]
    beyond = [s for s in beyond if MEASURES[s.name].needs_holdout]
    if half:
        figures.append(
            (
                "Told apart, and membership",
                dots_figure(half, best=0.5, xlabel="area under the curve, or share"),
                "The line at .5 is where nothing is told. To the right of it members "
                "and copies are told; a bar is the 95 % interval. The copy of the real "
                "rows shows how far an attack can get. The numbers are in the tables.",
            )
        )
    if beyond:
        figures.append(
            (
                "Attacks, beyond chance",
                dots_figure(beyond, best=0, xlabel="share of guesses beyond chance"),
                "At 0 an attacker learns of the people learnt from what he learns of "
                "anybody. Intervals that reach 0 show nothing. The numbers are in the "
                "table of risk.",
            )
        )
    names = list(evaluation.details.columns)
    if len(names) > 1:
        figures.append(
            (
                "Pairs of columns",
                pairs_figure(names, evaluation.details.pairs),
                "Dark cells are pairs whose joint shares changed most, by total "
                "variation; on the diagonal columns alone. Most changed: "
                f"{_worst_pairs(names, evaluation.details.pairs)}.",
            )
        )
    return figures


def _worst_pairs(names, pairs, n=5):
    """The pairs that changed most, in words."""
    i, j = np.triu_indices(len(names), 1)
    worst = np.argsort(-pairs[i, j], kind="stable")[:n]
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


def _line(score: Score) -> dict[str, str]:
    measure = MEASURES[score.name]
    return {
        "title": measure.title,
        "reads": measure.reads,
        "columns": ", ".join(score.columns),
        "value": written(score.value),
        "sort": "" if math.isnan(score.value) else repr(float(score.value)),
        "interval": interval(score),
        "fresh": written(score.floor_fresh),
        "bootstrap": written(score.ceiling_bootstrap),
        "independent": written(score.floor_independent),
        "direction": score.direction.split(" is")[0],
        "unit": score.unit,
        "note": score.note,
    }


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{share:.2%}"
