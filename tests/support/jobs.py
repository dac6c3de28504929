"""People of few jobs, whom global recodings release, with hierarchies of theirs."""

import numpy as np
import pandas as pd

from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy

LINES = {
    "job": [
        ("cook", "food", "*"),
        ("baker", "food", "*"),
        ("nurse", "care", "*"),
        ("smith", "metal", "*"),
        ("welder", "metal", "*"),
    ],
    "sex": [("F", "*"), ("M", "*")],
    "town": [("here",)],
}
HIERARCHIES = {
    name: GeneralizationHierarchy.from_lines(name, lines)
    for name, lines in LINES.items()
}
TWO = {name: HIERARCHIES[name] for name in ("job", "sex")}
JOB = {"job": HIERARCHIES["job"]}


def people(n=200, seed=0):
    """No welder, though the hierarchy has one; nurses are few."""
    rng = np.random.default_rng(seed)
    jobs = np.array(["cook", "baker", "smith", "nurse"])
    return pd.DataFrame(
        {
            "job": rng.choice(jobs, n, p=[0.4, 0.3, 0.27, 0.03]),
            "sex": rng.choice(["F", "M"], n),
            "ill": rng.choice(["flu", "cold", "cough"], n, p=[0.6, 0.3, 0.1]),
        }
    )
