"""Tables as rules read them, made from frames."""

import numpy as np
import pandas as pd

from coclust_synth import infer_schema
from coclust_synth.tables.parts.rare.released import release_values
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.sums.search import Columns


def evidence_of(columns, persons=None, schema=None, rare=10):
    """Evidence of a table, every column kept; each row a person unless told."""
    frame = pd.DataFrame(columns)
    schema = infer_schema(frame).keep(*frame) if schema is None else schema
    if persons is not None:
        persons = Persons("who", np.asarray(persons))
    released = release_values(frame, schema, rare, persons=persons)
    return Evidence.of(released, persons)


def columns_of(evidence, k):
    """All columns that searches of numbers look at, whoever has them."""
    rulers = {name: scale.ruler for name, scale in evidence.scales.items()}
    return Columns(evidence, rulers, k)
