"""The tables that configs name."""

import pandas as pd

from experiments import datasets


def test_each_file_is_read_once_for_all_configs(tmp_path, monkeypatch):
    """All configs together name more files than a few, each in its turn."""
    read, right = [], datasets.read_table

    def read_table(path):
        read.append(path)
        return right(path)

    monkeypatch.setattr(datasets, "read_table", read_table)
    tables = [
        {"name": name, "path": f"{name}.csv", "columns": ["x"]} for name in "abcdef"
    ]
    for settings in tables:
        frame = pd.DataFrame({"x": [1, 2, 3], "y": ["u", "v", "w"]})
        frame.to_csv(tmp_path / settings["path"], index=False)
    for _ in range(2):
        for settings in tables:
            loaded = datasets.load_dataset(settings, tmp_path)
            assert list(loaded.columns) == ["x"] and len(loaded) == 3
    assert len(read) == len(tables)
