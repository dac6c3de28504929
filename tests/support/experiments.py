"""What the tests of experiments share: a config beside its table, edited and run."""

import hashlib

import pandas as pd

from experiments.run import main


def write_config(folder, table, text):
    """Write a table and a config, with its sum for ``{sha256}``; the config's path."""
    table.to_csv(folder / "small.csv", index=False)
    sha256 = hashlib.sha256((folder / "small.csv").read_bytes()).hexdigest()
    path = folder / "try.toml"
    path.write_text(text.format(sha256=sha256), encoding="utf-8")
    return path


def edit(config, old, new):
    """Replace a text of a config that must be there."""
    text = config.read_text(encoding="utf-8")
    assert old in text
    config.write_text(text.replace(old, new), encoding="utf-8")


def run(config, *options, code=0):
    """Run a config; the folder of its results and the rows in it."""
    assert main([str(config), "-o", str(config.parent / "out"), *options]) == code
    (rows,) = (config.parent / "out" / "try").glob("*/rows.csv")
    return rows.parent, pd.read_csv(rows)
