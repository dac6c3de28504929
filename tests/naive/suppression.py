"""Local suppression from its descriptions: plain loops over rows, -1 if suppressed."""

from itertools import product

EPS = 1e-9


# --- a suppressed cell is a value of its own -------------------------------------


def fewest_cells(rows, k):
    """The least number of cells to suppress, by trying all choices."""
    d = len(rows[0])
    masks = list(product([False, True], repeat=d))
    best = len(rows) * d
    for chosen in product(masks, repeat=len(rows)):
        n_cells = sum(map(sum, chosen))
        seen = [shown(row, mask) for row, mask in zip(rows, chosen, strict=True)]
        if n_cells < best and all(seen.count(own) >= k for own in seen):
            best = n_cells
    return best


def shown(row, mask):
    return tuple(-1 if hidden else v for v, hidden in zip(row, mask, strict=True))


def improve(choices, release, max_passes):
    """Open and close classes until nothing is saved; sets of persons, not counts."""
    own = _Release(choices, release.mask.tolist())
    n_passes = 0
    while n_passes < max_passes:
        n_passes += 1
        before = own.cost()
        for f in range(len(choices.mask_of)):
            if len(own.possible(f)) >= choices.k:
                own.try_change(lambda trial, f=f: trial.open(f, closing=False))
                own.try_change(lambda trial, f=f: trial.open(f, closing=True))
        for f in range(len(choices.mask_of)):
            if own.persons(f):
                own.try_change(lambda trial, f=f: trial.empty(f))
        if own.cost() > before - EPS:
            break
    release.mask[:] = own.mask
    release.size[:] = [len(own.persons(f)) for f in range(len(choices.mask_of))]
    of_mask = [
        {own.class_of(i) for i in range(len(own.mask)) if own.mask[i] == m}
        for m in range(len(choices.cost))
    ]
    release.used[:] = [len(classes) for classes in of_mask]
    return n_passes


class _Release:
    def __init__(self, choices, mask):
        self.choices, self.mask = choices, mask

    def cost(self):
        return sum(self.choices.cost[m] for m in self.mask)

    def possible(self, f):
        column = self.choices.class_of[self.choices.mask_of[f]]
        return [i for i, own in enumerate(column) if own == f]

    def class_of(self, i):
        return self.choices.class_of[self.mask[i], i]

    def persons(self, f):
        return {
            self.choices.person[i]
            for i in range(len(self.mask))
            if self.class_of(i) == f
        }

    def try_change(self, change):
        trial = _Release(self.choices, list(self.mask))
        if change(trial) and trial.cost() < self.cost() - EPS:
            self.mask = trial.mask

    def open(self, f, *, closing):
        cost, own, k = self.choices.cost, self.choices.mask_of[f], self.choices.k
        before = self.cost()
        moved = [
            (i, self.mask[i])
            for i in self.possible(f)
            if cost[self.mask[i]] > cost[own] + EPS
        ]
        for i, _ in moved:
            self.mask[i] = own
        if not closing:
            for i, m in moved:
                if self.is_broken(self.choices.class_of[m, i]):
                    self.mask[i] = m
        if self.cost() > before - EPS:
            return False
        # Rows of the dearest masks lose least.
        for i in sorted(self.possible(f), key=lambda i: -cost[self.mask[i]]):
            if not self.is_broken(f):
                break
            spares = closing or len(self.persons(self.class_of(i))) > k
            if self.mask[i] != own and spares:
                moved.append((i, self.mask[i]))
                self.mask[i] = own
        if self.is_broken(f):
            return False
        broken = 0
        for i, m in moved if closing else []:
            left = self.choices.class_of[m, i]
            if self.cost() < before - EPS and self.is_broken(left):
                broken += 1
                if not self.empty(left):
                    return False
        return broken > 0 or not closing

    def is_broken(self, f):
        return 0 < len(self.persons(f)) < self.choices.k

    def empty(self, f):
        for i in [i for i in self.possible(f) if self.class_of(i) == f]:
            for m in range(len(self.choices.cost)):
                g = self.choices.class_of[m, i]
                if g >= 0 and g != f and len(self.persons(g)) >= self.choices.k:
                    self.mask[i] = m
                    break
            else:
                return False
        return True


# --- a suppressed cell agrees with any value: sdcMicro's rule --------------------


def apart(one, other):
    """Columns in which two rows have different values."""
    pairs = enumerate(zip(one, other, strict=True))
    return [c for c, (a, b) in pairs if -1 not in (a, b) and a != b]


def agreeing(row, rows):
    """Rows that a row agrees with."""
    return sum(not apart(row, other) for other in rows)


def sdcmicro_rule(rows, k, order):
    """Rows with cells suppressed as sdcMicro does, and these cells in their order.

    `order` has the columns, the least important first. In one round each row that
    agreed with fewer than k at its beginning, and still does, loses one cell.
    """
    rows, cells = [list(row) for row in rows], []
    while True:
        counts = [agreeing(row, rows) for row in rows]
        risky = sorted(range(len(rows)), key=lambda i: counts[i])
        risky = [i for i in risky if counts[i] < k]
        if not risky:
            return rows, cells
        for i in risky:
            if agreeing(rows[i], rows) >= k:
                continue
            distances = [len(apart(rows[i], other)) for other in rows]
            least = min(n for n in distances if n > 0)
            near = [
                other for other, n in zip(rows, distances, strict=True) if n == least
            ]
            column = next(
                c for c in order if any(c in apart(rows[i], other) for other in near)
            )
            cells.append((i, column, rows[i][column]))
            rows[i][column] = -1


def given_back(rows, k, cells):
    """The same rows with cells given back, in this order, where all still agree."""
    for i, column, value in cells:
        rows[i][column] = value
        if any(agreeing(row, rows) < k for row in rows):
            rows[i][column] = -1
    return rows


# --- sdcMicro's rule with a suppressed cell as a value of its own ----------------


def own_value_rule(rows, k, order):
    """sdcMicro's rule where rows count as the same only if they read the same.

    A row that is no longer apart from the nearest in any value is suppressed in the
    first column that it still shows.
    """
    rows = [list(row) for row in rows]
    while True:
        risky = [i for i, row in enumerate(rows) if rows.count(row) < k]
        if not risky:
            return rows
        for i in risky:
            if rows.count(rows[i]) >= k:
                continue
            distances = [
                sum(a != b for a, b in zip(rows[i], r, strict=True)) for r in rows
            ]
            least = min(n for n in distances if n > 0)
            near = [r for r, n in zip(rows, distances, strict=True) if n == least]
            shows = [c for c in order if rows[i][c] != -1]
            differs = [c for c in shows if any(r[c] != rows[i][c] for r in near)]
            if shows:
                rows[i][(differs or shows)[0]] = -1
        if all(set(rows[i]) == {-1} for i in risky):
            # Fewer than k rows without any value: one that has more joins them.
            other = next(i for i, row in enumerate(rows) if set(row) != {-1})
            rows[other] = [-1] * len(rows[other])
