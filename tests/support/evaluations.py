"""Tables about people, and releases with a fault each."""

import numpy as np
import pandas as pd

from coclust_synth.evaluation.risk import attacks


def make_quick(patch, trees=2):
    """Boosting of few trees, attacks of few guesses: for what asks nothing of these."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    fit = HistGradientBoostingClassifier.fit

    def fit_few(self, *given):
        return fit(self.set_params(max_iter=min(self.max_iter, trees)), *given)

    patch.setattr(HistGradientBoostingClassifier, "fit", fit_few)
    patch.setattr(attacks, "_N_PREDICATES", 100)


def draw_nothing(patch):
    """Pictures of a page are made and not laid out, which takes as long as the rest.

    For what asks nothing of how they look: tests in a browser see one of each kind.
    """
    from matplotlib.figure import Figure

    patch.setattr(Figure, "savefig", lambda _, file, **of: file.write("<svg ></svg>"))


def people(n, seed=0):
    """Stays in a hospital: columns that depend, a rule between dates, rare values."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, n)
    ward = np.where(age > 60, "geriatrics", rng.choice(["surgery", "births"], n))
    drug = np.where(ward == "surgery", "a", rng.choice(["b", "c"], n))
    admitted = rng.integers(0, 700, n) + np.datetime64("2024-01-01")
    days = rng.poisson(3 + age / 10)
    return pd.DataFrame(
        {
            "age": age,
            "ward": ward,
            "drug": np.where(rng.random(n) < 0.2, "d", drug),
            "admitted": admitted.astype("M8[s]"),
            "left": (admitted + days).astype("M8[s]"),
            "cost": np.round(days * 500.0 + rng.gamma(2, 200, n), 2),
        }
    )


def pressures(n=400, seed=0):
    """Blood pressures that rise with the age, doses of two units, and a few words."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 90, n)
    low = 60 + age // 3 + rng.integers(0, 12, n)
    high = low + 10 + rng.integers(0, 40, n)
    bp = np.array([f"{a}/{b}" for a, b in zip(high, low, strict=True)], dtype=object)
    bp[rng.random(n) < 0.06] = "refused"
    grams = rng.integers(1, 60, n) / 20
    dose = [f"{g:g} g" if g >= 1 else f"{1000 * g:.0f} mg" for g in grams]
    return pd.DataFrame({"age": age, "bp": bp, "dose": dose})


def independent(frame, seed=1):
    """Each column shuffled on its own."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame({name: rng.permutation(frame[name]) for name in frame})


def with_copies(frame, fresh, share, seed=1):
    """Rows of another draw, of which a share is replaced by rows of the table."""
    n = round(share * len(fresh))
    copied = frame.sample(n, random_state=seed)
    return pd.concat([fresh.iloc[n:], copied], ignore_index=True)


def with_broken_order(fresh, seed=1):
    """Rows of another draw, in which the dates of one row in five change places."""
    rows = np.random.default_rng(seed).random(len(fresh)) < 0.2
    broken = fresh.copy()
    broken.loc[rows, ["admitted", "left"]] = fresh.loc[
        rows, ["left", "admitted"]
    ].to_numpy()
    return broken


def first_screen(page):
    """What of a page comes before its figures."""
    return page[: page.index('id="pictures"')]
