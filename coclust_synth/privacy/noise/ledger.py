"""The privacy budget, and the only way to a noisy number."""

import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy.noise.asked import (
    MAX_SENSITIVITY,
    check_cost,
    check_delta,
    checked_cells,
    whole_numbers,
    whole_scores,
)
from coclust_synth.privacy.noise.concentrated import rho_of
from coclust_synth.privacy.noise.drafts import Draft, choose_finer, share_of_finer
from coclust_synth.privacy.noise.entries import LedgerEntry, lines_of_entries
from coclust_synth.privacy.noise.mechanisms import (
    discrete_gaussian,
    discrete_laplace,
    gumbel_max,
    noisy_max,
)
from coclust_synth.privacy.noise.sparse_noise import passing_empty_cells
from coclust_synth.validation import check_choice, check_integer

NEIGHBOURS = ("add-remove", "replace")

#: Most rows of a person: what they change together fits into 64 bits.
MAX_ROWS_PER_PERSON = 2**29
_TOLERANCE = 1e-12  # relative: what shares of a budget that add up to it round by


class PrivacyLedger:
    """A total of epsilon, and every noisy number that was paid from it.

    Everything given out through one ledger is epsilon-differentially private together:
    tables that differ in one person give any outcome with probabilities that differ by
    a factor of at most exp(epsilon) (pure: no delta; definition 2.9 of Benkhelif, 2018,
    prints the looser form). Costs add up (sequential composition); queries of disjoint
    rows are added up as well, unless they are asked as one (`exponential_of_parts`).
    Counts made finer are one query with their draft (`draft_counts`).

    With a delta, the promise is weaker: probabilities differ by a factor of
    exp(epsilon), plus delta. The ledger is then kept in rho of zero-concentrated
    differential privacy, which adds up too. Counts get discrete Gaussian noise whose
    variance is the squared sensitivity over 2 rho. Choices are made by the exponential
    mechanism with an epsilon of sqrt(8 rho). Sensitivities are those in L1, which are
    no less than those in L2. Counts can still have Laplace noise of an epsilon, which
    costs epsilon^2 / 2 of rho. As long as nothing else was asked, the delta can be
    dropped: see `without_delta`.

    An entry is made before its noise is drawn: an interrupted draw is paid for.

    Not protected: what is not drawn through the ledger (a domain taken from the data,
    figures computed on the real table), the time that a draw takes, and facts about a
    person that follow from other people's rows.

    Parameters
    ----------
    epsilon : float
        Total, from 1e-9. There is no default: whoever releases the table has to decide.
    delta : float, optional
        In (0, 1), far below one over the number of persons; by default none.
    neighbours : {"add-remove", "replace"}, default="add-remove"
        Tables that must not be told apart differ by one person who is present or
        absent, or by one person's answers. With "replace" the number of persons is
        public, and noise is doubled: a replaced row is one removed and one added.
    rows_per_person : int, default=1
        Most rows that one person has, up to 2^29; see `bound_rows`. Noise grows with
        it.

    Attributes
    ----------
    entries : tuple of LedgerEntry
    rho : float or None
        Largest that `epsilon` and `delta` allow; None without delta.

    Raises
    ------
    ParameterError
        By every method, before any noise is drawn and with nothing spent: a wrong
        argument, or a cost above what remains.

    References
    ----------
    C. Dwork, F. McSherry, K. Nissim, A. Smith, "Calibrating noise to sensitivity in
    private data analysis", TCC 2006. See `coclust_synth.privacy.noise.concentrated` for
    those of rho.

    Examples
    --------
    >>> ledger = PrivacyLedger(1.0)
    >>> noisy = ledger.noisy_counts([120, 7, 0], cost=0.25, what="jobs")
    >>> ledger.remaining
    0.75
    """

    def __init__(
        self,
        epsilon: float,
        *,
        delta: float | None = None,
        neighbours: str = "add-remove",
        rows_per_person: int = 1,
    ) -> None:
        check_cost("epsilon", epsilon)
        if delta is not None:
            check_delta(delta)
        check_choice("neighbours", neighbours, NEIGHBOURS)
        most = MAX_ROWS_PER_PERSON
        check_integer("rows_per_person", rows_per_person, minimum=1, maximum=most)
        self.epsilon = float(epsilon)
        self.delta = 0.0 if delta is None else float(delta)
        self.rho = None if delta is None else rho_of(self.epsilon, self.delta)
        self.neighbours = neighbours
        self.rows_per_person = int(rows_per_person)
        self._entries: list[LedgerEntry] = []

    @property
    def entries(self) -> tuple[LedgerEntry, ...]:
        """What was spent, in order."""
        return tuple(self._entries)

    @property
    def total(self) -> float:
        """What can be spent in all: epsilon, or rho where there is a delta."""
        return self.epsilon if self.rho is None else self.rho

    @property
    def spent(self) -> float:
        """Sum of the entries' costs."""
        return math.fsum(entry.cost for entry in self._entries)

    @property
    def remaining(self) -> float:
        """What can still be spent; 0 at the end."""
        costs = (-entry.cost for entry in self._entries)
        left = math.fsum([self.total, *costs])
        return left if left > _TOLERANCE * self.total else 0.0

    def count_noise(self, cost: float) -> float:
        """What a count is wrong by on average, about, for a cost.

        Parameters
        ----------
        cost : float
            Above 0.

        Returns
        -------
        float
            In rows.
        """
        if self.rho is None:
            return self.sensitivity(1) / cost
        return self.sensitivity(1) / math.sqrt(math.pi * cost)

    def sensitivity(self, per_row: int) -> int:
        """Most that something changes between neighbours, given for one row.

        Parameters
        ----------
        per_row : int
            Most that it changes when one row is added or removed.

        Returns
        -------
        int
        """
        replaced = 2 if self.neighbours == "replace" else 1
        return per_row * self.rows_per_person * replaced

    def without_delta(self) -> "PrivacyLedger":
        """A ledger of the same entries that promises epsilon alone.

        It goes on in the place of this one, of which no more may be asked. Whether it
        does may depend on what was given out. Of any set of outcomes, those after which
        it did have probabilities that differ by a factor of exp(epsilon) at most, as
        every query of theirs was paid in epsilon; the others by that factor and delta
        more, as those of a mechanism that stops where the first begin are within rho.
        Added up, all of them differ by the factor and delta.

        Raises
        ------
        ParameterError
            If an entry has no epsilon.
        """
        if any(entry.epsilon is None for entry in self._entries):
            raise ParameterError(
                "Expected entries of Laplace noise alone in a ledger that leaves its "
                "delta. Received others. Leave it before Gaussian noise is drawn."
            )
        pure = self._of_epsilon()
        pure._entries = [replace(entry, rho=None) for entry in self._entries]
        return pure

    def noisy_counts(
        self,
        counts: ArrayLike,
        *,
        cost: float,
        what: str,
        l1_sensitivity: int = 1,
        is_pure: bool = False,
    ) -> NDArray[np.int64]:
        """Counts with discrete Laplace, or Gaussian, noise, independent in each.

        Parameters
        ----------
        counts : array-like of int
            Of any shape, which must not depend on the data.
        cost : float
            Epsilon, or rho where the ledger has a delta; from 1e-9.
        what : str
            For the ledger's table; written in manifests, so no value of the data.
        l1_sensitivity : int, default=1
            Most that the counts change together, in absolute value, when one row is
            added or removed: 1 for a histogram.
        is_pure : bool, default=False
            Whether noise is Laplace's, and `cost` an epsilon, also where there is a
            delta; of rho it is then epsilon^2 / 2 (Bun and Steinke, proposition 1.4).

        Returns
        -------
        ndarray of int64, of the same shape
            Can be negative.
        """
        counts = whole_numbers("counts", counts)
        entry = self._spend(
            self.entry_of_counts(
                counts.size,
                cost=cost,
                what=what,
                l1_sensitivity=l1_sensitivity,
                is_pure=is_pure,
            )
        )
        if entry.epsilon is not None:
            noisy, _ = discrete_laplace(
                counts.ravel(), sensitivity=entry.sensitivity, epsilon=entry.epsilon
            )
        else:
            noisy, _ = discrete_gaussian(
                counts.ravel(), sensitivity=entry.sensitivity, rho=entry.rho
            )
        return noisy.reshape(counts.shape)

    def draft_counts(
        self, counts: ArrayLike, *, cost: float, finer_cost: float, what: str
    ) -> Draft:
        """Counts of a histogram as `noisy_counts` gives them, to be made finer later.

        Both together cost `finer_cost`, where measuring twice would cost the sum (see
        `coclust_synth.privacy.noise.drafts`). Whether they are made finer may depend on
        anything that was given out.

        Parameters
        ----------
        counts : array-like of int
            Of any shape, which must not depend on the data.
        cost : float
            Epsilon, from 1e-9; there is no draft for rho, where measuring twice costs
            no more.
        finer_cost : float
            Epsilon of the finer counts, with what the draft cost.
        what : str
            For the ledger's table.

        Returns
        -------
        Draft
            Not to be released: its `counts` are noisy, the rest is not paid for.
        """
        counts = whole_numbers("counts", counts)
        if self.rho is not None:
            raise ParameterError(
                "Expected a ledger without delta for a draft. Received one of delta "
                f"{self.delta:g}. Measure the counts twice."
            )
        n, name = counts.size, "discrete Laplace"
        whole = self._entry(what, name, 1, finer_cost, 1, n)
        more = self._entry(
            f"{what}, finer", f"{name}, finer", 1, finer_cost - cost, 1, n
        )
        entry = self._spend(self._entry(what, name, 1, cost, 1, n))
        finer, finer_scale = discrete_laplace(
            counts.ravel(), sensitivity=whole.sensitivity, epsilon=whole.epsilon
        )
        noisier, scale = discrete_laplace(
            finer, sensitivity=entry.sensitivity, epsilon=entry.epsilon
        )
        kept = choose_finer(n, share_of_finer(scale, finer_scale))
        return Draft(
            np.where(kept, finer, noisier).reshape(counts.shape),
            finer.reshape(counts.shape),
            entry,
            replace(more, scale=whole.scale),
        )

    def finer_counts(self, draft: Draft) -> NDArray[np.int64]:
        """The finer counts of a draft, for what they cost more."""
        if not any(entry is draft.entry for entry in self._entries):
            raise ParameterError(
                "Expected a draft of this ledger. Received one of another, which paid "
                "for it. Ask that one."
            )
        self._spend(draft.finer_entry)
        return draft.finer

    def noisy_sparse_counts(
        self,
        nonzero_index: ArrayLike,
        nonzero_counts: ArrayLike,
        n_cells: int,
        *,
        cost: float,
        what: str,
        threshold: int,
        l1_sensitivity: int = 1,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The noisy counts of all cells of a domain that reach a threshold.

        The same law as `noisy_counts` of all `n_cells` counts followed by a cut, which
        costs nothing; but the noise of empty cells is drawn only where it passes, in
        time and memory of the result (see `coclust_synth.privacy.noise.sparse_noise`,
        which says how, and why the draw is exact).

        Parameters
        ----------
        nonzero_index : array-like of int, shape (m,)
            Cells that are not empty, all different, from 0 to `n_cells` - 1.
        nonzero_counts : array-like of int, shape (m,)
        n_cells : int
            Below 2^63.
        cost : float
            Epsilon, from 1e-9; there is no such noise for rho.
        what : str
            For the ledger's table.
        threshold : int
            At least 1, chosen without the data: see `sparse_threshold`.
        l1_sensitivity : int, default=1
            As for `noisy_counts`.

        Returns
        -------
        index : ndarray of int64, shape (p,)
            Increasing.
        counts : ndarray of int64, shape (p,)
            All at least `threshold`.
        """
        index = whole_numbers("nonzero_index", nonzero_index)
        counts = whole_numbers("nonzero_counts", nonzero_counts)
        check_integer("n_cells", n_cells, minimum=1, maximum=2**63 - 1)
        check_integer("threshold", threshold, minimum=1, maximum=2**62)
        if self.rho is not None:
            raise ParameterError(
                "Expected a ledger without delta for sparse counts. Received one of "
                f"delta {self.delta:g}. Measure counts of a smaller domain, or leave "
                "delta out."
            )
        order = np.argsort(index)
        index, counts = checked_cells(index, counts, n_cells, order)
        entry = self._spend(
            self._entry(
                what, "discrete Laplace, sparse", l1_sensitivity, cost, 1, n_cells
            )
        )
        noisy, scale = discrete_laplace(
            counts, sensitivity=entry.sensitivity, epsilon=entry.epsilon
        )
        empty, noise = passing_empty_cells(
            index, int(n_cells), scale=scale, threshold=int(threshold)
        )
        kept = noisy >= threshold
        cells = np.concatenate([index[kept], empty])
        order = np.argsort(cells)
        return cells[order], np.concatenate([noisy[kept], noise])[order]

    def exponential(
        self, scores: ArrayLike, *, cost: float, sensitivity: int, what: str
    ) -> int:
        """Index of about the highest of some scores.

        The exponential mechanism in OpenDP's vetted form, noisy max with exponential
        noise of scale 2 sensitivity / epsilon (permute-and-flip): epsilon-DP, and the
        chosen score is at least as high in expectation. For rho the noise is Gumbel's,
        which is the exponential mechanism itself, of epsilon^2 / 8 = rho.

        Parameters
        ----------
        scores : array-like of int, shape (n,)
            Whole numbers, so that their sensitivity is exact: floor real scores, scaled
            up as needed (floor keeps a sensitivity that is whole).
        cost : float
            Epsilon, or rho where the ledger has a delta; from 1e-9.
        sensitivity : int
            Most that any one score changes when one row is added or removed.
        what : str
            For the ledger's table.

        Returns
        -------
        int

        References
        ----------
        F. McSherry, K. Talwar, "Mechanism design via differential privacy", FOCS 2007.
        R. McKenna, D. Sheldon, "Permute-and-Flip", NeurIPS 2020.
        M. Cesar, R. Rogers, "Bounding, concentrating, and truncating: unifying privacy
        loss composition for data analytics", ALT 2021: epsilon^2 / 8.
        """
        scores = whole_scores(scores)
        entry = self._spend(
            self.entry_of_choice(
                len(scores), cost=cost, sensitivity=sensitivity, what=what
            )
        )
        return self._choose(scores, entry)

    def exponential_of_parts(
        self, scores: Sequence[ArrayLike], *, cost: float, sensitivity: int, what: str
    ) -> list[int]:
        """Index of about the highest score of each part, where parts share no row.

        One query, which costs what a choice in one part does (parallel composition):
        a row changes the scores of one part alone. Rows of a person may be in several;
        each part then gives away as much of the cost as it holds of their change, as
        what a noisy max of a scale gives away is as the change of its scores (for rho,
        as the square of it).

        Parameters
        ----------
        scores : sequence of array-like of int, shapes (n,)
            At least one part, of any number of scores each; which parts there are, and
            of how many, must not itself depend on the data.
        cost : float
            Epsilon, or rho where the ledger has a delta; from 1e-9. Of all parts.
        sensitivity : int
            Most that any one score changes when one row is added or removed, added up
            over the parts: of the part that the row is in, as no other changes.
        what : str
            For the ledger's table.

        Returns
        -------
        list of int
            For each part.

        References
        ----------
        F. McSherry, "Privacy integrated queries", SIGMOD 2009, theorem 4.
        """
        parts = [whole_scores(part) for part in scores]
        if not parts:
            raise ParameterError(
                "Expected at least one part to choose in. Received none. Ask of parts "
                "that there are."
            )
        n_values = sum(map(len, parts))
        entry = self._spend(
            self.entry_of_choice(
                n_values, cost=cost, sensitivity=sensitivity, what=what, of_parts=True
            )
        )
        return [self._choose(part, entry) for part in parts]

    def entry_of_counts(
        self,
        n_values: int,
        *,
        cost: float,
        what: str,
        l1_sensitivity: int = 1,
        is_pure: bool = False,
    ) -> LedgerEntry:
        """What `noisy_counts` of so many counts would enter; nothing is spent."""
        if self.rho is None or not is_pure:
            mechanism = "discrete Laplace" if self.rho is None else "discrete Gaussian"
            return self._entry(what, mechanism, l1_sensitivity, cost, 1, n_values)
        entry = self._of_epsilon().entry_of_counts(
            n_values, cost=cost, what=what, l1_sensitivity=l1_sensitivity
        )
        return replace(entry, rho=cost**2 / 2)

    def entry_of_choice(
        self,
        n_values: int,
        *,
        cost: float,
        sensitivity: int,
        what: str,
        of_parts: bool = False,
    ) -> LedgerEntry:
        """What a choice among so many scores would enter; nothing is spent."""
        if self.rho is None:
            mechanism, factor = "noisy max, exponential noise", 2
        else:
            mechanism, factor = "noisy max, Gumbel noise", 1
        if of_parts:
            mechanism += ", in each part"
        return self._entry(what, mechanism, sensitivity, cost, factor, n_values)

    def to_dict(self) -> dict[str, Any]:
        """This ledger as JSON types, for a manifest."""
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            **({} if self.rho is None else {"rho": self.rho}),
            "neighbours": self.neighbours,
            "rows_per_person": self.rows_per_person,
            "spent": self.spent,
            "composition": "sequential",
            "noise": "OpenDP and the system's random bits; no seed",
            "entries": [
                {name: of for name, of in asdict(entry).items() if of is not None}
                for entry in self._entries
            ],
        }

    @property
    def shown_rows(self) -> str:
        """How many rows a person has at most, in words."""
        n = self.rows_per_person
        return "1 row" if n == 1 else f"{n:,} rows"

    def __str__(self) -> str:
        of_delta = "" if self.rho is None else f": rho {self.rho:.6g}"
        head = (
            f"epsilon {self.epsilon:.6g} (delta {self.delta:g}){of_delta}, neighbours "
            f"{self.neighbours}, {self.shown_rows} per person"
        )
        unit = "epsilon" if self.rho is None else "rho"
        foot = f"{self.spent:.6g} spent, {self.remaining:.6g} left"
        return "\n".join([head, *lines_of_entries(self._entries, unit), foot])

    def _of_epsilon(self):
        """A ledger without a delta, nothing spent."""
        return PrivacyLedger(
            self.epsilon,
            neighbours=self.neighbours,
            rows_per_person=self.rows_per_person,
        )

    def _choose(self, scores, entry):
        """A draw that has been paid for."""
        if self.rho is None:
            chosen, _ = noisy_max(
                scores, sensitivity=entry.sensitivity, epsilon=entry.epsilon
            )
        else:
            chosen, _ = gumbel_max(scores, sensitivity=entry.sensitivity, rho=entry.rho)
        return chosen

    def _entry(self, what, mechanism, per_row, cost, noise_factor, n_values):
        """A query of a cost, which is not entered yet.

        `noise_factor` sensitivities over epsilon, or over the root of 2 rho, make the
        scale.
        """
        if not (isinstance(what, str) and what):
            raise ParameterError(
                f"Expected a few words that say what is measured. Received {what!r}. "
                "Give `what`, without values of the data."
            )
        check_integer("the sensitivity", per_row, minimum=1, maximum=MAX_SENSITIVITY)
        unit = "epsilon" if self.rho is None else "rho"
        check_cost(unit, cost)
        sensitivity = self.sensitivity(int(per_row))
        return LedgerEntry(
            what,
            mechanism,
            sensitivity,
            float(cost) if self.rho is None else None,
            noise_factor
            * sensitivity
            / (cost if self.rho is None else math.sqrt(2 * cost)),
            int(n_values),
            None if self.rho is None else float(cost),
        )

    def _spend(self, entry):
        """Enter a query, or refuse its cost."""
        spent = math.fsum([*(other.cost for other in self._entries), entry.cost])
        if spent > self.total * (1 + _TOLERANCE):
            unit = "epsilon" if self.rho is None else "rho"
            raise ParameterError(
                f"Expected a cost of at most what remains of the budget, {unit} = "
                f"{self.remaining:.6g} of {self.total:.6g}. Received {entry.cost:.6g} "
                f"for {entry.what}. Ask for less, or start with a larger total; "
                "nothing was drawn."
            )
        self._entries.append(entry)
        return entry
