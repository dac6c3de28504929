"""One run of Khiops, in the folder that holds its task.

usage: python -m benchmarks.khiops_process FOLDER

Reads ``task.json``, ``table.kdic`` and ``table.tsv``; writes ``table.khcj``, as Khiops
does, ``log.txt``, and ``done.json``: the seconds it took, and whether Khiops ended by
itself.
"""

import json
import math
import resource
import signal
import sys
import time
from pathlib import Path

from khiops import core
from khiops.core.exceptions import KhiopsRuntimeError

# The system's clock of the limit is coarser than that of the usage.
_NEARLY = 0.9


def main(folder):
    """Run Khiops."""
    task = json.loads((folder / "task.json").read_text(encoding="utf-8"))
    core.get_runner().khiops_version  # noqa: B018  # starts Khiops a first time
    start, cpu_start = time.perf_counter(), _cpu_of_children()
    _limit_cpu(task["seconds"])
    is_finished = True
    try:
        _train(folder, task["variables"])
    except KhiopsRuntimeError:
        is_finished = False
        if _cpu_of_children() - cpu_start < _NEARLY * task["seconds"]:
            raise  # it was not the limit
    done = {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": _cpu_of_children() - cpu_start,
        "is_finished": is_finished,
    }
    (folder / "done.json").write_text(json.dumps(done), encoding="utf-8")


def _train(folder, variables):
    table = [str(folder / "table.kdic"), "table", str(folder / "table.tsv")]
    report = str(folder / "table.khcj")
    options = {
        "detect_format": False,
        "header_line": True,
        "field_separator": "\t",
        "max_cores": 1,
        "log_file_path": str(folder / "log.txt"),
        "temp_dir": str(folder),
    }
    if variables is None:
        core.train_instance_variable_coclustering(*table, report, **options)
    else:
        core.train_coclustering(*table, variables, report, **options)


def _limit_cpu(seconds):
    """Let programs started from now on end after so many CPU seconds.

    This process has the same limit; a handler, which programs do not inherit, lets it
    live.
    """
    signal.signal(signal.SIGXCPU, lambda *_: None)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limit = math.ceil(seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def _cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main(Path(sys.argv[1]))
