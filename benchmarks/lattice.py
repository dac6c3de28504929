"""Measure our optimal generalisation along hierarchies against ARX's figures.

usage: python -m benchmarks.lattice --reference SCORES.csv --table TABLE.csv
           --hierarchies DIR --adult ADULT.csv [--runs 5]

Prints two tables:

- for each line of SCORES.csv that has `warm_cpu_ms`, ARX's search without its start,
  the median CPU and wall times of ours from the DataFrame TABLE.csv, and both numbers
  of nodes checked;
- the whole of `fit_transform` on the eight quasi-identifiers of UCI Adult (48,842
  rows, 1 % of them suppressed at most), and on the same table ten times over.

Kernels are compiled, or loaded, before.
"""

import argparse
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.tables import NINE, read_adult
from coclust_synth.baselines.lattice.anonymizer import LatticeAnonymizer
from coclust_synth.baselines.lattice.problem import Feasibility, LatticeProblem
from coclust_synth.baselines.lattice.published import flash
from coclust_synth.baselines.lattice.quality import QUALITY
from coclust_synth.baselines.lattice.table import LatticeTable
from coclust_synth.exceptions import CoclustSynthError
from coclust_synth.tables.hierarchies.columns import match_column
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.hierarchy_formats import read_arx_folder
from coclust_synth.tables.reading.infer import infer_schema
from coclust_synth.validation import check_integer

_METRICS = {"loss_gm": "loss"}
_TIMES = 10
_UNKNOWN = "?"


def main(arguments=None):
    """Run from the command line; return the exit code."""
    args = _parser().parse_args(arguments)
    try:
        check_integer("runs", args.runs, minimum=1)
        hierarchies = read_arx_folder(args.hierarchies)
        adult = read_adult(args.adult)[NINE[:-1]]
        scores = pd.read_csv(args.reference).dropna(subset="warm_cpu_ms")
        table = pd.read_csv(args.table, sep=";", dtype=str, na_filter=False)
    except (CoclustSynthError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    _print(against_arx(scores, table, hierarchies, args.runs))
    _print(whole_fits(adult, adult_hierarchies(adult, hierarchies), args.runs))
    return 0


def against_arx(scores, table, hierarchies, runs):
    """A row for each line of the scores: ARX's times, and ours from the DataFrame."""
    rows = []
    for line in scores.itertuples():
        own = [hierarchies[name] for name in line.qi_order.split()]
        run = partial(search, table, own, line)
        found, cpu, wall = measure(run, runs)
        rows.append(
            {
                "k": line.k,
                "suppressed, at most": line.suppression_limit,
                "ARX CPU ms": line.warm_cpu_ms,
                "our CPU ms": round(1000 * cpu, 1),
                "our wall ms": round(1000 * wall, 1),
                "ARX checks": line.checks,
                "our checks": found.checks,
                "same node": " ".join(map(str, found.node)) == line.node,
            }
        )
    return pd.DataFrame(rows)


def search(table, hierarchies, line):
    """The optimal node of a DataFrame, for a line of the scores."""
    codes = [hierarchy.leaf_codes(table[hierarchy.name]) for hierarchy in hierarchies]
    coded = LatticeTable(codes, hierarchies)
    feasibility = Feasibility(line.k, (), line.abs_suppression_limit)
    quality = QUALITY[_METRICS[line.metric]](coded)
    return flash(LatticeProblem(coded, feasibility, quality))


def whole_fits(adult, hierarchies, runs):
    """Times of `fit_transform`, for UCI Adult and for ten times its rows."""
    anonymizer = LatticeAnonymizer(5, hierarchies=hierarchies, max_suppressed=0.01)
    rows = []
    for table in (adult, pd.concat([adult] * _TIMES, ignore_index=True)):
        _, cpu, wall = measure(partial(anonymizer.fit_transform, table), runs)
        rows.append(
            {
                "rows": len(table),
                "our CPU s": round(cpu, 3),
                "our wall s": round(wall, 3),
                "checks": anonymizer.checks_,
            }
        )
    times = pd.DataFrame(rows)
    cpu = times["our CPU s"]
    return times.assign(**{"CPU ratio": (cpu / cpu[0]).round(2)})


def adult_hierarchies(adult, hierarchies):
    """ARX's hierarchies for UCI Adult: its names, and a line for unknown values."""
    schema = infer_schema(adult)
    found = {}
    for name in adult:
        lines = hierarchies[name.replace("_", "-")].lines()
        values = adult[name].astype(str)
        if (values == _UNKNOWN).any():
            lines.append((_UNKNOWN, *[lines[0][-1]] * (len(lines[0]) - 1)))
        hierarchy = GeneralizationHierarchy.from_lines(name, lines)
        found[name] = match_column(hierarchy, adult[name], schema[name])
    return found


def measure(run, runs):
    """What a call gives, and its median CPU and wall seconds after a first one."""
    run()
    times = []
    for _ in range(runs):
        cpu, wall = time.process_time(), time.perf_counter()
        found = run()
        times.append((time.process_time() - cpu, time.perf_counter() - wall))
    return found, *np.median(times, axis=0).tolist()


def _print(table):
    print(table.to_string(index=False), end="\n\n", flush=True)


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.lattice",
        description="Measure our optimal generalisation against ARX's figures.",
    )
    for name in ("reference", "table", "hierarchies", "adult"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=5)
    return parser


if __name__ == "__main__":
    sys.exit(main())
