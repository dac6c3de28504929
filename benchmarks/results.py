"""What was measured, and the tables that are made of it."""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchmarks.cases import CASES, Case
from benchmarks.runs import Run

CHECKPOINTS = (1, 3, 12, 25, 60)  # CPU seconds


@dataclass(frozen=True)
class Outcome:
    """The runs of one case.

    Attributes
    ----------
    name : str
    case : Case
    null_cost : float
        (nats)
    ours : list of Run
        One for each seed.
    khiops : Run, optional
    """

    name: str
    case: Case
    null_cost: float
    ours: list[Run]
    khiops: Run | None = None

    def our_seconds_to(self, cost):
        """Median over seeds of the CPU seconds to a cost; inf if half do not reach it.

        nan if there is no such cost.
        """
        if cost is None or math.isnan(cost):
            return math.nan
        return float(np.median([run.seconds_to(cost) for run in self.ours]))


def trace_table(outcomes):
    """One row for each improvement of each run.

    Returns
    -------
    DataFrame
        Columns case, program, seed, cpu_seconds, cost; of the whole run
        run_cpu_seconds, and whether it ended by itself, is_finished.
    """
    runs = [
        (outcome.name, program, run)
        for outcome in outcomes
        for program, some in (
            ("coclust_synth", outcome.ours),
            ("khiops", [outcome.khiops] if outcome.khiops else []),
        )
        for run in some
    ]
    rows = [
        (name, program, run.seed, at, cost, run.cpu_seconds, run.is_finished)
        for name, program, run in runs
        for at, cost in run.points
    ]
    columns = ["case", "program", "seed", "cpu_seconds", "cost"]
    columns += ["run_cpu_seconds", "is_finished"]
    return pd.DataFrame(rows, columns=columns).astype({"seed": "Int64"})


def read_outcomes(traces):
    """Outcomes from their traces; runs that found nothing left none.

    Parameters
    ----------
    traces : DataFrame
        Of `trace_table`.

    Returns
    -------
    list of Outcome
    """
    outcomes = []
    for name, of_case in traces.groupby("case", sort=False):
        runs = {"coclust_synth": [], "khiops": []}
        for (program, seed), some in of_case.groupby(
            ["program", "seed"], sort=False, dropna=False
        ):
            whole = some.iloc[0]
            points = zip(some["cpu_seconds"], some["cost"], strict=True)
            seed = None if pd.isna(seed) else int(seed)
            run = Run(
                tuple(points), whole["run_cpu_seconds"], whole["is_finished"], seed
            )
            runs[program].append(run)
        ours, theirs = runs["coclust_synth"], runs["khiops"]
        null_cost = ours[0].points[0][1]
        outcomes.append(
            Outcome(name, CASES[name], null_cost, ours, theirs[0] if theirs else None)
        )
    return outcomes


def seed_table(outcomes):
    """One row for each of our runs: the cost (nats) after some CPU seconds.

    Returns
    -------
    DataFrame
        Columns case, seed, null_cost, after_1, after_3, ..., khiops_cost,
        seconds_to_khiops.
    """
    rows = []
    for outcome in outcomes:
        khiops_cost = outcome.khiops.cost if outcome.khiops else math.nan
        for run in outcome.ours:
            row = {"case": outcome.name, "seed": run.seed}
            row |= {"null_cost": outcome.null_cost}
            row |= {f"after_{t}": run.cost_after(t) for t in CHECKPOINTS}
            row |= {"khiops_cost": khiops_cost}
            row |= {"seconds_to_khiops": run.seconds_to(khiops_cost)}
            rows.append(row)
    return pd.DataFrame(rows)


def case_table(outcomes):
    """One row for each case: our medians over seeds, beside Khiops.

    Returns
    -------
    DataFrame
        Columns case, null_cost, after_1, after_3, ...; then, for what Khiops did here
        (``khiops_``) and for its published run (``published_``), its ``cost``, its
        ``cpu_seconds`` to it, whether it ``is_finished``, ``our_seconds`` to that cost
        (inf if half of the seeds do not reach it), and the ``ratio`` of the two times.
    """
    rows = []
    for outcome in outcomes:
        row = {"case": outcome.name, "null_cost": outcome.null_cost}
        for t in CHECKPOINTS:
            row[f"after_{t}"] = np.median([run.cost_after(t) for run in outcome.ours])
        run, published = outcome.khiops, outcome.case.published
        if run is not None:
            row |= _beside(outcome, "khiops", run.cost, run.last_seconds, run)
        if published is not None:
            seconds = published.cpu_seconds or math.nan
            row |= _beside(outcome, "published", published.cost, seconds, published)
        rows.append(row)
    columns = [
        *("case", "null_cost"),
        *(f"after_{t}" for t in CHECKPOINTS),
        *(f"{who}_{what}" for who in ("khiops", "published") for what in _BESIDE),
    ]
    return pd.DataFrame(rows, columns=columns)


_BESIDE = ("cost", "cpu_seconds", "is_finished", "our_seconds", "ratio")


def _beside(outcome, who, cost, cpu_seconds, run):
    our_seconds = outcome.our_seconds_to(cost)
    ratio = cpu_seconds / our_seconds if 0 < our_seconds < math.inf else math.nan
    values = (cost, cpu_seconds, run.is_finished, our_seconds, ratio)
    return {f"{who}_{what}": value for what, value in zip(_BESIDE, values, strict=True)}
