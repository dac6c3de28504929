"""Measure our searches and Khiops on the same tables.

usage: python -m benchmarks.against_khiops [--adult ADULT.csv] [--only NAME ...]
           [--seeds 3] [--seconds 25] [--khiops-seconds 100] -o DIR

Writes into DIR, after each case:

- ``cases.csv`` and ``seeds.csv``, and both in ``table.md``;
- ``traces.csv``, each improvement of each run, and ``figure.png``, drawn from it
  (``python -m benchmarks.figure`` makes it again);
- ``environment.json``: code, versions, machine, load.

Khiops runs on one core, for `--khiops-seconds` CPU seconds at most (0: not at all); it
needs hours for the large tables, so that what it reaches in the end is given from
runs of November 2026 too. Cases of UCI Adult need the real table (train and test
parts, 48,842 rows).
"""

import argparse
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path

from benchmarks import khiops
from benchmarks.cases import CASES
from benchmarks.figure import draw
from benchmarks.markdown import results_markdown
from benchmarks.ours import load_kernels, run_ours
from benchmarks.results import Outcome, case_table, seed_table, trace_table
from benchmarks.tables import read_adult
from coclust_synth.exceptions import CoclustSynthError
from coclust_synth.validation import check_integer, check_seconds
from experiments.machine import describe_environment

# Enough for what `Case.is_small`.
_FEW_SECONDS = 3.0


def main(arguments=None):
    """Run from the command line; return the exit code."""
    args = _parser().parse_args(arguments)
    try:
        check_integer("seeds", args.seeds, minimum=1)
        check_seconds("seconds", args.seconds)
        adult = None if args.adult is None else read_adult(args.adult)
    except CoclustSynthError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    if args.khiops_seconds > 0 and not khiops.is_installed():
        print("Khiops is left out: pip install -e '.[khiops]' first", file=sys.stderr)
        args.khiops_seconds = 0
    args.output.mkdir(parents=True, exist_ok=True)
    return run(args, adult)


def run(args, adult):
    """Measure one case after the other; return the exit code."""
    environment = _environment(args)
    load_kernels()
    outcomes, code = [], 0
    for name in args.only or CASES:
        if CASES[name].needs_adult and adult is None:
            print(f"{name} is left out: it needs --adult", file=sys.stderr)
            continue
        outcome, error = measure(name, adult, args)
        if error is not None:
            print(f"{name}: {error}", file=sys.stderr)
            code = 1
        outcomes.append(outcome)
        environment["load_average"].append(_load())
        _write(args.output, outcomes, environment)
        print(name, flush=True)
    return code


def measure(name, adult, args):
    """The outcome of one case, and the error of Khiops, or None."""
    case = CASES[name]
    problem = case.build(adult) if case.needs_adult else case.build()
    seconds = min(args.seconds, _FEW_SECONDS) if case.is_small else args.seconds
    ours = [run_ours(problem, seed=seed, seconds=seconds) for seed in range(args.seeds)]
    null_cost, theirs, error = ours[0].points[0][1], None, None
    if args.khiops_seconds > 0:
        options = {"null_cost": null_cost, "seconds": args.khiops_seconds}
        try:
            theirs = khiops.run_khiops(problem, **options)
        except khiops.KhiopsError as khiops_error:
            error = khiops_error
    return Outcome(name, case, null_cost, ours, theirs), error


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.against_khiops",
        description="Measure our searches and Khiops on the same tables.",
    )
    parser.add_argument("--adult", type=Path, metavar="ADULT.csv")
    parser.add_argument("--only", nargs="+", choices=CASES, metavar="NAME")
    parser.add_argument("--seeds", type=int, default=3, help="how many")
    parser.add_argument("--seconds", type=float, default=25.0, help="CPU, each seed")
    parser.add_argument("--khiops-seconds", type=float, default=100.0, help="CPU")
    parser.add_argument("-o", dest="output", type=Path, metavar="DIR", required=True)
    return parser


def _environment(args):
    names = ("seeds", "seconds", "khiops_seconds")
    settings = {name: getattr(args, name) for name in names}
    environment = {"settings": settings, **describe_environment()}
    if args.khiops_seconds > 0:
        environment["versions"]["khiops"] = version("khiops")
    return {**environment, "load_average": [_load()]}


def _load():
    """Programs that ran or waited, on average over the last minute."""
    return round(os.getloadavg()[0], 2)


def _write(folder, outcomes, environment):
    for name, table in (
        ("cases", case_table(outcomes)),
        ("seeds", seed_table(outcomes)),
        ("traces", trace_table(outcomes)),
    ):
        table.to_csv(folder / f"{name}.csv", index=False, lineterminator="\n")
    text = results_markdown(outcomes)
    (folder / "table.md").write_text(text, encoding="utf-8")
    draw(outcomes, folder)
    text = json.dumps(environment, ensure_ascii=False, indent=1)
    (folder / "environment.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
