"""Relations from their JSON types, and whether several agree."""

from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from typing import Any

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.relations.cases import Cases
from coclust_synth.tables.relations.dates import (
    Age,
    DateOf,
    DatePart,
    DayOf,
    MonthsAfter,
)
from coclust_synth.tables.relations.formula import Relation
from coclust_synth.tables.relations.functions import Count, Function, Rate, Share
from coclust_synth.tables.relations.sums import Bill, Fit, Mean, SumOfKnown
from coclust_synth.tables.relations.together import Dependence, Nested, Never, Order

# What `inspect` tells of a rule beside it; it is not read back.
SUPPORT = ("rule", "rows", "individuals", "broken", "to_the_finest")

_OTHERS: tuple[type[Relation], ...] = (
    Bill,
    SumOfKnown,
    Mean,
    Count,
    Cases,
    Function,
    Rate,
    Share,
    DateOf,
    DatePart,
    Age,
    MonthsAfter,
    DayOf,
    Nested,
    Dependence,
    Never,
)
_OF_KIND: dict[str, type[Relation]] = {
    "order": Order,
    "sum": Fit,
    "product": Fit,
    **{relation.kind: relation for relation in _OTHERS},
}


def relation_from_dict(content: Any) -> Relation:
    """Read a relation from the form of its `to_dict`.

    Raises
    ------
    SchemaError
        If it is none, with an example of one.
    """
    kind = content.get("kind") if isinstance(content, dict) else None
    if not isinstance(kind, str) or kind not in _OF_KIND:
        raise SchemaError(
            f"Expected every [[rules]] to have a kind: {', '.join(_OF_KIND)}. "
            f"Received {content!r}. Correct or remove it."
        )
    relation = _OF_KIND[kind]
    try:
        if set(content) - {"kind", *relation.form, *SUPPORT}:
            raise ValueError
        return relation.read(content)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise SchemaError(
            f"Expected a rule of kind {kind!r} such as {relation.example}. Received "
            f"{content!r}. Correct or remove it."
        ) from None


def check_relations(relations: Iterable[Relation]) -> None:
    """Refuse relations that are repeated, tell a column twice, or from itself.

    Raises
    ------
    SchemaError
    """
    told: dict[str, Relation] = {}
    seen: list[Relation] = []
    for relation in relations:
        if relation in seen:
            raise SchemaError(
                f"Expected every rule once. Received {str(relation)!r} more than once. "
                "Remove the repetition from [[rules]]."
            )
        seen.append(relation)
        if relation.told is None:
            continue
        if relation.told in told:
            raise SchemaError(
                f"Expected one rule at most that determines column {relation.told!r}. "
                f"Received {str(told[relation.told])!r} and {str(relation)!r}. Remove "
                "one of them."
            )
        told[relation.told] = relation
    try:
        TopologicalSorter({t: fit.columns[1:] for t, fit in told.items()}).prepare()
    except CycleError as error:
        circle = ", ".join(map(repr, error.args[1][1:]))
        raise SchemaError(
            "Expected rules that do not determine a column from itself. Received "
            f"some that determine {circle} from each other. Remove one of them."
        ) from None
