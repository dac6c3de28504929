"""A table about people, of columns that depend on each other."""

import numpy as np
import pandas as pd


def people(n=120, seed=0):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    return pd.DataFrame(
        {
            "age": 20 + 10 * group + rng.integers(0, 10, n),
            "job": np.array(["cook", "nurse", "smith"])[group],
            "town": rng.choice(list("ABCDEF"), n),
            "sex": rng.choice(["F", "M"], n),
            "disease": rng.choice(["flu", "cold", "cancer", "asthma"], n),
            "days": rng.integers(1, 30, n),
        }
    )
