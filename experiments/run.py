"""Run the experiments that configs describe.

usage: python -m experiments.run CONFIG.toml|FOLDER|all [--smoke] [--jobs N]
           [--time-limit SECONDS] [--retry] [--adult FILE] [-o DIR]

``all`` is those of ``configs/``. Writes into ``DIR/<config name>/<hash>/``, with
``experiments/results`` as DIR by default and the hash of the config's content, of the
table and of the version of this package:

- ``config.toml``, a copy, and ``environment.json``: what ran, where and with what;
- ``rows.csv``, tidy rows, each written as soon as it is known. What fails, takes longer
  than the limit, or needs a program that is not installed is a row too;
- ``figure.png`` and ``figure.svg``, which read nothing but ``rows.csv``
  (``python -m experiments.figures`` makes them again).

What has run is not run again, so that a run that was cut short goes on where it ended;
with ``--retry`` what failed, took too long or was skipped is tried again. ``DIR/fits``
keeps the co-clusterings that several configs start from. The rows and figures compare
with the real table: they are a disclosure about it. Exit code 1 says that some rows are
failures or time-outs, 2 that a config cannot be run.

An experiment is a module of this project, named by ``experiment`` in the config, with
``KEYS``, what its config holds beside `experiments.configs.COMMON_KEYS`; ``COLUMNS``,
the columns of its rows; ``smoke(config)``, what is different at a tiny size;
``tasks(config, directory, fits)``, a list of `experiments.tasks.Task`, which checks the
config and the table; ``figure(rows, config)``, from a DataFrame.
"""

import argparse
import os
import shutil
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import joblib

from coclust_synth.exceptions import CoclustSynthError
from coclust_synth.validation import check_jobs, check_seconds
from experiments.adult import ADULT
from experiments.configs import Config, find_configs, read_config
from experiments.figures import draw
from experiments.machine import describe_environment
from experiments.results import Results
from experiments.tasks import FAILED, OK, TIMEOUT, Task, run_fit, run_task

_ROOT = Path(__file__).resolve().parent.parent


class Run(NamedTuple):
    """A config that runs: what is to do, and where its rows go."""

    config: Config
    tasks: list[Task]
    results: Results


def main(arguments=None):
    """Run from the command line; return the exit code."""
    args = _parser().parse_args(arguments)
    if args.adult:
        os.environ[ADULT] = str(args.adult)
    try:
        configs = [read_config(p, smoke=args.smoke) for p in find_configs(args.target)]
        runs = run(
            configs,
            args.output,
            jobs=args.jobs,
            time_limit=args.time_limit,
            retry=args.retry,
        )
    except CoclustSynthError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    n_bad = 0
    for one in runs:
        counts = one.results.counts
        told = [f"{counts[OK]} rows"]
        told += [f"{n} {s}" for s, n in counts.items() if n and s != OK]
        print(f"{one.results.folder}: {', '.join(told)}")
        n_bad += counts[FAILED] + counts[TIMEOUT]
    print(f"{sum(one.results.cpu_seconds for one in runs):.0f} CPU seconds in all")
    if n_bad:
        print(f"{n_bad} rows are failures or time-outs", file=sys.stderr)
    return 1 if n_bad else 0


def run(configs, output, *, jobs=1, time_limit=None, retry=False):
    """Run configs and write what they give.

    Parameters
    ----------
    configs : list of Config
    output : Path
        Results go to folders below.
    jobs : int, default=1
        Processes that work at a time.
    time_limit : float, optional
        Seconds of one task, at most; see `experiments.tasks.run_task`.
    retry : bool, default=False
        Whether what failed, took too long or was skipped is tried again.

    Returns
    -------
    list of Run

    Raises
    ------
    CoclustSynthError
        If an argument, a config or its dataset cannot be used, before anything runs.
    """
    check_jobs("jobs", jobs)
    check_seconds("time_limit", time_limit)
    fits = output / "fits"
    ready = [
        (config, config.experiment.tasks(config.content, config.path.parent, fits))
        for config in configs
    ]
    folders = [config.folder(output) for config in configs]
    runs = []
    for (config, tasks), folder in zip(ready, folders, strict=True):
        results = Results(folder, config.experiment.COLUMNS, len(tasks), retry=retry)
        runs.append(Run(config, tasks, results))
        if results.left:
            shutil.copyfile(config.path, folder / "config.toml")
            results.write_environment(
                {"config": config.content, **describe_environment()}
            )
    pool = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")
    _fit(runs, fits, pool)
    _work(runs, pool, time_limit)
    return runs


def _fit(runs, folder, pool):
    """Fit what tasks share, each once."""
    wanted = {
        fit.path(folder): (fit, one.results)
        for one in runs
        for place in one.results.left
        for fit in one.tasks[place].fits
    }
    wanted = {path: needed for path, needed in wanted.items() if not path.is_file()}
    calls = [joblib.delayed(_fitted)(fit, folder) for fit, _ in wanted.values()]
    results = {path.name: results for path, (_, results) in wanted.items()}
    for name, cpu_seconds in pool(calls):
        results[name].add_fit(cpu_seconds)


def _fitted(fit, folder):
    return fit.path(folder).name, run_fit(fit, folder)


def _work(runs, pool, time_limit):
    """Do the tasks that are left; draw the figure of each run when it is whole.

    What is the same in several configs is done once, and its rows go to all of them.
    """
    left, known = defaultdict(list), {}
    for one in runs:
        for place, task in enumerate(one.tasks):
            if place in one.results.left:
                left[task.key].append((one, place))
            else:
                known[task.key] = one.results.done(place)
    calls = []
    for key, places in left.items():
        if key in known:
            _add(places, known[key])
        else:
            one, place = places[0]
            calls.append(joblib.delayed(_worked)(key, one.tasks[place], time_limit))
    for key, done in pool(calls):
        _add(left[key][:1], done)
        _add(left[key][1:], done._replace(seconds=0.0, cpu_seconds=0.0))


def _add(places, done):
    for one, place in places:
        one.results.add(place, done)
        if not one.results.left:
            one.results.finish()
            draw(one.results.folder)


def _worked(key, task, time_limit):
    return key, run_task(task, time_limit)


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m experiments.run", description="Run experiments."
    )
    parser.add_argument("target", metavar="CONFIG.toml|FOLDER|all")
    parser.add_argument("--smoke", action="store_true", help="a tiny size, to try")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument(
        "--time-limit", type=float, metavar="SECONDS", help="of one task, at most"
    )
    parser.add_argument(
        "--retry", action="store_true", help="try what failed or was skipped again"
    )
    parser.add_argument("--adult", type=Path, metavar="FILE", help="UCI Adult as CSV")
    parser.add_argument(
        "-o",
        dest="output",
        type=Path,
        metavar="DIR",
        default=_ROOT / "experiments" / "results",
        help="where results go",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
