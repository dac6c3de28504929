"""How near released rows are to those that they were made from, beside the holdout's.

An attacker who knows a whole row looks for it among the released ones. What he finds of
rows learnt from is compared with what he finds of as many rows of the holdout, which
are of the same people at large: only the difference is the release's doing. Three
questions are asked by the distance of `coclust_synth.evaluation.comparing.coded`:

- membership by distance: is the nearest released row nearer? Of all, and of the 15 % of
  the rows asked about that are farthest from other real rows;
- membership by density: are there more released rows around it, as far as the nearest
  row of the holdout that is not asked about, than there are such rows?
- the other way round: is a released row nearer to rows learnt from than to the
  holdout's, as many of both? A tie counts half on either side; SDMetrics counts it for
  the holdout, and gives a bootstrap copy a perfect score.

References
----------
.. [1] D. Chen, N. Yu, Y. Zhang and M. Fritz, "GAN-Leaks", CCS 2020: distance.
.. [2] B. van Breugel, H. Sun, Z. Qian and M. van der Schaar, "Membership inference
   attacks against synthetic data through overfitting detection", AISTATS 2023: density.
.. [3] M. Platzer and T. Reutterer, "Holdout-based empirical assessment of mixed-type
   synthetic data", Frontiers in Big Data 4, 2021: the share that is nearer.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coclust_synth.evaluation.comparing.coded import (
    FULL,
    CodedRows,
    Coding,
    some_rows,
    split_rows,
)
from coclust_synth.evaluation.comparing.scores import (
    Figure,
    Figures,
    Setting,
    of_auc,
    of_median,
    of_share,
)
from coclust_synth.evaluation.risk._kernels import (
    Places,
    count_within,
    kth_distances,
    nearest_rows,
)
from coclust_synth.evaluation.telling_apart.auc import auc_with_interval
from coclust_synth.evaluation.telling_apart.nearest_rows import ISOLATED

_MAX_ASKED = 2000  # rows of each part
_MAX_REFERENCES = 10_000
_MIN_ROWS = 20
_NEIGHBOURS = 1  # that a density is estimated from: with more, copies are drowned
_STREAM = 5


def places(rows: CodedRows, is_ranked: NDArray[np.bool_]) -> Places:
    """Rows as kernels compare them, ranked columns first."""
    sides = (rows.places[:, is_ranked], rows.places[:, ~is_ranked])
    return Places(*map(np.ascontiguousarray, sides))


class Asked(NamedTuple):
    """Rows that an attacker knows, and how far each is from a release.

    Attributes
    ----------
    training, holdout : CodedRows
        As many of both.
    other_training, others : CodedRows
        Rows of each that are not asked about.
    """

    training: CodedRows
    holdout: CodedRows
    other_training: CodedRows
    others: CodedRows

    @classmethod
    def of(cls, setting: Setting) -> "Asked":
        """Rows at random: of the holdout at most half."""
        n = min(setting.real.n // 2, setting.holdout.n // 2, _MAX_ASKED)
        rng = setting.rng(_STREAM)
        (training, more), (holdout, others) = (
            split_rows(own, n, rng) for own in (setting.real, setting.holdout)
        )
        return cls(training, holdout, more, others)


def distances_to(
    coding: Coding, rows: CodedRows, references: CodedRows
) -> NDArray[np.float64]:
    """Distance of each row to the nearest reference, in columns: d if all differ."""
    found, _, _ = nearest_rows(
        places(rows, coding.is_ranked), places(references, coding.is_ranked), FULL
    )
    return found / FULL


def nearest_figures(setting: Setting, rows: CodedRows) -> Figures:
    """The three questions, and how near rows of both kinds are on the median."""
    asked, coding = Asked.of(setting), setting.coding
    if min(asked.training.n, rows.n) < _MIN_ROWS:
        return {}
    near = {
        name: distances_to(coding, own, rows)
        for name, own in (("training", asked.training), ("holdout", asked.holdout))
    }
    found: Figures = {
        ("membership_distance", ()): of_auc(
            auc_with_interval(-near["training"], -near["holdout"])
        ),
        ("membership_isolated", ()): _of_isolated(setting, asked, near),
        ("membership_density", ()): _of_density(coding, asked, rows),
        ("nearer_to_training", ()): _nearer(setting, rows),
    }
    found["median_distance", ()] = of_median(
        near["training"], note=f"{np.median(near['holdout']):.4g} of the holdout's rows"
    )
    return found


def _of_isolated(setting, asked, near):
    """Membership by distance of those who stand out among the real rows."""
    coding = setting.coding
    rng = setting.rng(_STREAM + 100)
    known = _both(some_rows(asked.other_training, _MAX_REFERENCES, rng), asked.others)
    both = _both(asked.training, asked.holdout)
    alone = distances_to(coding, both, known)
    n = round(ISOLATED * both.n)
    first = np.argsort(-alone, kind="stable")[:n]
    is_member = first < asked.training.n
    score = -np.concatenate([near["training"], near["holdout"]])[first]
    if min(is_member.sum(), (~is_member).sum()) < 2:
        return Figure(np.nan, note="too few isolated rows")
    return of_auc(auc_with_interval(score[is_member], score[~is_member]))


def _of_density(coding, asked, rows):
    """Released rows around each row, as far as the nearest other of the holdout."""
    if asked.others.n < _NEIGHBOURS:
        return Figure(np.nan, note="too few rows in the holdout")
    ranked = coding.is_ranked
    both = places(_both(asked.training, asked.holdout), ranked)
    others = places(asked.others, ranked)
    radii = kth_distances(both, others, _NEIGHBOURS, FULL)
    around = count_within(both, places(rows, ranked), radii, FULL)
    usual = count_within(both, others, radii, FULL)
    score = around / usual
    n = asked.training.n
    return of_auc(auc_with_interval(score[:n], score[n:]))


def _nearer(setting, rows):
    """Share of released rows nearer to rows learnt from than to as many others."""
    rng = setting.rng(_STREAM + 200)
    coding = setting.coding
    n = min(setting.real.n, setting.holdout.n, _MAX_REFERENCES)
    some = places(some_rows(rows, _MAX_ASKED, rng), coding.is_ranked)
    near = [
        nearest_rows(some, places(some_rows(own, n, rng), coding.is_ranked), FULL)
        for own in (setting.real, setting.holdout)
    ]
    (to_training, first, _), (to_holdout, other, _) = near
    weight = (to_training < to_holdout) + (to_training == to_holdout) / 2
    # Several near one real row are one sign: Kish's effective number.
    loads = np.append(np.bincount(first, weight), np.bincount(other, 1 - weight))
    n_signs = max(round(loads.sum() ** 2 / np.square(loads).sum()), 1)
    return of_share(float(weight.mean()) * n_signs, n_signs)


def _both(one, other):
    return CodedRows(*map(np.concatenate, zip(one, other, strict=True)))
