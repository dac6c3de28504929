"""What ran where: code, versions and machine."""

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
_PACKAGES = (
    "coclust-synth numpy scipy pandas scikit-learn numba pyarrow matplotlib".split()
)


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
