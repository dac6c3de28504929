"""Whether what is asked of a release fits its columns, before anything is measured."""

from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy.models.base import PrivacyModel
from coclust_synth.privacy.models.diversity import KAnonymity
from coclust_synth.privacy.models.presence import PopulationModel, Sampled
from coclust_synth.tables.reading.infer import check_table
from coclust_synth.tables.schema import unknown_column


def check_columns(frame, quasi_identifiers, sensitive, original, population) -> None:
    if not quasi_identifiers:
        raise ParameterError(
            "Expected at least one quasi-identifier. Received none. Name the columns "
            "that somebody may know of a person."
        )
    names = [*quasi_identifiers, *sensitive]
    _check_known(names, frame, "the table")
    if population is not None:
        _check_known(quasi_identifiers, population, "the population")
    if original is not None:
        _check_known(sensitive, original, "the original")
    both = [name for name in quasi_identifiers if name in sensitive]
    if both:
        raise ParameterError(
            "Expected columns that are quasi-identifiers or sensitive. Received "
            f"{', '.join(map(repr, both))} as both. Choose one."
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ParameterError(
            "Expected every column to be named once. Received "
            f"{', '.join(map(repr, twice))} twice. Leave one out."
        )


def check_identities(identities, frame, named) -> None:
    """Columns that name persons or households are there, and nothing else."""
    for what, column in identities.items():
        if column is None:
            continue
        _check_known([column], frame, "the table")
        if column in named:
            raise ParameterError(
                f"Expected a column of the {what} that is neither a quasi-identifier "
                f"nor sensitive. Received {column!r}, which is. Leave it out there."
            )


def _check_known(names, frame, where) -> None:
    check_table(frame)
    for name in names:
        if name not in frame.columns:
            raise ParameterError(unknown_column(name, tuple(frame.columns), where))


def check_presences(models, population) -> None:
    """Models of a population are of the whole table, in one that is given."""
    for column, model in models:
        if not isinstance(model, PopulationModel):
            continue
        if column is not None:
            raise ParameterError(
                f"Expected no column for {model}. Received {column!r}. Give None in "
                "its place, as this model is about whole rows."
            )
        if population is None and not isinstance(model, Sampled):
            raise ParameterError(
                f"Expected a population beside {model}. Received none. Give the table "
                "of the people among whom the released ones are, or what share of them "
                "is released."
            )
        if population is not None and isinstance(model, Sampled):
            raise ParameterError(
                f"Expected no population beside {model}. Received one. Ask for "
                f"{model.model}, as nothing has to be estimated where the population "
                "is known."
            )


def per_column(models, sensitive) -> dict[str, list[PrivacyModel]]:
    """Models of each sensitive column."""
    asked: dict[str, list[PrivacyModel]] = {name: [] for name in sensitive}
    for column, model in models:
        if isinstance(model, KAnonymity):
            raise ParameterError(
                f"Expected models of sensitive columns. Received {model}. Give it by "
                "k=... instead."
            )
        if not sensitive or (column is not None and column not in sensitive):
            of = "any column" if column is None else repr(column)
            raise ParameterError(
                f"Expected a sensitive column for {model}. Received {of}, with "
                f"{', '.join(map(repr, sensitive)) or 'none'} named as sensitive. "
                "Name it as sensitive."
            )
        for name in sensitive if column is None else [column]:
            asked[name].append(model)
    return asked
