"""Where compiled kernels are kept."""

import subprocess
import sys
from pathlib import Path

import pytest

import coclust_synth
from coclust_synth import _jit

pytestmark = pytest.mark.slow

PACKAGE = Path(coclust_synth.__file__).parent
RUN_A_KERNEL = """
from coclust_synth.modl.grid import _sweep_kernels
print(_sweep_kernels.sweep.stats.cache_path)
"""


def cache_path(monkeypatch, *, sources=PACKAGE.parent, **environment):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(sources))
    for name, value in environment.items():
        monkeypatch.setenv(name, str(value))
    command = [sys.executable, "-c", RUN_A_KERNEL]
    return subprocess.run(
        command, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_they_are_in_the_cache_folder_of_the_user(tmp_path, monkeypatch):
    path = Path(cache_path(monkeypatch, XDG_CACHE_HOME=tmp_path, HOME=tmp_path))
    assert path.is_relative_to(tmp_path)
    assert not path.is_relative_to(PACKAGE)


def test_they_are_where_the_user_says(tmp_path, monkeypatch):
    path = Path(cache_path(monkeypatch, NUMBA_CACHE_DIR=tmp_path / "asked"))
    assert path.is_relative_to(tmp_path / "asked")


def test_installations_of_the_same_kernels_share_them(tmp_path, monkeypatch):
    copy = tmp_path / "copy" / "coclust_synth"
    copy.parent.mkdir()
    copy.symlink_to(PACKAGE)
    asked = {"NUMBA_CACHE_DIR": tmp_path / "asked"}
    path = cache_path(monkeypatch, **asked)
    assert path == cache_path(monkeypatch, sources=copy.parent, **asked)
    monkeypatch.setattr("numba.__version__", "another")
    assert Path(_jit._cache_folder(str(tmp_path / "asked"))) != Path(path).parent


def test_they_are_nowhere_if_that_folder_cannot_be_written(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("in the way of a folder")
    assert cache_path(monkeypatch, XDG_CACHE_HOME=file, HOME=file) == "None"
