"""What the manifest of plain synthetic rows says of them."""

from coclust_synth.reports.manifest import (
    NO_GUARANTEE,
    Method,
    file_digest,
    release_manifest,
)
from coclust_synth.reports.summary import kept_rules

_STAGES = (
    "kinds and domains of the columns, where no schema says them",
    "rare values that are put together, parts and rules",
    "the co-clustering, and the laws inside its clusters",
)
_NONE_HERE = "none here: rows are drawn from the model file alone"


def plain_manifest(files, how, model, schema, rows, *, broken=None, source=None):
    """The manifest of rows that were drawn from a model, JSON compatible.

    Parameters
    ----------
    files : mapping of str to bytes or Path
        As of `release_manifest`.
    how : tuple of (str, dict)
        The command, and its parameters.
    model : PlainModel
        That they were drawn from.
    schema : Schema
        Of the rows.
    rows : int
    broken : list of int or None, optional
        Of the rows, those that break each rule, as `PlainModel.count_broken` gives
        them: what does not hold in all rows must not be read as if it did.
    source : dict, optional
        Of a saved model, as `model_source` gives it.
    """
    command, parameters = how
    release = {"rows": rows, "columns": list(schema.names)}
    if model.structure is not None:
        release["rules"] = [
            {"rule": rule["rule"], "drawn_broken": rule.get("drawn_broken")}
            for rule in kept_rules(model, broken)
        ]
    stages = _STAGES
    if source is not None:
        stages = _NONE_HERE, *(f"in the fit of the model: {own}" for own in _STAGES)
    return release_manifest(
        files,
        Method(command, _what(model), parameters),
        schema,
        guarantee=NO_GUARANTEE,
        stages=stages,
        recoding=model.recoding,
        release=release,
        treatments=_treatments(model, schema),
        source=source,
    )


def model_source(path, model):
    """What a manifest tells of the file of a model: it is that of its rows.

    Parameters
    ----------
    path : Path
    model : PlainModel
        As it was saved.
    """
    k = model.min_individuals
    return {"model": path.name, "sha256": file_digest(path), "k": k}


def _what(model):
    k = model.min_individuals
    return f"synthetic rows, drawn from clusters of at least {k} individuals"


def _treatments(model, schema):
    """All columns are drawn, but keys and names of persons, which are made anew."""
    anew = {key.column.name for key in model.all_keys}
    return {name: "key" if name in anew else "drawn" for name in schema.names}
