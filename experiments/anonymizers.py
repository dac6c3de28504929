"""The methods that k-anonymous tables are made by, to be compared with each other."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from coclust_synth import (
    COCAnonymizer,
    COCHGAnonymizer,
    CoclusterSynthesizer,
    GeneralizationHierarchy,
    HybridKAnonymizer,
    LatticeAnonymizer,
    MDAVAnonymizer,
    MicroAnonymizer,
    MODLCoclustering,
    MondrianAnonymizer,
)
from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.derived.hierarchies import model_hierarchies
from coclust_synth.tables.generalized.column import GeneralizedColumn
from coclust_synth.tables.generalized.table import GeneralizedTable


@dataclass(frozen=True, eq=False)
class Given:
    """What a method can start from.

    Attributes
    ----------
    table : DataFrame
        Columns that are not sensitive are the quasi-identifiers.
    sensitive : sequence of str
    model : MODLCoclustering
        Fitted to the quasi-identifiers.
    hand_made : mapping of column name to GeneralizationHierarchy
        Those that somebody wrote; empty if there are none.
    seed : int
    """

    table: pd.DataFrame
    sensitive: tuple[str, ...]
    model: MODLCoclustering
    hand_made: dict[str, GeneralizationHierarchy]
    seed: int

    @cached_property
    def automatic(self):
        """The hierarchies that the model implies."""
        known = self.table.drop(columns=list(self.sensitive))
        return model_hierarchies(known, self.model.coding_, self.model.dendrogram_)


def _coclustered(estimator, **options):
    def release(given, k):
        anonymizer = estimator(
            k,
            sensitive=given.sensitive,
            model=given.model,
            random_state=given.seed,
            **options,
        )
        return _released(anonymizer, given)

    return release


def _lattice(hierarchies, **options):
    def release(given, k):
        found = getattr(given, hierarchies)
        if not found:
            raise ParameterError(
                "Expected hierarchies for this method. Received a config without. Name "
                "their folder in [hierarchies]."
            )
        anonymizer = LatticeAnonymizer(
            k, sensitive=given.sensitive, hierarchies=found, **options
        )
        release, known = _released(anonymizer, given)
        return release, known | {
            "node": " ".join(map(str, anonymizer.node_)),
            "score": round(anonymizer.score_, 9),
            "bound": round(anonymizer.bound_, 9),
        }

    return release


def _plain(estimator, **options):
    def release(given, k):
        return _released(estimator(k, sensitive=given.sensitive, **options), given)

    return release


def _micro(given, k):
    anonymizer = MicroAnonymizer(k, sensitive=given.sensitive, model=given.model)
    return _released(anonymizer, given)


def _synth(given, k):
    """The thesis's draw from the same co-clustering: no k-anonymity, for comparison."""
    synthesizer = CoclusterSynthesizer(
        k=k,
        within="independent",
        cut="even",
        model=given.model,
        random_state=given.seed,
    )
    known = given.table.drop(columns=list(given.sensitive))
    drawn = synthesizer.fit(known).sample(len(known), random_state=given.seed)
    columns = [_single_values(known[name], drawn[name]) for name in known]
    others = given.table[list(given.sensitive)]
    return GeneralizedTable(tuple(columns), others), {}


def _single_values(real, drawn):
    """A column whose labels stand for one value each."""
    values = pd.unique(pd.concat([real, drawn]).dropna())
    leaves = sorted(values.tolist())
    codes = pd.Index(leaves).get_indexer(drawn)
    if real.isna().any() or drawn.isna().any():
        leaves, codes = [*leaves, None], np.where(codes < 0, len(leaves), codes)
    return GeneralizedColumn(
        str(real.name),
        tuple(leaves),
        pd.api.types.is_numeric_dtype(real),
        np.eye(len(leaves), dtype=bool),
        tuple(map(str, leaves)),
        codes,
    )


def _released(anonymizer, given):
    release = anonymizer.fit_transform(given.table)
    report = anonymizer.report_
    return release, {
        "covered_cells": round(report.covered_cells, 6),
        "perturbed_rows": report.n_perturbed,
    }


# From `Given` and k to the GeneralizedTable, and what else is known: columns of rows.
METHODS = {
    "hybrid": _coclustered(HybridKAnonymizer),
    "hybrid intervals": _coclustered(HybridKAnonymizer, intervals=True),
    "hybrid truthful": _coclustered(HybridKAnonymizer, truthful=True),
    "synth": _synth,
    "coc": _coclustered(COCAnonymizer),
    "coc_hg": _coclustered(COCHGAnonymizer),
    "flash": _lattice("hand_made"),
    "flash 1 %": _lattice("hand_made", max_suppressed=0.01),
    "flash automatic": _lattice("automatic"),
    "flash automatic 1 %": _lattice("automatic", max_suppressed=0.01),
    "samarati": _lattice("hand_made", search="samarati", max_suppressed=0.01),
    "datafly": _lattice("hand_made", search="datafly", max_suppressed=0.01),
    "mondrian": _plain(MondrianAnonymizer),
    "mondrian relaxed": _plain(MondrianAnonymizer, relaxed=True),
    "mdav": _plain(MDAVAnonymizer),
    "mdav centroids": _plain(MDAVAnonymizer, release="centroids"),
    "micro": _micro,
}
