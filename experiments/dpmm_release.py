"""Releases of the dpmm library, for comparison: AIM and MST, of (epsilon, delta).

The library pins versions of its own, so it runs in the interpreter that the environment
variable `PYTHON` names, where ``pip install dpmm`` was run. Its number of rows is that
of the real table, which it takes for public, and its delta is 1e-9: a weaker promise
than that of the methods of this project.
"""

import json
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from experiments.tasks import Skipped

PYTHON = "DPMM_PYTHON"
DELTA = 1e-9

_SCRIPT = """
import json, sys
import pandas as pd
from dpmm.models.aim import AIMGM
from dpmm.models.mst import MSTGM
asked = json.load(open(sys.argv[1]))
frame = pd.read_csv(asked["table"])
model = {"aim": AIMGM, "mst": MSTGM}[asked["model"]](
    epsilon=asked["epsilon"], delta=asked["delta"], domain=asked["domain"]
)
model.fit(frame)
model.generate(n_records=len(frame)).to_csv(asked["output"], index=False)
"""


class DpmmRelease:
    """A generator of this project's form around a model of dpmm.

    Parameters
    ----------
    epsilon : float
    domain : Domain
    model : {"aim", "mst"}
    """

    def __init__(self, epsilon, domain, *, model):
        self.epsilon = epsilon
        self.domain = domain
        self.model = model

    def fit(self, table):
        """Code the table; the library fits when rows are drawn."""
        if PYTHON not in os.environ:
            raise Skipped(
                f"Expected an interpreter with dpmm in the variable {PYTHON}. Received "
                "none. Install dpmm in a virtual environment, and name its python."
            )
        self.codes_ = self.domain.encode(table)
        return self

    def sample(self):
        """As many rows as the table has."""
        names = [f"x{j}" for j in range(len(self.domain.names))]
        with tempfile.TemporaryDirectory() as folder:
            table, output = Path(folder, "table.csv"), Path(folder, "output.csv")
            pd.DataFrame(self.codes_, columns=names).to_csv(table, index=False)
            asked = Path(folder, "asked.json")
            content = {
                "table": str(table),
                "output": str(output),
                "model": self.model,
                "epsilon": self.epsilon,
                "delta": DELTA,
                "domain": dict(zip(names, self.domain.sizes, strict=True)),
            }
            asked.write_text(json.dumps(content), encoding="utf-8")
            subprocess.run(
                [os.environ[PYTHON], "-c", _SCRIPT, str(asked)],
                check=True,
                capture_output=True,
                text=True,
            )
            codes = pd.read_csv(output)[names].to_numpy()
        return self.domain.decode(codes, np.random.default_rng())
