"""The package as pip installs it: a wheel in an environment of its own.

Its dependencies are those of the environment that runs the tests, so that nothing but
the build's own requirement is fetched.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KHIOPS = ROOT / "tests" / "golden" / "khiops" / "iris_numeric.khcj.gz"

# Of the table that comes with the package.
FIRST_ROWS = """
import pandas as pd
from coclust_synth.tables.reading.bundled import bundled_table

pd.read_parquet(bundled_table())[:80].to_csv("real.csv", index=False)
"""

pytestmark = pytest.mark.slow


def call(*words, cwd):
    outside = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    result = subprocess.run(
        [*map(str, words)], cwd=cwd, env=outside, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A folder with a virtual environment that has the dependencies only."""
    folder = tmp_path_factory.mktemp("wheel")
    call(sys.executable, "-m", "venv", "--without-pip", "env", cwd=folder)
    (site,) = folder.glob("env/lib/python*/site-packages")
    # A line of a .pth file is a folder, whose own .pth files (so an editable
    # installation of this package) are not looked at.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def install(folder, *what):
    pip = sys.executable, "-m", "pip", "--python", folder / "env" / "bin" / "python"
    call(*pip, "install", "-q", "--no-deps", *what, cwd=folder)


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A copy of what a wheel is built from: building leaves folders beside it."""
    folder = tmp_path_factory.mktemp("sources")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "coclust_synth", folder / "coclust_synth", ignore=ignored)
    return folder


@pytest.fixture(scope="module")
def wheel(sources, tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", sources]
    call(*command, "-w", folder, cwd=folder)
    (path,) = folder.glob("*.whl")
    return path


def test_a_wheel_runs_and_gives_way_to_an_editable_installation(
    environment, wheel, sources
):
    python = environment / "env" / "bin" / "python"
    program = environment / "env" / "bin" / "coclust-synth"
    where = "import coclust_synth; print(coclust_synth.__file__)"
    install(environment, wheel)
    installed = Path(call(python, "-c", where, cwd=environment).strip())
    assert installed.is_relative_to(environment)
    assert installed.with_name("py.typed").exists()
    call(python, "-c", FIRST_ROWS, cwd=environment)
    call(program, "demo", "real.csv", "-o", "out.csv", cwd=environment)
    call(program, "evaluate", "real.csv", "out.csv", "-o", "page", cwd=environment)
    assert "prefers-color-scheme" in (environment / "page/report.html").read_text()
    call(program, "view", KHIOPS, "-o", "grid.html", cwd=environment)
    assert "class Hierarchy" in (environment / "grid.html").read_text()
    columns = ("--columns", "age,sex")
    call(program, "domain", "--new", "domain.toml", *columns, cwd=environment)
    assert (environment / "domain.toml").stat().st_size > 0

    install(environment, "-e", sources)
    assert not installed.parent.exists()
    editable = Path(call(python, "-c", where, cwd=environment).strip())
    assert editable.is_relative_to(sources)
