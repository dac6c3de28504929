"""Khiops on the same table, in a process of its own."""

import json
import os
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory

from pandas.api.types import is_numeric_dtype

from benchmarks.runs import Run
from coclust_synth import read_khiops_report
from coclust_synth.exceptions import CoclustSynthError

_ROOT = Path(__file__).resolve().parent.parent
_IMPROVED = re.compile(
    r"^\s*(\d+):(\d\d):(\d\d)\tWrite intermediate report .*\tLevel: (\S+)", re.MULTILINE
)


class KhiopsError(Exception):
    """Khiops did not do what it was asked for."""


def is_installed():
    """Whether the Python package of Khiops is there (``pip install '.[khiops]'``)."""
    try:
        version("khiops")
    except PackageNotFoundError:
        return False
    return True


def run_khiops(problem, *, null_cost, seconds):
    """Let Khiops search, on one core.

    Parameters
    ----------
    problem : Problem
    null_cost : float
        That of our null model (nats), which Khiops's must equal.
    seconds : float
        CPU seconds after which it is stopped, unless it ends by itself.

    Returns
    -------
    Run
        Of the whole process: it reads the table from a file. It notes improvements by
        wall time, in whole seconds, taken here for the same share of its CPU time.

    Raises
    ------
    KhiopsError
    """
    with TemporaryDirectory() as folder:
        folder = Path(folder)
        _write_task(folder, problem, seconds)
        process = subprocess.run(
            [sys.executable, "-m", "benchmarks.khiops_process", folder],
            cwd=_ROOT,
            env=_environment(),
            capture_output=True,
            text=True,
        )
        if process.returncode:
            raise KhiopsError(process.stderr.strip())
        done = json.loads((folder / "done.json").read_text(encoding="utf-8"))
        log = (folder / "log.txt").read_text(encoding="utf-8")
        points = improvements(log, null_cost, done)
        report = _last_report(folder)
    if done["is_finished"] and report is None:
        raise KhiopsError(f"Khiops wrote no report. Its log says: {log}")
    if report is not None:
        if f"{report.null_cost:.10g}" != f"{null_cost:.10g}":
            raise KhiopsError(
                f"Expected a null cost of {null_cost:.10g}. Received "
                f"{report.null_cost:.10g} from Khiops: it did not read the same table."
            )
        points = with_report(points, report.cost, done)
    return Run(tuple(points), done["cpu_seconds"], done["is_finished"])


def improvements(log, null_cost, done):
    """What a log of Khiops says of its way.

    It prints levels, of 6 digits: costs are known to some hundredths of a nat.

    Parameters
    ----------
    log : str
    null_cost : float
        (nats)
    done : dict
        ``seconds`` and ``cpu_seconds`` of the whole process.

    Returns
    -------
    list of (float, float)
        CPU seconds and cost (nats) of each improvement.
    """
    cpu_share = done["cpu_seconds"] / done["seconds"]
    points = []
    for hours, minutes, seconds, level in _IMPROVED.findall(log):
        # Whole seconds: it was half a second later, on average.
        wall = 3600 * int(hours) + 60 * int(minutes) + int(seconds) + 0.5
        at = min(wall * cpu_share, done["cpu_seconds"])
        points.append((at, null_cost * (1 - float(level))))
    return points


def with_report(points, cost, done):
    """The way that a log tells, with the exact cost of the last report.

    Parameters
    ----------
    points : list of (float, float)
        See `improvements`.
    cost : float
        Of the report (nats).
    done : dict
        ``is_finished``, and ``cpu_seconds`` of the whole process: only at its end is
        the final report there.
    """
    # Levels are rounded: none of these grids is better than the last one.
    points = [(at, max(other, cost)) for at, other in points]
    if done["is_finished"]:
        return [*points, (done["cpu_seconds"], cost)]
    return [*points[:-1], *((at, cost) for at, _ in points[-1:])]


def _write_task(folder, problem, seconds):
    table = problem.table
    table.to_csv(folder / "table.tsv", sep="\t", index=False)
    variables = [
        f"{'Numerical' if is_numeric_dtype(table[name]) else 'Categorical'}\t`{name}`;"
        for name in table.columns
    ]
    dictionary = "\n".join(["Dictionary table {", *variables, "};", ""])
    (folder / "table.kdic").write_text(dictionary, encoding="utf-8")
    task = {
        "variables": None if problem.has_variable_parts else list(table.columns),
        "seconds": seconds,
    }
    (folder / "task.json").write_text(json.dumps(task), encoding="utf-8")


def _environment():
    """That of this process, where the programs beside this Python are found."""
    programs = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": os.pathsep.join([programs, os.environ["PATH"]])}


def _last_report(folder):
    """Summary of the final report, or of the last one before; None if there is none."""
    reports = sorted(folder.glob("*.khcj"), key=lambda path: -path.stat().st_mtime)
    for path in reports:
        try:
            return read_khiops_report(path).summary
        except CoclustSynthError:
            pass  # Khiops was stopped while it wrote it
    return None
