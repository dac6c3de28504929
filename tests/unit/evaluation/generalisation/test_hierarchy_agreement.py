"""How far two hierarchies agree."""

from itertools import combinations

import pytest
from hypothesis import given
from naive.hierarchies import joining_level
from scipy.stats import spearmanr
from support.hierarchies import hierarchy_lines

from coclust_synth import GeneralizationHierarchy, ParameterError
from coclust_synth.evaluation.generalisation.hierarchies import compare_hierarchies

FIRST = [
    ("a", "ab", "abc", "*"),
    ("b", "ab", "abc", "*"),
    ("c", "c", "abc", "*"),
    ("d", "d", "de", "*"),
    ("e", "e", "de", "*"),
    ("?", "?", "?", "*"),
]
SECOND = [
    ("e", "E", "*"),
    ("d", "D", "*"),
    ("c", "D", "*"),
    ("b", "B", "*"),
    ("a", "B", "*"),
]


def of(lines):
    return GeneralizationHierarchy.from_lines("x", lines)


def test_groups_and_pairs_in_common():
    found = compare_hierarchies(of(FIRST), of(SECOND))
    assert found.values == ("a", "b", "c", "d", "e")
    assert found.common_groups == (("a", "b"),)
    assert found.n_groups == (3, 2)
    # ab ac bc de; cd ab; ab.
    assert found.joined_pairs == (4, 2, 1) and found.n_pairs == 10
    assert compare_hierarchies(of(FIRST), of(FIRST)).rank_correlation == pytest.approx(
        1
    )


@given(hierarchy_lines(max_height=4), hierarchy_lines(max_height=3))
def test_correlation_is_that_of_the_levels_where_pairs_join(first, second):
    second = [(one[0], *other[1:]) for one, other in zip(first, second, strict=False)]
    if len(second) < 2:
        return
    found = compare_hierarchies(of(first), of(second))
    levels = [
        [joining_level(a, b) for a, b in combinations(lines[: len(second)], 2)]
        for lines in (first, second)
    ]
    heights = len(first[0]) - 1, len(second[0]) - 1
    joined = [
        {i for i, level in enumerate(side) if level < height}
        for side, height in zip(levels, heights, strict=True)
    ]
    assert found.joined_pairs == (*map(len, joined), len(joined[0] & joined[1]))
    if any(len(set(side)) == 1 for side in levels):
        assert found.rank_correlation is None
    else:
        assert found.rank_correlation == pytest.approx(spearmanr(*levels).statistic)


def test_hierarchies_of_other_values():
    with pytest.raises(ParameterError, match="with 1 values in common"):
        compare_hierarchies(of([("a", "*"), ("b", "*")]), of([("b", "*"), ("c", "*")]))
