"""Outputs are written whole or not at all, whenever the process is stopped."""

import os
import stat
from itertools import count
from pathlib import Path

import pytest

from coclust_synth import OutputError
from coclust_synth.tables import files as outputs
from coclust_synth.tables.files import check_writable, write_files

STEPS = ("open", "fsync", "replace", "chmod")
NAMES = ("out.csv", "out.labels.json", "out.manifest.json")
KILLED, DONE = 9, 0


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def contents(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.suffix != ".tmp"}


def stop_at(number, how):
    """Functions of `os` of which one call, of that number, ends by `how`."""
    calls = count()

    def wrap(function):
        def step(*arguments, **more):
            if next(calls) == number:
                how()
            return function(*arguments, **more)

        return step

    return {name: wrap(getattr(os, name)) for name in STEPS}


def killed_at(number, files):
    """Write files in another process that dies before a step; how it ended."""
    child = os.fork()
    if child == 0:
        try:
            for name, step in stop_at(number, lambda: os._exit(KILLED)).items():
                setattr(os, name, step)
            os.umask(0)
            write_files(files)
            os._exit(DONE)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.fixture
def umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.slow
@pytest.mark.parametrize("n_files", [1, 3])
@pytest.mark.parametrize("there", [False, True])
def test_a_process_that_is_killed_leaves_files_of_one_release(tmp_path, n_files, there):
    names, ended, seen = NAMES[:n_files], KILLED, []
    while ended == KILLED:
        folder = tmp_path / str(len(seen))
        folder.mkdir()
        if there:
            for name in names:
                (folder / name).write_bytes(b"old")
                (folder / name).chmod(0o644)
        ended = killed_at(len(seen), {folder / name: b"new" for name in names})
        left = contents(folder)
        seen.append(left)
        if "out.csv" in left:
            # A table is there with all that tells of it, and of one release.
            assert set(left) == set(names)
            assert len(set(left.values())) == 1
        elif there:
            # What tells of a table is never lost, whatever becomes of the table.
            assert set(left) == set(names[1:])
        for temporary in folder.glob(".coclust_synth-*.tmp"):
            if b"new" in temporary.read_bytes():
                assert mode_of(temporary) == 0o600
    assert ended == DONE
    assert seen[-1] == dict.fromkeys(names, b"new")
    assert sorted(p.name for p in folder.iterdir()) == sorted(names)
    assert len(seen) > 4 * n_files


@pytest.mark.parametrize("n_files", [1, 3])
@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), KeyboardInterrupt])
def test_a_step_that_fails_leaves_what_was_there(
    tmp_path, n_files, there, error, monkeypatch
):
    names, reached = NAMES[:n_files], []

    def fail():
        reached.append(True)
        raise error

    done = dict.fromkeys(names, b"new")
    for number in count():
        folder = tmp_path / str(number)
        folder.mkdir()
        if there:
            for name in names:
                (folder / name).write_bytes(b"old")
        before = contents(folder)
        reached.clear()
        with monkeypatch.context() as patch:
            for name, step in stop_at(number, fail).items():
                patch.setattr(outputs.os, name, step)
            try:
                write_files({folder / name: b"new" for name in names})
                ended = True  # that a folder is not synchronised is no failure
            except (OutputError, KeyboardInterrupt):
                ended = False
        left = contents(folder)
        # One file has its name already where only its mode is still to be set.
        assert left == (done if ended else before) or (n_files == 1 and left == done)
        assert not list(folder.glob(".*"))
        if not reached:
            break
    assert left == done and number > 4 * n_files


def test_modes(tmp_path, umask):
    """A file that is replaced keeps its mode; a new one gets what the umask leaves."""
    names = [tmp_path / name for name in NAMES[:2]]
    write_files({names[0]: b"1"})
    assert mode_of(names[0]) == 0o644
    names[0].chmod(0o640)
    write_files(dict.fromkeys(names, b"2"))
    assert [mode_of(name) for name in names] == [0o640, 0o644]
    write_files({names[0]: b"3"})
    assert mode_of(names[0]) == 0o640


def test_what_cannot_be_written_is_told_before(tmp_path):
    path = tmp_path / "a.csv"
    check_writable(path)
    path.touch()
    with pytest.raises(OutputError, match=r"which exists\. Give --force to replace it"):
        check_writable(path)
    check_writable(path, force=True)
    with pytest.raises(OutputError, match=r"that does not exist\. Create it"):
        check_writable(tmp_path / "none" / "a.csv")
    with pytest.raises(OutputError, match="Received the directory"):
        check_writable(tmp_path, force=True)
    with pytest.raises(OutputError, match="Received the device or pipe '/dev/null'"):
        check_writable("/dev/null", force=True)
    with pytest.raises(OutputError, match="Choose another place"):
        check_writable(Path("/proc/a.csv"))
    with pytest.raises(OutputError, match="File name too long"):
        check_writable(tmp_path / f"{'a' * 252}.csv")
    with pytest.raises(OutputError, match="null"):
        check_writable(tmp_path / "a\0.csv")
    assert list(tmp_path.iterdir()) == [path]


def test_names_of_up_to_255_bytes_are_written(tmp_path):
    path = tmp_path / ("é" * 125 + ".csv")
    check_writable(path)
    write_files({path: b"1", tmp_path / "b": b"2"})
    assert path.read_bytes() == b"1"
