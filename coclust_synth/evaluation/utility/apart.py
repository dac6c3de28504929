"""Whether boosting tells released rows from real ones, of two kinds.

From rows that the release was made without, .5 is best. From those that it was made
from, a value below .5 means copying: see
`coclust_synth.evaluation.telling_apart.real_vs_synthetic`.
"""

from coclust_synth.evaluation.comparing.coded import CodedRows, some_rows
from coclust_synth.evaluation.comparing.scores import Figures, Setting, of_auc
from coclust_synth.evaluation.telling_apart.real_vs_synthetic import (
    real_vs_synthetic_auc,
)

_MAX_ROWS = 10_000
_MIN_ROWS = 10
_STREAM = 4


def apart_figures(setting: Setting, rows: CodedRows) -> Figures:
    """How well released rows are told from training rows, and from the holdout's."""
    found: Figures = {}
    real = {"training": setting.real, "holdout": setting.holdout}
    for name, own in real.items():
        if own is None or min(own.n, rows.n) < _MIN_ROWS:
            continue
        rng = setting.rng(_STREAM)
        exact = (some_rows(of, _MAX_ROWS, rng).exact for of in (own, rows))
        area = real_vs_synthetic_auc(*exact, random_state=setting.seed)
        found[f"told_from_{name}", ()] = of_auc(area)
    return found
