"""A table of several rows a person, and hierarchies of its columns."""

import numpy as np
import pandas as pd

from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy

NAMES = ["age", "town", "sex"]


def visits(rng, n_persons):
    """Rows of persons, 1 to 6 of each; `pin` differs from row to row."""
    person = np.repeat(
        np.arange(n_persons), np.minimum(rng.geometric(0.5, n_persons), 6)
    )
    person = rng.permutation(person)
    n = len(person)
    group = rng.integers(0, 3, n_persons)[person]
    return pd.DataFrame(
        {
            "who": np.array([f"p{i:03d}" for i in rng.permutation(n_persons)])[person],
            "age": 20 + 10 * group + rng.integers(0, 6, n_persons)[person],
            "town": rng.choice(list("ABCDEF"), n_persons)[person],
            "sex": rng.choice(["F", "M"], n_persons)[person],
            "ill": np.where(
                rng.random(n) < 0.4, "flu", np.array(["cold", "burn", "cut"])[group]
            ),
            "pin": rng.permutation(n) + 1000,
        }
    )


def hierarchies():
    """One of each quasi-identifier."""
    lines = {
        "age": [(a, f"{a // 10 * 10}s", "*") for a in range(20, 50)],
        "town": [(t, "north" if t < "D" else "south", "*") for t in "ABCDEF"],
        "sex": [("F", "*"), ("M", "*")],
    }
    return {
        name: GeneralizationHierarchy.from_lines(name, own)
        for name, own in lines.items()
    }
