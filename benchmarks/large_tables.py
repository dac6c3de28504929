"""CPU seconds and memory of tables that an engine counts (docs/scale.md).

Usage, each stage in a process of its own, so that its memory is its own::

    python -m benchmarks.large_tables make ADULT.csv.gz FOLDER --files 50
    python -m benchmarks.large_tables count FOLDER
    python -m benchmarks.large_tables join FOLDER
    python -m benchmarks.large_tables draw FOLDER --rows 50000000
    python -m benchmarks.large_tables thin FOLDER --seed 0

``make`` resamples nine columns of UCI Adult, a million rows a file, and gives each row
one value of another row. ``thin`` compares a search of 200,000 rows with one of all.
"""

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.tables import NINE
from coclust_synth import CoclusterSynthesizer, MODLCoclustering
from coclust_synth.generators.plain.chunks import MODEL, sample_to
from coclust_synth.scale import open_source
from coclust_synth.scale.partial_folder import PartialFolder
from coclust_synth.scale.released import ReleasedCounts

FILE_ROWS = 1_000_000


def make(table, folder, n_files):
    """Write files of resampled rows."""
    people = pd.read_csv(table, na_values="?")[[*NINE]]
    columns = [pa.array(people[name], from_pandas=True) for name in NINE]
    folder.mkdir(parents=True)
    for i in range(n_files):
        rng = np.random.default_rng((0, i))
        row, other = rng.integers(0, len(people), (2, FILE_ROWS))
        changed = rng.integers(0, len(NINE), FILE_ROWS)
        cells = [
            column.take(pa.array(np.where(changed == j, other, row)))
            for j, column in enumerate(columns)
        ]
        pq.write_table(pa.table(cells, [*NINE]), folder / f"part-{i:05d}.parquet")
    return {"rows": n_files * FILE_ROWS}


def counted(folder):
    """A source, its coded columns, and its profiles."""
    source = open_source(folder, "duckdb", memory="700MB", temp=folder.parent)
    schema = source.schema()
    some = source.sample(20_000, np.random.SeedSequence(0))
    released = ReleasedCounts.of(source, schema.kept, 10, some)
    return source, released, source.profiles(released.coded)


def count(folder):
    """Parts and profiles."""
    source, released, rows = counted(folder)
    return {
        "rows": source.n_rows,
        "parts": int(released.coding.n_parts_per_variable.sum()),
        "profiles": len(rows.counts),
    }


def join(folder):
    """A label for each row, written by the engine; counting is told apart."""
    source, released, rows = counted(folder)
    before = _cpu_seconds()
    labels = pa.table({"cluster": np.arange(len(rows.counts), dtype=np.int32) % 40})
    with tempfile.TemporaryDirectory(dir=folder.parent) as written:
        source.write_joined(released.coded, rows, labels, Path(written))
        files = list(Path(written).iterdir())
        n_rows = sum(pq.read_metadata(file).num_rows for file in files)
    return {"rows": n_rows, "join_cpu_s": round(_cpu_seconds() - before, 1)}


def draw(folder, n_rows, n_iterations):
    """Rows of a model of trees, fitted to the first file."""
    first = min(folder.iterdir())
    fitted = CoclusterSynthesizer(n_iterations=n_iterations, random_state=0)
    fitted.fit(open_source(first, "duckdb"))
    before, start = _cpu_seconds(), time.perf_counter()
    with tempfile.TemporaryDirectory(dir=folder.parent) as written:
        part = PartialFolder(Path(written, "out"), {})
        fitted.save(part.private(MODEL))
        sample_to(fitted.model_, part, n_rows, seed=0)
        part.finish()
        size = sum(file.stat().st_size for file in Path(written, "out").iterdir())
    return {
        "rows": n_rows,
        "bytes": size,
        "draw_cpu_s": round(_cpu_seconds() - before, 1),
        "draw_s": round(time.perf_counter() - start, 1),
    }


def thin(folder, seed, n_iterations):
    """Share of the gain over the null grid that a thinned search keeps."""
    source, released, rows = counted(folder)
    search = MODLCoclustering(n_iterations=n_iterations, random_state=seed)
    costs = {}
    for max_rows in (200_000, source.n_rows):
        before = _cpu_seconds()
        found = search.fit_counts(rows, released.coding, max_rows=max_rows)
        costs[max_rows] = found.cost_, round(_cpu_seconds() - before, 1)
    gains = [found.null_cost_ - cost for cost, _ in costs.values()]
    told = {f"{n}_rows": {"cost": c, "cpu_s": s} for n, (c, s) in costs.items()}
    return {"seed": seed, **told, "share_of_gain": gains[0] / gains[1]}


def _cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stage", choices=["make", "count", "join", "draw", "thin"])
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--files", type=int, default=5)
    parser.add_argument("--rows", type=int, default=FILE_ROWS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--iterations", type=int, default=2)
    asked = parser.parse_args()
    stages = {
        "make": lambda: make(*asked.paths, asked.files),
        "count": lambda: count(*asked.paths),
        "join": lambda: join(*asked.paths),
        "draw": lambda: draw(*asked.paths, asked.rows, asked.iterations),
        "thin": lambda: thin(*asked.paths, asked.seed, asked.iterations),
    }
    found = stages[asked.stage]()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    used = {"cpu_s": round(_cpu_seconds(), 1), "peak_gb": round(peak, 2)}
    print(json.dumps({"stage": asked.stage, **found, **used}))


if __name__ == "__main__":
    main()
