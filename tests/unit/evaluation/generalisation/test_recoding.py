"""Levels of labels in their hierarchies, and the precision of a release."""

import numpy as np
import pytest

from coclust_synth import GeneralizationHierarchy, ParameterError
from coclust_synth.evaluation.generalisation.hierarchies import (
    label_levels,
    release_precision,
)
from coclust_synth.tables import GeneralizedColumn, GeneralizedTable

WORK = GeneralizationHierarchy.from_lines(
    "work", [("cook", "food", "*"), ("baker", "food", "*"), ("smith", "metal", "*")]
)


def release(members, codes, suppressed=None):
    members, codes = np.array(members, dtype=bool), np.array(codes)
    work = GeneralizedColumn.from_members("work", WORK.leaves, False, members, codes)
    sex = GeneralizedColumn.from_members(
        "sex", ("f", "m"), False, np.ones((1, 2), bool), np.zeros(len(codes), int)
    )
    return GeneralizedTable((work, sex), suppressed=suppressed)


def test_levels_are_those_of_the_lowest_node_that_covers():
    table = release([[1, 1, 0], [0, 0, 1], [0, 1, 1]], [0, 1, 2])
    levels = dict(
        zip(table["work"].labels, label_levels(table["work"], WORK), strict=True)
    )
    assert levels == {"{cook, baker}": 1, "smith": 0, "{baker, smith}": 2}


def test_precision_is_of_the_columns_that_have_a_hierarchy():
    table = release([[1, 1, 0], [0, 0, 1]], [0, 0, 1, 1])
    assert release_precision(table, {"work": WORK}) == 1 - (0.5 + 0.5) / 4
    with pytest.raises(ParameterError, match="hierarchy of one"):
        release_precision(table, {"age": WORK})


def test_suppressed_cells_are_at_the_root():
    table = release(
        [[0, 0, 1], [1, 1, 1]], [0, 0, 1, 1], np.array([False, False, True, True])
    )
    assert release_precision(table, {"work": WORK}) == 0.5
