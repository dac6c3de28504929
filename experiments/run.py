"""Run the experiment that a config describes.

usage: python -m experiments.run CONFIG.toml [--smoke] [-o DIR]

Writes into ``DIR/<config name>/<hash>/``, with ``experiments/results`` as DIR by
default and the hash of the config's content:

- ``config.toml``, a copy, and ``environment.json``: what ran, where and with what;
- ``rows.csv``, tidy rows, each written as soon as it is known; failures are rows too;
- ``figure.png`` and ``figure.svg``, which read nothing but ``rows.csv``.

The rows and figures compare with the real table: they are a disclosure about it. Exit
code 1 says that some rows are failures, 2 that the config cannot be run.

An experiment is a module of this package, named by ``experiment`` in the config, with
``KEYS``, what its config holds; ``COLUMNS``, the columns of its rows, one of which is
``status``; ``smoke(config)``, the same config at a tiny size; ``rows(config,
directory)``, an iterator of dicts; ``figure(rows)``, from a DataFrame.
"""

import argparse
import csv
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import time
import tomllib
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from coclust_synth.exceptions import CoclustSynthError, ParameterError
from coclust_synth.validation import check_choice
from experiments import k_anonymity, plain_along_k, private
from experiments.figures import write_figure

EXPERIMENTS = {
    "k_anonymity": k_anonymity,
    "plain_along_k": plain_along_k,
    "private": private,
}

_ROOT = Path(__file__).resolve().parent.parent
_PACKAGES = (
    "coclust-synth numpy scipy pandas scikit-learn numba pyarrow matplotlib".split()
)


def main(arguments=None):
    """Run from the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.run", description="Run one experiment."
    )
    parser.add_argument("config", type=Path, metavar="CONFIG.toml")
    parser.add_argument("--smoke", action="store_true", help="a tiny size, to try")
    parser.add_argument(
        "-o", dest="output", type=Path, metavar="DIR", help="where results go"
    )
    args = parser.parse_args(arguments)
    output = args.output or _ROOT / "experiments" / "results"
    try:
        folder, n_failed = run(args.config, output, smoke=args.smoke)
    except CoclustSynthError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    print(folder)
    if n_failed:
        print(f"{n_failed} rows are failures", file=sys.stderr)
    return 1 if n_failed else 0


def run(path, output, *, smoke=False):
    """Run the experiment of a config and write what it gives.

    Parameters
    ----------
    path : Path
        The config.
    output : Path
        Results go to a folder below.
    smoke : bool, default=False
        Whether to run a tiny size only.

    Returns
    -------
    folder : Path
        Where the results are.
    n_failed : int
        Rows that are failures.

    Raises
    ------
    CoclustSynthError
        If the config or its dataset cannot be used.
    """
    config = read_config(path)
    experiment = EXPERIMENTS[config["experiment"]]
    if smoke:
        config = experiment.smoke(config)
    rows = experiment.rows(config, path.parent)  # checks the config and the dataset
    folder = output / path.stem / config_hash(config)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, folder / "config.toml")
    environment = {"smoke": smoke, "config": config, **describe_environment()}
    _write_json(folder / "environment.json", environment)
    start, cpu_start = time.perf_counter(), time.process_time()
    n_rows, n_failed = _write_rows(folder / "rows.csv", experiment.COLUMNS, rows)
    environment |= {
        "n_rows": n_rows,
        "n_failed": n_failed,
        "seconds": round(time.perf_counter() - start, 1),
        "cpu_seconds": round(time.process_time() - cpu_start, 1),
    }
    _write_json(folder / "environment.json", environment)
    write_figure(experiment.figure(pd.read_csv(folder / "rows.csv")), folder)
    return folder, n_failed


def read_config(path):
    """Read a config: that of a known experiment, with the keys of it.

    Raises
    ------
    ParameterError
    """
    try:
        config = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ParameterError(
            f"Expected a config in TOML in {str(path)!r}. Received: {error}. "
            "Check the path and the file."
        ) from None
    check_choice("experiment", config.get("experiment"), list(EXPERIMENTS))
    keys = EXPERIMENTS[config["experiment"]].KEYS
    if set(config) != keys:
        raise ParameterError(
            f"Expected a config with {', '.join(sorted(keys))}. Received "
            f"{', '.join(sorted(config))}. Correct the config."
        )
    return config


def config_hash(config):
    """Twelve hexadecimal digits that the content of a config determines."""
    text = json.dumps(config, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]


def describe_environment():
    """Code, versions and machine, JSON compatible."""
    changes = _git("status", "--porcelain", "--", "coclust_synth", "experiments")
    changes = None if changes is None else changes.splitlines()
    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _git("rev-parse", "HEAD"),
        "uncommitted_changes": changes,
        "python": platform.python_version(),
        "versions": {name: version(name) for name in _PACKAGES},
        "system": platform.system(),
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
    }


def _git(*arguments):
    """What git says of this repository, or None."""
    try:
        done = subprocess.run(
            ["git", "-C", str(_ROOT), *arguments], capture_output=True, text=True
        )
    except OSError:
        return None
    return done.stdout.rstrip() if done.returncode == 0 else None


def _processor():
    """Name of the processor, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1] for line in lines if line.startswith("model name")]
    return names[0].strip() if names else platform.processor()


def _write_rows(path, columns, rows):
    """Write each row at once; return how many there are, and how many failures."""
    n_rows = n_failed = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(row)
            file.flush()
            n_rows += 1
            n_failed += row["status"] != "ok"
    return n_rows, n_failed


def _write_json(path, content):
    text = json.dumps(content, ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
