"""delta-presence and k-map: how many people a class's label fits.

Covers of classes, and labels in the end, are laid over the population: of all people
whom a label fits, those of the table are to be neither too few nor too many, or they
are to be many. Without a population the number is estimated from the class's rows.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse

from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.kanon.classes._merge_kernels import covered_weight
from coclust_synth.privacy.models.presence import PopulationModel, Sampled
from coclust_synth.tables.rows import collapse


@dataclass(frozen=True, eq=False)
class PresenceModel:
    """A model, and the population that the covers of the classes are laid over.

    A cover's share is that of the class's rows in the rows of the population that the
    cover has; 1 where these are fewer.

    Attributes
    ----------
    model : DeltaPresence
    codes : ndarray of int64, shape (m, d)
        Distinct rows of the population by leaves, numbered over all variables; -1 for
        a value that the table does not have.
    weight : ndarray of int64, shape (m,)
        Rows of the population that are equal.
    """

    model: object
    codes: np.ndarray
    weight: np.ndarray

    def by_record(self, record_of_row, n_records):
        """Nothing is counted by record: an empty matrix."""
        return sparse.csr_array((n_records, 1), dtype=np.int64)

    def holds(self, counts, kept, sizes):
        """Whether each of some classes holds, from their covers and sizes."""
        population = covered_weight(kept, self.codes, self.weight)
        population = np.maximum(population, 1)
        released = np.minimum(sizes, population)
        return self.model.holds(np.column_stack([released, population]), None)


@dataclass(frozen=True, eq=False)
class SampledModel:
    """A model of a population that is known by the share of it that is in the table.

    Attributes
    ----------
    model : Sampled
    """

    model: object

    def by_record(self, record_of_row, n_records):
        """Nothing is counted by record: an empty matrix."""
        return sparse.csr_array((n_records, 1), dtype=np.int64)

    def holds(self, counts, kept, sizes):
        """Whether each of some classes holds, from their sizes."""
        return self.model.holds(np.column_stack([sizes, sizes]), None)


def split_presence(models):
    """Models on sensitive columns, and those of a population.

    Parameters
    ----------
    models : sequence of (column or None, PrivacyModel)

    Returns
    -------
    on_sensitive : list of (column or None, PrivacyModel)
    presence : list of PopulationModel
    """
    on_sensitive = [own for own in models if not isinstance(own[1], PopulationModel)]
    return on_sensitive, [own for _, own in models if isinstance(own, PopulationModel)]


def check_population(models, population, person_id):
    """Refuse a population that no model asks for, and models that lack one.

    Parameters
    ----------
    models : sequence of (column or None, PrivacyModel)
    population : DataFrame, path or None
    person_id : str or None
        Column of the persons, who must have one row each.

    Raises
    ------
    ParameterError
    """
    asked = split_presence(models)[1]
    presence = any(not isinstance(model, Sampled) for model in asked)
    if presence != (population is not None):
        raise ParameterError(
            "Expected a population with DeltaPresence or KMap, and only then. Received "
            f"{'the model' if presence else 'a population'} alone. Give both "
            "(--population with --delta-presence or --k-map), or what share of it is "
            "in the table (Sampled; --sampling-fraction)."
        )
    if asked and person_id is not None:
        raise ParameterError(
            f"Expected {asked[0]} of a table of one row a person. Received it with "
            f"the persons of {person_id!r}: the rows of a person can be in several "
            "classes, so that the share of the population in a class is not defined. "
            "Leave one of them out."
        )


def presence_models(models, coding, population):
    """Models of a population, by the leaves of a table.

    Parameters
    ----------
    models : sequence of PopulationModel
    coding : LeafCoding
        Of the quasi-identifiers.
    population : DataFrame or None
        With these columns; None where no model asks for one.

    Returns
    -------
    list of PresenceModel or SampledModel
    """
    if population is None:
        return [SampledModel(model) for model in models]
    codes, weight = np.unique(
        coding.population_codes(population), axis=0, return_counts=True
    )
    return [
        SampledModel(model)
        if isinstance(model, Sampled)
        else PresenceModel(model, codes, weight)
        for model in models
    ]


def check_presence(columns, models, population):
    """Refuse labels that do not hold models of a population that is given.

    Labels may stand for more values than the covers that classes are merged by, as
    nodes of hierarchies and the thesis's covers do, and classes of equal labels are one
    to a reader.

    Parameters
    ----------
    columns : sequence of GeneralizedColumn
        The quasi-identifiers, as they are to be released.
    models : sequence of PopulationModel
        Those that are `Sampled` hold of classes, and of what they are merged to.
    population : DataFrame
        With these columns.

    Raises
    ------
    ParameterError
    """
    labels = np.column_stack([column.codes for column in columns])
    seen, _ = collapse(labels, [len(column.labels) for column in columns])
    codes, kept, offset = [], [], 0
    for column, own in zip(columns, (seen.codes - seen.offsets).T, strict=True):
        place = {leaf: offset + i for i, leaf in enumerate(column.leaves)}
        found, uniques = pd.factorize(population[column.name])
        # A missing value has the code -1: the last place.
        places = [place.get(value, -1) for value in [*uniques.tolist(), None]]
        codes.append(np.array(places)[found])
        kept.append(column.members[own])
        offset += len(column.leaves)
    rows, weight = np.unique(np.column_stack(codes), axis=0, return_counts=True)
    for model in (own for own in models if not isinstance(own, Sampled)):
        people = PresenceModel(model, rows, weight)
        holds = people.holds(None, np.hstack(kept), seen.counts)
        if not holds.all():
            raise ParameterError(
                f"Expected labels for which {model} holds. Received "
                f"{(~holds).sum()} classes whose labels do not. Use the method "
                '"hybrid" without hierarchies, or ask for less.'
            )
