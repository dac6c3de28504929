"""Cost against CPU seconds of the search, on nine variables of UCI Adult.

usage: python -m benchmarks.search_adult ADULT.csv [--seconds 30] [--seeds 5]

Needs the real table (UCI Adult, train and test parts, 48,842 rows). Prints, for each
seed, the lowest cost reached within 3, 15 and 30 CPU seconds of the search itself;
compiled kernels are loaded before. Khiops 11.0.1 reaches 6,285,615 in 718 CPU seconds,
6,281,690 in 1,300 and ends on 6,280,719 after 2,468.
"""

import argparse
import os
import platform

from coclust_synth import read_table
from coclust_synth.modl.contingency import Contingency
from coclust_synth.modl.search import search_grid
from coclust_synth.tables.coding import TableCoding

NINE = (
    "sex age race marital_status education native_country workclass occupation class"
).split()
CHECKPOINTS = (0.5, 1, 3, 12, 15, 25, 30, 60)


def adult_nine(path):
    """The contingency ``id x part`` of the nine variables, age in deciles."""
    frame, schema = read_table(path)
    schema = schema.drop(*(name for name in schema.names if name not in NINE))
    coding = TableCoding.learn(frame, schema, binning="quantile")
    return Contingency.from_distinct_rows(coding.distinct_rows(frame)[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--seeds", type=int, default=5)
    args = parser.parse_args()
    contingency = adult_nine(args.table)
    search_grid(contingency, n_iterations=3, seed=99)  # loads the kernels
    times = [t for t in CHECKPOINTS if t <= args.seconds]
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"{platform.processor() or platform.machine()}, load {load:.1f}")
    print("seed", *(f"{t:>9} s" for t in times), "grid", "iterations", sep="  ")
    for seed in range(args.seeds):
        result = search_grid(
            contingency, n_iterations=10**9, seed=seed, time_limit=args.seconds * 1.1
        )
        costs = [
            min(point.cost for point in result.trace if point.cpu_seconds <= t)
            for t in times
        ]
        shape = "{} x {}".format(*result.grid.shape)
        print(
            f"{seed:4}",
            *(f"{cost:11,.0f}" for cost in costs),
            shape,
            result.n_iterations,
            sep="  ",
        )


if __name__ == "__main__":
    main()
