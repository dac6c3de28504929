"""The privacy models by name, and how a command line asks for them."""

from collections.abc import Callable

from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy.models.base import PrivacyModel
from coclust_synth.privacy.models.closeness import TCloseness
from coclust_synth.privacy.models.diversity import (
    AlphaK,
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveLDiversity,
)
from coclust_synth.privacy.models.presence import DeltaPresence

#: What `parse_l_diversity` reads.
L_DIVERSITY_FORMS = "distinct:3, entropy:2.5 or recursive:4,3 (c, then l)"


def parse_l_diversity(text: str) -> tuple[str | None, PrivacyModel]:
    """Read one of `L_DIVERSITY_FORMS`.

    Parameters
    ----------
    text : str
        Possibly after the name of a sensitive column, as in ``job=distinct:3``.

    Returns
    -------
    column : str or None
    model : PrivacyModel

    Raises
    ------
    ParameterError
        If the text does not read, or a number is out of its range.

    Examples
    --------
    >>> parse_l_diversity("job=recursive:4,3")
    ('job', RecursiveLDiversity(c=4.0, l=3))
    """
    column, asked = _split_column(text)
    kind, _, numbers = asked.partition(":")
    readers: dict[str, Callable[[], PrivacyModel]] = {
        "distinct": lambda: DistinctLDiversity(int(numbers)),
        "entropy": lambda: EntropyLDiversity(float(numbers)),
        "recursive": lambda: _recursive(*numbers.split(",")),
    }
    forms = f"{L_DIVERSITY_FORMS}, or job=distinct:3"
    return column, _read(text, forms, readers.get(kind))


def parse_t_closeness(text: str) -> tuple[str | None, TCloseness]:
    """Read ``0.2``, ``0.2:equal`` or ``0.2:ordered``, as `parse_l_diversity` does.

    Examples
    --------
    >>> parse_t_closeness("0.2:ordered")
    (None, TCloseness(t=0.2, distance='ordered', nodes=None))
    """
    column, asked = _split_column(text)
    t, _, distance = asked.partition(":")
    wanted = distance or "equal"
    known = wanted in ("equal", "ordered")
    reader = (lambda: TCloseness(float(t), wanted)) if known else None
    return column, _read(
        text, "0.2, 0.2:equal, 0.2:ordered, or job=0.2:ordered", reader
    )


def parse_alpha(text: str) -> tuple[str | None, AlphaK]:
    """Read ``0.5``, as `parse_l_diversity` does."""
    column, asked = _split_column(text)
    return column, _read(text, "0.5, or job=0.5", lambda: AlphaK(float(asked)))


def parse_delta_presence(text: str) -> DeltaPresence:
    """Read ``0.1,0.5``: the lower and the upper delta.

    Raises
    ------
    ParameterError
        If the text does not read, or a number is out of its range.
    """
    return _read(text, "0.1,0.5", lambda: DeltaPresence(*map(float, text.split(","))))


def _split_column(text: str) -> tuple[str | None, str]:
    column, prefixed, asked = text.rpartition("=")
    return (column if prefixed else None), asked.strip()


def _recursive(c: str, l: str) -> RecursiveLDiversity:  # noqa: E741
    return RecursiveLDiversity(float(c), int(l))


def _read(text: str, forms: str, reader: Callable | None):
    try:
        if reader is not None:
            return reader()
    except ParameterError:
        raise
    except (TypeError, ValueError):
        pass
    raise ParameterError(
        f"Expected a model such as {forms}. Received {text!r}. Write it in that form."
    )
