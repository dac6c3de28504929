"""Singling out, linkability and inference: attacks that a release helps with.

The three that European data protection authorities ask about [1]_, as [2]_ tries them.
Each is tried on rows learnt from and, as a control, on as many rows of the holdout:
what it succeeds more often on the former, see `risk_beyond`, is the release's doing.
The rest is what anybody infers who knows what people at large are like.

- **Singling out**: a predicate that one released row alone meets is guessed to be met
  by one real row alone. Univariate: a value that only one released row has, or the
  lowest or highest number. Multivariate: values of some columns of a random released
  row, of numbers those at least or at most as far from the middle.
- **Linkability**: the columns are cut in two halves, as in two files without names.
  Is the released row nearest to somebody's one half the nearest to the other too?
- **Inference**: one value of somebody is guessed from the released row that is nearest
  by all other columns; each column in turn. A number is right within 5 % of the people.
- **Record linkage**: what is known of somebody, the quasi-identifiers or else the whole
  row, is linked to the nearest released row, and that back to the nearest real one,
  which is sought among all rows, learnt from or not: is it the same person?

Where rows tie one is taken at random: chances are added, not counted. Predicates are
found in as many released rows as they are tried on, learnt from and of the holdout:
where the latter are fewer even independent columns seem to single out .11.

References
----------
.. [1] Article 29 Data Protection Working Party, "Opinion 05/2014 on anonymisation
   techniques", 2014.
.. [2] M. Giomi, F. Boenisch, C. Wehmeyer and B. Tasnádi, "A unified framework for
   quantifying privacy risk in synthetic data", PoPETs 2023(2).
"""

import numpy as np
from numpy.typing import NDArray

from coclust_synth.evaluation.comparing.coded import FULL, CodedRows, Coding, some_rows
from coclust_synth.evaluation.comparing.scores import (
    Figure,
    Figures,
    Setting,
    mean_of,
    of_share,
    risk_beyond,
)
from coclust_synth.evaluation.risk._kernels import (
    link_chances,
    nearest_rows,
    right_guesses,
)
from coclust_synth.evaluation.risk.nearest import places

_N_ATTACKS = 1000  # rows of each kind, of linkability, inference and record linkage
_N_PREDICATES = 1000
_MAX_REFERENCES = 20_000
_MAX_COLUMNS = 8  # of a predicate
_TOLERANCE = FULL // 20
_MIN_ROWS = 20
_STREAM = 6


def attack_figures(setting: Setting, rows: CodedRows) -> Figures:
    """What the attacks succeed more often on rows learnt from than on others."""
    n = min(setting.real.n, setting.holdout.n)
    if min(n, rows.n) < _MIN_ROWS:
        return {}
    rng = setting.rng(_STREAM)
    targets = [some_rows(own, n, rng) for own in (setting.real, setting.holdout)]
    found = _singled_out(setting.coding, targets, some_rows(rows, n, rng), rng)
    known = some_rows(rows, _MAX_REFERENCES, rng)
    asked = [own.take(np.arange(min(n, _N_ATTACKS))) for own in targets]
    if len(setting.coding.names) > 1:
        found |= _linked(setting.coding, asked, known, rng)
        found |= _inferred(setting.coding, asked, known)
    people = CodedRows(*map(np.concatenate, zip(*targets, strict=True)))
    ranked = setting.coding.is_ranked[setting.known]
    by_keys = [own.columns(setting.known) for own in (*asked, known, people)]
    shares = [_share(back_links(ranked, own, *by_keys[2:])) for own in by_keys[:2]]
    return found | {("record_linkage", ()): risk_beyond(*shares)}


# --- singling out ------------------------------------------------------------------


class Predicate(dict):
    """What a row must meet: for each column position, how and with which value.

    How is ``"="``, of exact codes, or ``"<="`` or ``">="``, of numbers.
    """

    def count(self, rows: CodedRows) -> int:
        """How many rows meet it."""
        met = np.ones(rows.n, dtype=bool)
        for k, (how, value) in self.items():
            if how == "=":
                met &= rows.exact[:, k] == value
            elif how == "<=":
                met &= rows.numbers[:, k] <= value
            else:
                met &= rows.numbers[:, k] >= value
        return int(met.sum())


def univariate_predicates(coding: Coding, rows: CodedRows) -> list[Predicate]:
    """Predicates of one column that one row alone meets."""
    found = []
    for k in range(len(coding.names)):
        values, counts = np.unique(rows.exact[:, k], return_counts=True)
        found += [
            Predicate({k: ("=", int(value))})
            for value in values[(counts == 1) & (values >= 0)]
        ]
        numbers = rows.numbers[:, k]
        numbers = numbers[~np.isnan(numbers)]
        if len(numbers):
            ends = (("<=", float(numbers.min())), (">=", float(numbers.max())))
            found += [Predicate({k: end}) for end in ends]
    return [own for own in found if own.count(rows) == 1]


def multivariate_predicates(
    coding: Coding, rows: CodedRows, n: int, rng: np.random.Generator
) -> list[Predicate]:
    """Predicates of two to eight columns that one row alone meets, at most `n`.

    Twice as many are tried; those that no row or several meet are left out.
    """
    d = len(coding.names)
    if d < 2:
        return []
    with np.errstate(all="ignore"):
        middle = np.array([_median(rows.numbers[:, k]) for k in range(d)])
    found = []
    for _ in range(2 * n):
        i = int(rng.integers(rows.n))
        chosen = rng.choice(d, int(rng.integers(2, min(d, _MAX_COLUMNS) + 1)), False)
        own = Predicate()
        for k in chosen.tolist():
            number = rows.numbers[i, k]
            if np.isnan(number):
                own[k] = ("=", int(rows.exact[i, k]))
            else:
                own[k] = ("<=" if number <= middle[k] else ">=", float(number))
        if own.count(rows) == 1:
            found.append(own)
            if len(found) == n:
                break
    return found


def _median(numbers):
    known = numbers[~np.isnan(numbers)]
    return np.median(known) if len(known) else np.nan


def _singled_out(coding, targets, rows, rng):
    univariate = univariate_predicates(coding, rows)
    order = rng.permutation(len(univariate))[:_N_PREDICATES]
    kinds = {
        "univariate": [univariate[i] for i in order],
        "multivariate": multivariate_predicates(coding, rows, _N_PREDICATES, rng),
    }
    found = {}
    for kind, predicates in kinds.items():
        shares = [
            of_share(sum(own.count(of) == 1 for own in predicates), len(predicates))
            for of in targets
        ]
        risk = risk_beyond(*shares) if predicates else _none()
        found[f"singling_out_{kind}", ()] = risk
    return found


def _none():
    return Figure(np.nan, note="no predicate singles out one released row")


# --- by nearest rows -----------------------------------------------------------------


def _linked(coding, asked, known, rng):
    order = rng.permutation(len(coding.names))
    cut = len(order) // 2
    sides = [np.sort(order[:cut]), np.sort(order[cut:])]
    shares = [_share(half_links(coding, own, known, sides)) for own in asked]
    return {("linkability", ()): risk_beyond(*shares)}


def half_links(
    coding: Coding, rows: CodedRows, released: CodedRows, sides: list[NDArray]
) -> NDArray[np.float64]:
    """Chance that both halves of each row lead to the same released row.

    Parameters
    ----------
    coding : Coding
    rows, released : CodedRows
    sides : list of two ndarray of int
        Columns of each half.
    """
    halves = [
        places(own.columns(side), coding.is_ranked[side])
        for side in sides
        for own in (rows, released)
    ]
    return link_chances(*halves, FULL)


def _inferred(coding, asked, known):
    ranked = coding.is_ranked
    references = places(known, ranked)
    chances = [
        right_guesses(places(own, ranked), references, FULL, _TOLERANCE)
        for own in asked
    ]
    # Kernels put ranked columns first.
    order = np.argsort(~coding.is_ranked, kind="stable")
    found = {}
    for position, k in enumerate(order):
        shares = [_share(own[:, position]) for own in chances]
        found["inference", (coding.names[k],)] = risk_beyond(*shares)
    risks = {name[0]: figure for (_, name), figure in found.items()}
    known_risks = {n: f for n, f in risks.items() if not np.isnan(f.value)}
    if known_risks:
        values = [f.value for f in known_risks.values()]
        worst = max(known_risks, key=lambda name: known_risks[name].value)
        note = f"{mean_of(len(values), 'column')}; most of {worst}"
        found["mean_inference", ()] = _mean_of(chances, note)
    return found


def _mean_of(chances, note):
    """Risk of all columns together; its interval is over rows, not over cells."""
    shares = []
    for own in chances:
        by_row = own.mean(axis=1)
        reach = 1.96 * by_row.std(ddof=1) / np.sqrt(len(by_row))
        mean = float(by_row.mean())
        shares.append(Figure(mean, mean - reach, mean + reach))
    return risk_beyond(*shares)._replace(note=note)


def back_links(
    ranked: NDArray[np.bool_], rows: CodedRows, released: CodedRows, people: CodedRows
) -> NDArray[np.float64]:
    """Chance that the released row linked to each row leads back to it.

    Parameters
    ----------
    ranked : ndarray of bool, shape (d,)
        Whether the places of a column are ranks.
    rows : CodedRows
        Of some of the people.
    released : CodedRows
        In random order: the first of those that tie is one at random.
    people : CodedRows
    """
    own, references = places(rows, ranked), places(released, ranked)
    distances, linked, _ = nearest_rows(own, references, FULL)
    back = places(released.take(linked), ranked)
    least, _, ties = nearest_rows(back, places(people, ranked), FULL)
    # Of the way there and back the length is the same.
    return np.where(distances == least, 1 / ties, 0.0)


def _share(chances):
    return of_share(float(chances.sum()), len(chances))
