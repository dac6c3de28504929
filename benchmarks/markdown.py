"""The tables of results, for people to read."""

import math

import pandas as pd

from benchmarks.results import CHECKPOINTS, case_table, seed_table

_SECONDS = ["CPU s", "ours, CPU s", "ratio"]
_NOTES = """\
Costs in nats, medians over seeds; "after 3 s" is after 3 CPU seconds of our search
alone, kernels loaded and table in memory. Khiops's CPU seconds are those of its whole
process, which reads the table from a file, until its last improvement, or its end if it
ended by itself; below a second most of it is its start. "ours" is the median of the CPU
seconds until our cost is no higher than that of Khiops; the ratio is that of the two
times. "Khiops to its end": runs of Khiops 11.0.1 on 2 shared cores, measured in
November 2026. † stopped before it ended;
none: it had found nothing.
"""


def results_markdown(outcomes):
    """Two tables and their notes.

    Parameters
    ----------
    outcomes : list of Outcome

    Returns
    -------
    str
    """
    titles = {outcome.name: outcome.case.title for outcome in outcomes}
    cases, seeds = case_table(outcomes), seed_table(outcomes)
    checkpoints = [t for t in CHECKPOINTS if cases[f"after_{t}"].notna().any()]
    after = [f"after {t} s" for t in checkpoints]
    head = ["case", "null cost", *after]
    head += ["Khiops here", *_SECONDS, "Khiops to its end", *_SECONDS]
    lines = [
        [
            titles[row["case"]],
            _cost(row["null_cost"]),
            *(_cost(row[f"after_{t}"]) for t in checkpoints),
            *_beside(row, "khiops"),
            *_beside(row, "published"),
        ]
        for _, row in cases.iterrows()
    ]
    by_seed = [
        [
            titles[row["case"]],
            str(row["seed"]),
            *(_cost(row[f"after_{t}"]) for t in checkpoints),
            _figure(row["seconds_to_khiops"])
            if not math.isnan(row["khiops_cost"])
            else "",
        ]
        for _, row in seeds.iterrows()
    ]
    return "\n".join(
        [
            "# Our searches and Khiops\n",
            _table(head, lines),
            _NOTES,
            "## By seed\n",
            _table(["case", "seed", *after, "CPU s to Khiops here"], by_seed),
        ]
    )


def _beside(row, who):
    cost, is_finished = row[f"{who}_cost"], row[f"{who}_is_finished"]
    if pd.isna(cost):
        return ["" if pd.isna(is_finished) else "none †", "", "", ""]
    stopped = "" if is_finished else " †"
    ratio = row[f"{who}_ratio"]
    return [
        _cost(cost) + stopped,
        _figure(row[f"{who}_cpu_seconds"]),
        _figure(row[f"{who}_our_seconds"]),
        _figure(ratio),
    ]


def _cost(cost):
    return "" if math.isnan(cost) else f"{cost:,.1f}"


def _figure(number):
    """A time or a ratio, two digits or more."""
    if math.isnan(number):
        return ""
    if math.isinf(number):
        return "not reached"
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"


def _table(head, lines):
    rows = [head, ["---"] * len(head), *lines]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
