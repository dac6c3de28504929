"""What a page says of a release in words: method, guarantee, what was left out."""

from typing import Any, NamedTuple

from coclust_synth.evaluation.evaluation_result import Facts
from coclust_synth.reports.manifest import NO_GUARANTEE


class Story(NamedTuple):
    """A release in a few sentences.

    Attributes
    ----------
    name : str
        Of its file.
    method : str
    guarantee : str
    is_private : bool
        Whether it promises differential privacy.
    """

    name: str
    method: str
    guarantee: str
    is_private: bool


def story(name: str, facts: Facts, manifest: dict[str, Any] | None) -> Story:
    """The story of a release, from its manifest where it has one.

    Parameters
    ----------
    name : str
    facts : Facts
    manifest : dict or None
        As the commands that release tables write it.
    """
    if manifest is None:
        kind = "a table with labels" if facts.is_generalized else "a table"
        return Story(
            name,
            f"{kind} made by an unknown method: no manifest lies beside it",
            f"Not known; taken as: {NO_GUARANTEE}",
            False,
        )
    if "budget" in manifest:
        generator = manifest["generator"]["name"]
        statement = manifest["statement"]
        return Story(
            name,
            f"rows drawn from noisy counts by {generator}",
            f"{statement[:1].upper()}{statement[1:]}; unit: {manifest['unit']}.",
            True,
        )
    method = manifest["method"]
    return Story(
        name,
        f"{method['what']}, by {method['command']}",
        manifest["guarantee"],
        False,
    )
