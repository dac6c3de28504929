"""Configs: what they hold, where they are, and what a run of one is named."""

import tomllib
from pathlib import Path
from typing import NamedTuple

from coclust_synth import __version__
from coclust_synth.exceptions import ParameterError
from coclust_synth.validation import check_choice
from experiments import (
    hierarchies,
    k_anonymity,
    levels,
    populations,
    private,
    synthesis,
)
from experiments.datasets import checked_file
from experiments.tasks import content_hash

EXPERIMENTS = {
    "hierarchies": hierarchies,
    "k_anonymity": k_anonymity,
    "levels": levels,
    "populations": populations,
    "private": private,
    "synthesis": synthesis,
}

#: What a config holds, whatever the experiment: the figure is that of the thesis, or
#: a title of our own.
COMMON_KEYS = {"experiment", "figure", "dataset"}

CONFIGS = Path(__file__).resolve().parent.parent / "configs"


class Config(NamedTuple):
    """A config as it was read.

    Attributes
    ----------
    path : Path
    content : dict
        At the size that is asked for.
    """

    path: Path
    content: dict

    @property
    def experiment(self):
        """The module that it is of."""
        return EXPERIMENTS[self.content["experiment"]]

    def folder(self, output):
        """Where its results go: a folder named by content, table and version."""
        _, sha256 = checked_file(self.content["dataset"], self.path.parent)
        name = content_hash([self.content, sha256, __version__])
        return output / self.path.stem / name


def find_configs(target):
    """The configs that a command names.

    Parameters
    ----------
    target : str
        A file, a folder of them, or ``all``: those of this project. Files that name no
        experiment are no configs.

    Returns
    -------
    list of Path
        By name.

    Raises
    ------
    ParameterError
        If there is none.
    """
    folder = CONFIGS if target == "all" else Path(target)
    if not folder.is_dir():
        return [folder]
    paths = [p for p in sorted(folder.glob("*.toml")) if "experiment" in _load(p)]
    if not paths:
        raise ParameterError(
            f"Expected configs in the folder {target!r}. Received none that names an "
            "experiment. Check the path."
        )
    return paths


def read_config(path, *, smoke=False):
    """Read a config: that of a known experiment, with the keys of it.

    Parameters
    ----------
    path : Path
    smoke : bool, default=False
        Whether at a tiny size.

    Returns
    -------
    Config

    Raises
    ------
    ParameterError
    """
    content = _load(path)
    check_choice("experiment", content.get("experiment"), list(EXPERIMENTS))
    experiment = EXPERIMENTS[content["experiment"]]
    keys = experiment.KEYS | COMMON_KEYS
    if set(content) != keys:
        raise ParameterError(
            f"Expected a config with {', '.join(sorted(keys))} in {path.name!r}. "
            f"Received {', '.join(sorted(content))}. Correct the config."
        )
    if smoke:
        content = content | experiment.smoke(content)
        content["dataset"] = content["dataset"] | {"rows": 500}
    return Config(path, content)


def _load(path):
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ParameterError(
            f"Expected a config in TOML in {str(path)!r}. Received: {error}. "
            "Check the path and the file."
        ) from None
