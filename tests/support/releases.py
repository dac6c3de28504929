"""What a released table says, read from its frame and its labels alone."""

import json

import numpy as np
import pandas as pd

from coclust_synth.tables.generalized.sidecar import label_sets


def released_sets(release):
    """For each column a dict from label to the set of values it stands for."""
    content = json.loads(json.dumps(release.sidecar()))
    return {
        sets.name: {
            label: {leaf for leaf, is_in in zip(sets.leaves, own, strict=True) if is_in}
            for label, own in zip(sets.labels, sets.members, strict=True)
        }
        for sets in label_sets(content)
    }


def class_sizes(release, names):
    """Rows of each combination of labels, by pandas."""
    frame = release.to_frame()
    return frame.groupby(list(names), dropna=False, observed=True).size()


def covered(table, release, pin):
    """Whether each value of a table is in the label its row is released under.

    Rows are found by a column `pin` of different values that is released as it is.

    Returns
    -------
    DataFrame of bool
        In the order of the table.
    """
    sets = released_sets(release)
    frame = release.to_frame().set_index(pin).loc[table[pin]]
    return pd.DataFrame(
        {
            name: [
                (None if pd.isna(value) else value) in sets[name][label]
                for value, label in zip(table[name].tolist(), frame[name], strict=True)
            ]
            for name in sets
        }
    )


def labels_by_row(table, release, pin):
    """Labels of each row of a table, as tuples, found as in `covered`."""
    names = list(release.names)
    frame = release.to_frame().set_index(pin).loc[table[pin]]
    return list(frame[names].itertuples(index=False, name=None))


def mixed_table(rng, n):
    """Columns of all kinds, some values missing; `pin` differs from row to row."""
    group = rng.integers(0, 3, n)
    job = np.array(list("abcdef"), dtype=object)[group + rng.integers(0, 4, n)]
    job[rng.random(n) < 0.15] = None
    age = pd.array(20 + 10 * group + rng.integers(0, 15, n), dtype="Int64")
    age[rng.random(n) < 0.1] = pd.NA
    size = pd.Categorical.from_codes(
        rng.integers(-1, 3, n), categories=["S", "M", "L"], ordered=True
    )
    return pd.DataFrame(
        {
            "job": job,
            "age": age,
            "pay": np.round(rng.gamma(2, 10, n), 1),
            "away": rng.random(n) < 0.4,
            "day": pd.Timestamp(2024, 1, 1)
            + pd.to_timedelta(rng.integers(0, 40, n), unit="D"),
            "size": size,
            "ill": rng.choice(["flu", "cold", "none"], n),
            "pin": rng.permutation(n) + 1000,
        }
    )
