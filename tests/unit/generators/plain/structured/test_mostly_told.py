"""Categories that another column tells but for slips, and more often than trees do."""

import json
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from support.structures import drawn_from, learnt

from coclust_synth.generators.plain.structured.learning import learning
from coclust_synth.generators.plain.structured.structure import Structure
from coclust_synth.generators.plain.trees.mostly import Coded, find_mostly_told

N = 6000


def slipped(column, rng, share=0.03):
    """The same column, with values of other rows in a share of them."""
    slips = rng.permutation(len(column)) < share * len(column)
    return np.where(slips, rng.permutation(column), column)


@pytest.fixture
def schools(rng):
    """The school of pupils in two years, and its district: sixty schools, forty."""
    last = rng.integers(0, 60, N)
    now, district = slipped(last, rng), slipped(2 * last // 3, rng)
    columns = {"last": last, "now": now, "district": district}
    return pd.DataFrame(
        {n: [f"{n[:1]}{c:02d}" for c in of] for n, of in columns.items()}
    )


def says(structure):
    """By the name of each column that is mostly told what tells it."""
    names = structure.coding.names
    return {names[own.column]: own.equals for own in structure.columns if own.told}


def agreeing(frame, name, real):
    """Share of the rows that have what goes mostly with their last school."""
    most = real.groupby("last")[name].agg(lambda of: of.mode()[0])
    known = frame[["last", name]].notna().all(axis=1)
    return (frame["last"].map(most) == frame[name])[known].mean()


@pytest.mark.slow
def test_a_code_and_a_label_agree_as_often(schools):
    structure = learnt(schools, k=100)
    assert says(structure) == {"now": "last", "district": "last"}
    drawn = drawn_from(structure, N)
    for name in ("now", "district"):
        real, made = (agreeing(of, name, schools) for of in (schools, drawn))
        assert real < 0.975
        assert made == pytest.approx(real, abs=0.01)
        counts = [of[name].value_counts(normalize=True) for of in (schools, drawn)]
        assert (counts[0] - counts[1]).abs().max() < 0.005


@pytest.mark.slow
def test_cells_that_are_missing_are_no_slips(schools, rng):
    schools = schools.mask(rng.random((N, 3)) < 0.25)
    drawn = drawn_from(learnt(schools, k=100), N)
    for name in ("now", "district"):
        missing = (of[name].isna().mean() for of in (schools, drawn))
        assert next(missing) == pytest.approx(next(missing), abs=0.01)
        # The district is that of this year's school, or else that of the last one's.
        real, made = (agreeing(of, name, schools) for of in (schools, drawn))
        assert made == pytest.approx(real, abs=0.05)


@pytest.mark.slow
def test_what_few_have_says_nothing(schools, rng):
    """Of a school of 15 pupils it is not told which one they go to next."""
    few = np.arange(N) < 15
    schools = schools.assign(
        last=schools["last"].where(~few, "l60"), now=schools["now"].where(~few, "n00")
    )
    structure = learnt(schools, k=150)
    (now,) = (own for own in structure.columns if own.column == 1)
    codes = structure.coding.parts[0]
    last = [structure.schema["last"].categories[seen] for seen in codes.seen]
    assert [
        name for name, said in zip(last, now.told[0].says, strict=True) if said < 0
    ] == ["l60"]
    drawn = drawn_from(structure, 10 * N)
    next_school = drawn["now"][drawn["last"] == "l60"]
    assert next_school.nunique() > 3
    assert (next_school == "n00").mean() < 0.8


@pytest.mark.slow
def test_rules_about_a_told_column_are_kept(schools):
    """Which schools are private is told by a rule, and what comes later by another."""
    private = schools["now"].str[-1].isin(["1", "7"])
    frame = schools.assign(private=np.where(private, "yes", "no"))
    for columns in (["last", "now", "private"], ["private", "last", "now"]):
        structure = learnt(frame[columns], k=100)
        drawn = drawn_from(structure, N)
        assert not any(structure.count_broken(drawn))
        real, made = (agreeing(of, "now", frame) for of in (frame, drawn))
        assert made == pytest.approx(real, abs=0.02)


@pytest.mark.slow
def test_a_saved_model_draws_the_same(schools):
    structure = learnt(schools, k=100)
    data = json.loads(json.dumps(structure.to_dict()))
    again = Structure.from_dict(data, structure.arrays())
    assert drawn_from(again).equals(drawn_from(structure))
    (now,) = (own for own in data["columns"] if own["column"] == 1)
    (told,) = now["told"]
    for wrong in (told["says"][1:], [60, *told["says"][1:]], [-2, *told["says"][1:]]):
        now["told"] = [told | {"says": wrong}]
        with pytest.raises(ValueError):
            Structure.from_dict(data, structure.arrays())
    for other in (2, 99):
        now["told"] = [told | {"other": other}]
        with pytest.raises(ValueError):
            Structure.from_dict(data, structure.arrays())


@pytest.mark.slow
def test_few_categories_and_independent_ones_are_left_to_trees(schools, rng):
    apart = pd.DataFrame({n: rng.permutation(of) for n, of in schools.items()})
    first = rng.integers(0, 5, N)
    few = pd.DataFrame({"first": first, "second": slipped(first, rng)})
    for frame in (apart, few.astype(str) + "x"):
        assert not says(learnt(frame, k=100))


@pytest.mark.slow
def test_fewer_than_20_who_differ_are_not_told(schools):
    last = schools["last"].str[1:]
    for n, found in ((15, {}), (60, {"now": "last"})):
        others = np.roll(last, 1)
        now = "n" + last.where(np.arange(N) >= n, others)
        frame = pd.DataFrame({"last": schools["last"], "now": now})
        assert says(learnt(frame, k=100)) == found


def test_slips_of_all_that_tell_count_together():
    """Fewer than 20 slip of the second column's word; of all it is told."""
    code, place = np.divmod(np.arange(3600), 90)
    first = place < 60
    others = {
        j: Coded(np.where(known, code, 40), known, 41)
        for j, known in ((7, first), (8, ~first))
    }
    leaf = np.zeros(3600, dtype=np.int64)

    def found(n_first, n_second):
        slips = np.zeros(3600, dtype=bool)
        for rows, n in ((first, n_first), (~first, n_second)):
            slips[np.flatnonzero(rows)[:: rows.sum() // n][:n]] = True
        own = Coded(np.where(slips, (code + 7) % 40, code), first | ~first, 40)

        def count(labels, n):
            return np.bincount(labels[labels >= 0], minlength=n)

        return [t.other for t in find_mostly_told(own, leaf, others, count, k=20)]

    assert found(60, 19) == [7, 8]
    assert found(20, 1) == [7, 8]
    assert found(19, 19) == []


def test_only_pairs_that_occur_are_counted(rng):
    """Of two columns of 20,000 categories 400 million others could."""
    n, n_codes = 60_000, 20_000
    code = rng.integers(0, 1000, n)
    columns = [
        Coded(of, np.ones(n, bool), n_codes) for of in (slipped(code, rng), code)
    ]
    tracemalloc.start()
    (told,) = find_mostly_told(
        columns[0],
        np.zeros(n, dtype=np.int64),
        {7: columns[1]},
        lambda labels, size: np.bincount(labels[labels >= 0], minlength=size),
        k=100,
    )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert told.other == 7
    assert told.says[:1000] == tuple(range(1000))
    assert set(told.says[1000:]) == {-1}
    assert peak < 50e6


@pytest.mark.slow
def test_columns_that_a_tree_does_not_ask_are_not_counted(rng, monkeypatch):
    """In tables of hundreds of columns pairs of them would take longer than trees."""
    tried = []
    monkeypatch.setattr(
        learning, "find_mostly_told", lambda *asked: tried.append(asked) or ()
    )
    columns = {f"c{i:02d}": rng.choice(list("abc"), 400) for i in range(24)}
    columns["yes"] = rng.choice(["yes", "no"], 400)
    columns["same"] = slipped(columns["yes"], rng, 0.1)
    structure = learnt(pd.DataFrame(columns), k=50)
    yes = structure.coding.names.index("yes")
    asked = [others for _, _, others, *_ in tried]
    assert asked
    assert not any(yes in others for others in asked)
    # A tree of 400 rows has eight leaves of 50 at most, and so seven splits.
    assert max(map(len, asked)) < 8
