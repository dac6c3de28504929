"""What a command and a manifest say of plain synthetic rows and of their model."""

from coclust_synth.generators.plain.fitting import FEWEST
from coclust_synth.reports.manifest import (
    NO_GUARANTEE,
    Method,
    file_digest,
    release_manifest,
    table_source,
)
from coclust_synth.tables.parts.folded.folding import (
    described,
    in_words,
    made_by,
    untold_by,
)
from coclust_synth.tables.rules.evidence import pooled_codes

_STAGES = (
    "kinds and domains of the columns, unless a schema states them",
    "pooling of rare values, parts and rules",
    "the co-clustering, and the distributions inside its clusters",
)
# As docs/plain.md says it; the first is of trees.
_OF_TREES = (
    "A leaf's count of one value can be one person's. One person can also switch a "
    "rule on or off, or be the last before an end that numbers have beside a "
    "category. Leaves of different columns intersect in fewer than k individuals. In "
    "a column of few steps, such as 0 to 8 children, the release shows numbers that "
    "two individuals share. Their mean and spread show how many have each, exactly if "
    "there are three or fewer."
)
_OF_FEW = (
    f"The table has fewer than {FEWEST} individuals: what is drawn describes them and "
    "nobody else, and the ends of numbers are their own."
)
_NOT_PROTECTED = (
    "The ends of a column of numbers are described by the mean of the 20 or so "
    "largest or smallest. An extreme value of one person shows, in the size of that "
    "mean and in that it is there.",
    "Categories that as many individuals hold as the parameter rare says, and numbers "
    "that 20 share, are those of the table. So are bounds that a schema declares, and "
    "columns that it calls public. A missing number shows even if few individuals "
    "lack it, and so does what all members of a group have in common. The value of "
    "one person can decide whether a column is of whole numbers, of decimals or of "
    "texts, and whether it has rare values; both are stated here.",
    "Where columns are few and coarse, many drawn rows equal a real one by chance.",
    "Somebody who knows almost all of the table learns about the rest. Figures that "
    "are computed from the table are disclosures of their own.",
)
_OF_MODELS = (
    "The same table, settings and seed give the same model file, whose sha256 and "
    "settings are stated here. Somebody who has a guess at the whole table can test "
    "it."
)
_LEAST_POOLED = 0.01  # of the rows
_NONE_HERE = "none here: rows are drawn from the model file alone"
_NOT_KEPT = (
    "which rows belong to one person, their order, how many a person has, what is the "
    "same in all rows of a person"
)


def plain_manifest(
    files, how, model, schema, rows, *, broken=None, persons=None, source
):
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
    persons : dict, optional
        Of whom the rows are, as `persons_of` says it.
    source : dict
        As `table_source` or `model_source` gives it.
    """
    command, parameters = how
    release = {"rows": rows, **(persons or {}), "columns": list(schema.names)}
    if model.structure is not None:
        release["rules"] = [
            {"rule": rule["rule"], "drawn_broken": rule.get("drawn_broken")}
            for rule in kept_rules(model, broken)
        ]
        told = getattr(model.structure, "told_by_row_before", ())
        if told:
            release["told_by_row_before"] = [*in_words(told, model.spelt)]
        # Who counts their values counts rows of rare ones too.
        made = made_by(model.spelt)
        pools = (pool.name for pool in model.coding.pools)
        release["common_for_rare"] = [name for name in pools if name not in made]
    stages, more = _STAGES, ()
    if "model" in source:
        more = (_OF_MODELS,)
        stages = _NONE_HERE, *(f"in the fit of the model: {own}" for own in _STAGES)
    return release_manifest(
        files,
        Method(command, _what(model), parameters),
        schema,
        guarantee=NO_GUARANTEE,
        not_protected=(
            *[_OF_FEW] * (model.n_individuals < FEWEST),
            *model.doubts,
            *[_OF_TREES] * (model.structure is not None),
            *_NOT_PROTECTED,
            *more,
        ),
        stages=stages,
        recoding=model.recoding,
        release=release,
        treatments=_treatments(model, schema),
        source=source,
    )


def model_source(path, model):
    """What a manifest tells of the file of a model, from which its rows can be drawn.

    Who has a guess at the table can fit it and compare, as with the rows themselves.

    Parameters
    ----------
    path : Path
    model : PlainModel
        As it was saved.
    """
    own = {"model": path.name, "sha256": file_digest(path), "k": model.min_individuals}
    return own | {n: told for n, told in source_of(model, "").items() if n != "table"}


def source_of(model, table):
    """What a manifest tells of the table that a model was fitted to.

    Parameters
    ----------
    model : PlainModel
    table : Path or str
    """
    persons = model.n_individuals if model.by_person else None
    return table_source(table, model.n_rows, persons)


def _what(model):
    k = model.min_individuals
    how = "clusters" if model.structure is None else "trees whose leaves are"
    of = "persons" if model.by_person else "individuals"
    return f"synthetic rows, drawn from {how} of at least {k:,} {of}"


def _treatments(model, schema):
    """All columns are drawn, but keys and names of persons, which are made anew."""
    anew = {key.column.name for key in model.all_keys}
    return {name: "key" if name in anew else "drawn" for name in schema.names}


def pooled_warnings(pooled, n_rows):
    """What of rare values whoever releases synthetic rows must not overlook.

    Parameters
    ----------
    pooled : sequence of Pooled
        Of the table.
    n_rows : int
        Of it.

    Returns
    -------
    tuple of str
        At most one, of columns of which so many rows hold them that it shows.
    """
    most = sorted(pooled, key=lambda own: -own.rows)
    named = [
        f"{own.column!r} {own.values:,} values of {own.rows:,} rows "
        f"({own.rows / n_rows:.0%})"
        for own in most
        if own.rows >= _LEAST_POOLED * n_rows
    ]
    if not named:
        return ()
    told = (
        "released as others, or, if they are numbers, described by a mean and a spread"
    )
    return (f"Values that few people hold are {told}: {', '.join(named)}.",)


def run_summary(model, coclustering=None, broken=None, **more):
    """Facts of a fitted model, JSON compatible.

    Parameters
    ----------
    model : PlainModel
    coclustering : MODLCoclustering, optional
        Adds the budget that was used.
    broken : list of int or None, optional
        Drawn rows that break each rule, as `PlainModel.count_broken` gives them.
    **more
        Further facts, added at the end.

    Returns
    -------
    dict
        ``cost`` is that of the best grid (nats); ``drawn_cost``, ``clusters``,
        ``smallest_cluster`` (rows) and ``information`` are those of the finest grid
        that the model holds, which synthetic rows are drawn from. Where individuals are
        persons, ``persons`` in all, ``smallest_cluster_persons``, and what is kept of
        them, ``same_in_all_rows``, ``in_order_of`` and ``told_by_row_before``, or
        ``not_kept``.
        ``rules`` are those that a draw from trees keeps, with the rows and individuals
        that they are about, and the ``drawn_broken`` of the drawn rows that break them.
    """
    dendrogram = model.dendrogram
    n_individuals, n_parts = (int(j) for j in dendrogram.cells.shape)
    summary = {
        "cost": float(dendrogram.best_cost),
        "null_cost": dendrogram.null_cost,
        "drawn_cost": float(dendrogram.costs[0]),
        "clusters": {"individuals": n_individuals, "parts": n_parts},
        "smallest_cluster": int(model.cluster_rows.min()),
        "information": float(dendrogram.information[0]),
    }
    if model.by_person:
        summary |= {
            "persons": model.n_individuals,
            "smallest_cluster_persons": model.smallest_cluster,
            **_kept_of_persons(model),
        }
    if model.structure is not None:
        summary["rules"] = kept_rules(model, broken)
    if coclustering is not None:
        summary["iterations"] = coclustering.n_iter_
        summary["stopped_by"] = coclustering.stopped_by_
    return summary | more


def kept_rules(model, broken=None):
    """What is kept of a table by trees, and how many drawn rows break each rule.

    Parameters
    ----------
    model : PlainModel
        With a structure.
    broken : list of int or None, optional
        As of `run_summary`.

    Returns
    -------
    list of dict
        Without ``drawn_broken`` where that was not counted.
    """
    rules = [rule.to_dict() for rule in model.structure.rules.all]
    if broken is not None:
        rules = [
            rule | ({} if n is None else {"drawn_broken": n})
            for rule, n in zip(rules, broken, strict=True)
        ]
    # That a word is no number, or a pattern has some, needs not be told.
    made, untold = (
        [own for own in model.spelt if own.made_columns],
        untold_by(model.spelt),
    )
    relations = [rule.relation for rule in model.structure.rules.all]
    rules = [
        rule
        for rule, relation in zip(rules, relations, strict=True)
        if untold.isdisjoint(relation.columns)
        and not any(_is_of_own_numbers(relation, own) for own in made)
    ]
    spelt = [
        {"kind": "spelt", "rule": str(own)} | described(own) for own in model.spelt
    ]
    return spelt + rules


def _is_of_own_numbers(relation, own):
    """Whether a rule is about a column of texts and numbers made of it alone."""
    is_of_texts = own.column in relation.columns
    return is_of_texts and {*relation.columns} <= {own.column, *own.numbers}


def _staying(names, model):
    """Of columns that stay, those of the table: texts do where their numbers do too.

    Those of rare values alone are left out: what stays is that these are not released.
    """
    left_out, coding = made_by(model.spelt), model.coding
    left_out |= {own.column for own in model.spelt if not {*own.numbers} <= {*names}}
    left_out |= {
        coding.names[j]
        for j, pooled in pooled_codes(coding).items()
        if len(pooled) == len(coding.parts[j].seen)
    }
    return [name for name in names if name not in left_out]


def _order_of(structure):
    """What the rows of persons are in the order of, and those of their keys."""
    within = structure.within
    if within is None or within.ordered_by is None:
        return structure.ordered_by
    own = [] if structure.ordered_by is None else [structure.ordered_by]
    of_key = f"{within.ordered_by} in each {structure.shared_within}"
    return "; ".join([*own, of_key])


def _kept_of_persons(model):
    """What stays in the rows of a person, or what does not."""
    structure = model.structure
    if structure is None:
        return {"not_kept": _NOT_KEPT}
    told = in_words(structure.told_by_row_before, model.spelt)
    of_keys = [(own.column, own.constants) for own in model.nested]
    of_keys += [(structure.shared_within, structure.lasting_within)]
    of_keys = ((key, _staying(names, model)) for key, names in of_keys)
    of_keys = (f"{key}: {', '.join(names)}" for key, names in of_keys if names)
    return {
        "same_in_all_rows": ", ".join(_staying(structure.lasting, model)) or None,
        "same_in_rows_of": "; ".join(of_keys) or None,
        "in_order_of": _order_of(structure),
        "told_by_row_before": "; ".join(told) or None,
    }
