"""What a page says of a release in words: method, guarantee, what was left out."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from coclust_synth.evaluation.evaluation_result import Facts
from coclust_synth.reports.manifest import NO_GUARANTEE, is_private

OUTSIDE_THE_BUDGET = (
    "computed after the release, from the real rows, outside of its budget: publishing "
    "any of it spends privacy that the ledger of the release does not count"
)


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
    warnings : tuple of str, default=()
        That whoever made the release knows of.
    not_protected : tuple of str, default=()
        As its manifest says it.
    """

    name: str
    method: str
    guarantee: str
    is_private: bool
    warnings: tuple[str, ...] = ()
    not_protected: tuple[str, ...] = ()


def story(
    name: str,
    facts: Facts,
    manifest: dict[str, Any] | None,
    warnings: Sequence[str] = (),
) -> Story:
    """The story of a release, from its manifest where it has one.

    Parameters
    ----------
    name : str
    facts : Facts
    manifest : dict or None
        As the commands that release tables write it.
    warnings : sequence of str
    """
    method, guarantee, private = _told(facts, manifest)
    limits = tuple((manifest or {}).get("not_protected", ()))
    return Story(name, method, guarantee, private, tuple(warnings), limits)


def _told(facts, manifest):
    """Method, guarantee, and whether it is of differential privacy."""
    if manifest is None:
        kind = "a table with labels" if facts.is_generalized else "a table"
        return (
            f"{kind} made by an unknown method: no manifest lies beside it",
            f"Not known; taken as: {NO_GUARANTEE}",
            False,
        )
    if is_private(manifest):
        generator, statement = manifest["generator"]["name"], manifest["statement"]
        return (
            f"rows drawn from noisy counts by {generator}",
            f"{statement[:1].upper()}{statement[1:]}; unit: {manifest['unit']}.",
            True,
        )
    method = manifest["method"]
    how = f"{method['what']}, by the command {method['command']}"
    return how, manifest["guarantee"], False
