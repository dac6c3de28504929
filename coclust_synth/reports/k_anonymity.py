"""What a k-anonymous release promises and does not protect, and one of new rows under
earlier labels.
"""

from coclust_synth.baselines.suppression.anonymizer import LocalSuppression
from coclust_synth.generators.kanon.new_rows import NewRows
from coclust_synth.privacy.models.presence import PopulationModel

_NOT_COVERED = (
    "What a class shares, other columns, and other releases about the same people are "
    "not covered."
)
_HELD_BY_ALL = (
    "If all persons of a class have the same sensitive value, each in some row, the "
    "class reveals it for all of them, unless l-diversity or a largest share of that "
    "column forbids it."
)
_OF_SEVERAL = (
    "Two releases of the same people can be intersected, and somebody who knows "
    "several rows of a person can look for the classes that fit all of them."
)
_LISTED = (
    "The labels file lists every original value of a quasi-identifier, rare ones "
    "included."
)
# As docs/k_anonymity.md says it; first and last are others where rows are persons'.
_NOT_PROTECTED = (
    "A class whose rows share a sensitive value reveals it for all of them, unless a "
    "model of that column forbids it.",
    "Sensitive values are real ones unless their treatment says otherwise, and "
    "columns that are kept are released as they are: whoever knows their values finds "
    "the row.",
    _LISTED,
    "Two releases of the same people can be intersected. Rows of one person count as "
    "several people's unless a column names the persons.",
)
_OF_SUPPRESSED = (
    "Suppressed rows can be fewer than k. No model applies to them, and their "
    "sensitive values are released."
)
_OF_CENTRES = (
    "It also lists the values that are released in their place, of which means can be "
    "nobody's."
)
_NOT_TRUE = " A label need not stand for the value of each of its rows."
#: Of models of sensitive values, where persons are the individuals.
COUNTED = (
    "by persons, each once in a class, for the commonest value that they have there "
    "(in t-closeness for each value); rows alone can show another figure"
)
_REPLACED = {
    "means": "means of near numbers",
    "class": "draws from their class",
    "table": "draws from the table",
}
# Rows of a class have the values that they had together, but persons have others.
_REPLACED_BY_PERSONS = {"shuffle": "values of other rows of their class", **_REPLACED}
_OF_BATCHES = (
    "Somebody who is also in the earlier release, or in another batch, is in two "
    "classes, which can have fewer than k in common."
)


def not_protected(n_suppressed, *, of_persons=False, of_centres=False):
    """What a k-anonymous release does not protect, in a few sentences.

    Parameters
    ----------
    n_suppressed : int
        Rows of it.
    of_persons : bool, default=False
        Whether a column names the persons of its rows.
    of_centres : bool, default=False
        Whether its cells are centres of classes.
    """
    told = [*_NOT_PROTECTED]
    if of_persons:
        told[0], told[-1] = _HELD_BY_ALL, _OF_SEVERAL
    if of_centres:
        told.insert(told.index(_LISTED) + 1, _OF_CENTRES)
    return (*told, *[_OF_SUPPRESSED] * (n_suppressed > 0))


def k_anonymity_statement(anonymizer):
    """What a k-anonymous release promises, in a few sentences.

    Parameters
    ----------
    anonymizer : HybridKAnonymizer or KAnonymizer
        Fitted.
    """
    if isinstance(anonymizer, LocalSuppression):
        return _statement_of_suppression(anonymizer)
    facts = released_facts(anonymizer)
    names = ", ".join(anonymizer.roles_.quasi_identifiers)
    of = "rows" if anonymizer.person_id is None else "persons"
    models = [_named(*model) for model in getattr(anonymizer, "models", None) or ()]
    text = (
        f"k-anonymity with k = {facts['k']} ({anonymizer.k} asked) under the "
        f"quasi-identifiers {names}{''.join(f', with {model}' for model in models)}: "
        f"every class has at least that many {of}, which read the same in them."
    )
    if models:
        text += counted_by_persons() if models_are_by_persons(anonymizer) else ""
        of_persons = anonymizer.person_id is not None
        text += of_replaced_values(anonymizer.sensitive_values, of_persons)
    if anonymizer.report_.n_perturbed:
        text += _NOT_TRUE
    if facts["suppressed_rows"]:
        text += f" The {facts['suppressed_rows']} suppressed rows are outside it."
    return f"{text} {_NOT_COVERED}"


def counted_statement(release, k):
    """What a k-anonymous release that an engine counted promises; see `CountedRelease`.

    Parameters
    ----------
    release : CountedRelease
    k : int
        That was asked for.
    """
    names = ", ".join(release.roles.quasi_identifiers)
    return (
        f"k-anonymity with k = {release.smallest} ({k} asked) under the "
        f"quasi-identifiers {names}: every class has at least that many rows, which "
        "read the same in them, counted on the files."
        f"{_NOT_TRUE if release.n_perturbed else ''} {_NOT_COVERED} Nor is what the "
        "engine keeps of the real rows: its logs, histories, caches and temporary "
        "files."
    )


def _statement_of_suppression(anonymizer):
    """The same of a release of which single cells are suppressed."""
    is_of_rows = anonymizer.person_id is None
    reached = anonymizer.k_by_set_
    sets = [", ".join(names) for names in reached]
    asked = f"k = {min(reached.values())} ({anonymizer.k} asked)"
    under = f"each of {len(sets)} sets of quasi-identifiers ({'; '.join(sets)})"
    if len(sets) == 1:
        under = f"the quasi-identifiers {sets[0]}"
    if anonymizer.suppressed_as == "any":
        text = (
            f"Not k-anonymity. As sdcMicro counts, with {asked} under {under}: every "
            f"row agrees with as many {'rows' if is_of_rows else 'persons'}, where a "
            "suppressed cell agrees with any value. Somebody whose row is unchanged "
            "can be the only one who fits."
        )
    else:
        many = "as many rows" if is_of_rows else "the rows of as many persons"
        text = (
            f"k-anonymity with {asked} under {under}: every row is one of {many} that "
            "read the same in them, a suppressed cell being a value of its own."
        )
    return f"{text} {_NOT_COVERED}"


def of_replaced_values(sensitive_values, of_persons=False):
    """What the models do not say of sensitive values that others take the place of.

    Parameters
    ----------
    sensitive_values : str or mapping of column name to str
        As of `HybridKAnonymizer`.
    of_persons : bool, default=False
        Whether a person can have several rows: values that are shuffled in a class are
        other persons' then, while its rows have the same ones together.
    """
    is_one = isinstance(sensitive_values, str)
    words = [sensitive_values] if is_one else [*sensitive_values.values()]
    replaced = _REPLACED_BY_PERSONS if of_persons else _REPLACED
    found = [how for word, how in replaced.items() if word in words]
    if not found:
        return ""
    return (
        " Models of sensitive values apply to the values of the table. What is "
        f"released instead, {' and '.join(found)}, need not satisfy them."
    )


def counted_by_persons():
    """How models of sensitive values count, where persons are the individuals."""
    return f" Models of sensitive values are counted {COUNTED}."


def models_are_by_persons(anonymizer):
    """Whether there are models of sensitive values, of persons."""
    models = getattr(anonymizer, "models", None) or ()
    of_values = [m for _, m in models if not isinstance(m, PopulationModel)]
    return anonymizer.person_id is not None and bool(of_values)


def _named(name, model):
    """A model that was asked for, and of what."""
    if isinstance(model, PopulationModel):
        return str(model)
    return f"{model} of {name or 'each sensitive column'}"


def released_facts(anonymizer):
    """What can be seen in a k-anonymous release itself.

    Parameters
    ----------
    anonymizer : HybridKAnonymizer or KAnonymizer
        Fitted.
    """
    release, persons = anonymizer.release_, anonymizer.report_.smallest_class_persons
    smallest = int(min(release.kept_class_sizes, default=0))
    return {
        "rows": release.n_rows,
        "columns": list(release.order),
        "classes": len(release.kept_class_sizes),
        "k": smallest if persons is None else persons,
        "suppressed_rows": int(release.suppressed.sum()),
    }


def batch_not_protected(of_persons: bool = False) -> tuple[str, ...]:
    """What a batch of new rows, or of rows of persons, does not protect."""
    return (*not_protected(0, of_persons=of_persons), _OF_BATCHES)


def batch_facts(batch: NewRows, k: int, **more):
    """Facts of a batch of new rows, JSON compatible.

    Parameters
    ----------
    batch : NewRows
    k : int
        That was asked.
    **more
        Further facts, added at the end.

    Returns
    -------
    dict
        ``rows`` that were given, ``released_rows``, ``held_back_rows``, how many
        ``classes`` got some, and the fewest new individuals of one beside k. What was
        held back is about the real rows, and in no file.
    """
    return {
        "rows": len(batch.classes),
        "released_rows": batch.release.n_rows,
        "held_back_rows": batch.n_held_back,
        "classes": len(batch.release.class_sizes),
        "k": {"asked": k, "reached": batch.smallest},
        **more,
    }


def batch_statement(batch: NewRows, asked) -> str:
    """What a batch of new rows promises, in a few sentences.

    Parameters
    ----------
    batch : NewRows
    asked : mapping
        ``models``, each its column or None and its text, ``sensitive_values``, and
        ``person_id`` or None.
    """
    names = ", ".join(batch.release.names)
    of = "rows" if asked["person_id"] is None else "persons"
    text = (
        f"k-anonymity with k = {batch.smallest} of these {of} alone, under the "
        f"quasi-identifiers {names}: every class has at least that many, which read "
        "the same in them. Somebody who distinguishes them from those of the earlier "
        "release still has as many to choose from."
    )
    if batch.n_persons is not None:
        text += (
            " A person is anybody whom a column of the new rows names, with all of "
            f"their rows: {batch.n_persons:,} of them, with {batch.release.n_rows:,} "
            "rows, are released."
        )
    models = "; ".join(model for _, model in asked["models"])
    if models:
        text += f" Also required, of these alone: {models}."
        of_persons = asked["person_id"] is not None
        text += counted_by_persons() if of_persons else ""
        text += of_replaced_values(asked["sensitive_values"], of_persons)
    return f"{text} This rests on nobody being in both releases. {_NOT_COVERED}"
