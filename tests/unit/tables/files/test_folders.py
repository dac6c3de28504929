"""Folders are written whole or not at all, and only over files of the same kind."""

import pytest

from coclust_synth import OutputError
from coclust_synth.tables.files import atomic_folder, check_folder, write_files


def is_ours(name):
    return name.endswith(".ours")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_new_folder_and_one_that_is_replaced(tmp_path):
    target = tmp_path / "out"
    for name in ("a.ours", "b.ours"):
        with atomic_folder(target) as folder:
            (folder / name).write_text(name)
            assert names(tmp_path) != ["out"]
        assert names(tmp_path) == ["out"] and names(target) == [name]


def test_nothing_changes_where_something_fails(tmp_path):
    target = tmp_path / "out"
    target.mkdir()
    (target / "a.ours").touch()
    with pytest.raises(RuntimeError), atomic_folder(target) as folder:
        (folder / "b.ours").touch()
        raise RuntimeError
    assert names(tmp_path) == ["out"] and names(target) == ["a.ours"]
    with pytest.raises(OutputError, match="Received: full"), atomic_folder(target):
        raise OSError(28, "full")
    assert names(tmp_path) == ["out"] and names(target) == ["a.ours"]


def test_a_file_that_cannot_be_written_is_told_by_the_name_it_would_have(tmp_path):
    """The message named a folder that was gone when it was read."""
    target = tmp_path / "out"
    with pytest.raises(OutputError) as told, atomic_folder(target) as folder:
        write_files({folder / "none" / "a.ours": b""})
    assert f"write '{target / 'none' / 'a.ours'}'" in str(told.value)


def test_what_is_there_is_not_lost(tmp_path):
    check_folder(tmp_path / "new", False, is_ours)
    (tmp_path / "empty").mkdir()
    check_folder(tmp_path / "empty", False, is_ours)
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="Received the file"):
        check_folder(tmp_path / "file", True, is_ours)
    full = tmp_path / "full"
    full.mkdir()
    (full / "a.ours").touch()
    with pytest.raises(OutputError, match=r"holds 1 files\. Give --force"):
        check_folder(full, False, is_ours)
    check_folder(full, True, is_ours)
    (full / "people.csv").touch()
    with pytest.raises(OutputError, match=r"also holds 'people.csv'"):
        check_folder(full, True, is_ours)
    (full / "people.csv").unlink()
    (full / "folder.ours").mkdir()
    with pytest.raises(OutputError, match=r"also holds 'folder.ours'"):
        check_folder(full, True, is_ours)


def test_a_place_that_is_not_there(tmp_path):
    with pytest.raises(OutputError, match="Expected a directory"):
        check_folder(tmp_path / "no" / "out", False, is_ours)
