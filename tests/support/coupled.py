"""Neighbouring tables as files, and the noise of one release given to another.

A release is differentially private if its noise can be coupled: give the second table
whatever numbers the first one's release drew. Then all that is released must be the
same, and what these numbers cost is told by how much each query's input differs.
"""

import csv
import datetime
import math
from dataclasses import replace

import numpy as np
import pandas as pd

from coclust_synth.privacy.noise import ledger as module
from coclust_synth.privacy.noise.concentrated import rho_of
from coclust_synth.privacy.noise.drafts import Draft
from coclust_synth.privacy.noise.ledger import PrivacyLedger

ODD_CELLS = (
    *(
        "",
        " ",
        '"',
        'a"b',
        '""',
        "'",
        "a,b",
        "a;b",
        "a\tb",
        "a|b",
        "a\nb",
        "a\r\nb",
        "a\rb",
    ),
    *("1", "1.0", "01", " 1", "1.", "+1", "-0", "2", "2.5", "1e0", "1e999", "9" * 40),
    *("nan", "NaN", "NA", "N/A", "null", "None", "?", "-", "inf", "-inf", "1,5"),
    *("1_000", "0x1F", "١", "½", "true", "True", "FALSE", "yes", "unsure", "é", "数字"),
    *("2020-01-01", "2020-01-01 10:00", "2020-02-30", "01/02/2020", "=1+1", "\u00a0"),
    *("1.234,5", "1,234", "1.5", "$2", "2 %", "30.02.2020", "08:30", "8:30:05", "9:61"),
)
_CATEGORIES = (
    ["1", "2", "3"],
    ["1.0", "2.0"],
    ["01", "1", "1.50"],
    ["a", "b", "é"],
    ["true", "false"],
    ["2020-01-01", "2020-01-02"],
    ['q"uote', "a,b", "x\ny"],
    [1, 2, 3],
    [0.5, 1],
    [False, True],
)
_LAYOUTS = (
    {},
    *({"format": own} for own in ("comma", "$# thousands", "# % comma", "brackets")),
)
_NAMES = ("{}", "{}.0", "0{}", "{}e0", "no. {}", "é{}", "{},5", '"{}"')


class Tape:
    """Looks of a release with what each gave, to be given again to other releases.

    Parameters
    ----------
    rng : numpy.random.Generator
        Of the noise of the first release.
    """

    def __init__(self, monkeypatch, rng):
        self._recorded, self._looks = None, []
        self._draw_from(monkeypatch, rng)
        for name in (
            "noisy_counts",
            "noisy_sparse_counts",
            "exponential",
            "exponential_of_parts",
            "draft_counts",
            "finer_counts",
        ):
            self._listen(monkeypatch, name)

    def _draw_from(self, monkeypatch, rng):
        """Quick draws of about the right law: what they are plays no part."""

        def laplace(values, *, sensitivity, epsilon):
            scale = sensitivity / epsilon
            noise = np.rint(rng.laplace(0, scale, len(values)))
            return values + noise.astype(np.int64), scale

        def best(scores, *, sensitivity, epsilon):
            scale = 2 * sensitivity / epsilon
            return int(np.argmax(scores + rng.gumbel(0, scale, len(scores)))), scale

        def gaussian(values, *, sensitivity, rho):
            scale = sensitivity / math.sqrt(2 * rho)
            noise = np.rint(rng.normal(0, scale, len(values)))
            return values + noise.astype(np.int64), scale

        def gumbel(scores, *, sensitivity, rho):
            scale = sensitivity / math.sqrt(2 * rho)
            return int(np.argmax(scores + rng.gumbel(0, scale, len(scores)))), scale

        def finer(n, share):
            return rng.random(n) < float(share)

        monkeypatch.setattr(module, "choose_finer", finer)
        monkeypatch.setattr(module, "discrete_laplace", laplace)
        monkeypatch.setattr(module, "noisy_max", best)
        monkeypatch.setattr(module, "discrete_gaussian", gaussian)
        monkeypatch.setattr(module, "gumbel_max", gumbel)

    def _listen(self, monkeypatch, name):
        right = getattr(PrivacyLedger, name)

        def query(ledger, *seen, **options):
            given = right(ledger, *seen, **options)
            place = len(self._looks)
            self._looks.append((seen, ledger.entries[-1], given))
            if self._recorded is None:
                return given
            first = self._recorded[place][2]
            if isinstance(given, Draft):  # by entries its own ledger knows it
                return replace(given, counts=first.counts, finer=first.finer)
            return first

        monkeypatch.setattr(PrivacyLedger, name, query)

    @property
    def n_looks(self):
        """Looks of the release that is going on."""
        return len(self._looks)

    def rewind(self):
        """From now on another release."""
        self._looks = []

    def check(self, epsilon, delta=None, *, is_first_table):
        """What the last release saw differs from the first's by what was paid for.

        By nothing, if it was of the same table, in another file. With a delta all of it
        is paid in rho, or else all in epsilon.

        The first release that is checked is the one whose draws others get.
        """
        if self._recorded is None:
            self._recorded = self._looks
        assert len(self._looks) == len(self._recorded)
        for (seen, entry, _), (first, of_first, _) in zip(
            self._looks, self._recorded, strict=True
        ):
            assert entry == of_first
            most = 0 if is_first_table else entry.sensitivity
            assert _distance(entry, seen, first) <= most
        entries = [entry for _, entry, _ in self._looks]
        if any(entry.rho is None for entry in entries):
            spent, budget = sum(entry.epsilon for entry in entries), epsilon
        else:
            spent = sum(entry.rho for entry in entries)
            budget = epsilon if delta is None else rho_of(epsilon, delta)
        assert spent <= budget * (1 + 1e-12)


def _distance(entry, seen, first):
    if "finer" in entry.mechanism:
        # A draft, which was looked at when it was drawn.
        assert seen[0].finer is first[0].finer
        return 0
    if "sparse" in entry.mechanism:
        assert seen[2] == first[2]
        counts = [
            dict(zip(*map(np.ndarray.tolist, s[:2]), strict=True))
            for s in (seen, first)
        ]
        cells = counts[0].keys() | counts[1].keys()
        return sum(abs(counts[0].get(c, 0) - counts[1].get(c, 0)) for c in cells)
    if "each part" in entry.mechanism:
        parts = zip(*(s[0] for s in (seen, first)), strict=True)
        return sum(np.abs(np.subtract(*both)).max() for both in parts)
    differences = np.abs(np.asarray(seen[0]) - np.asarray(first[0]))
    return differences.max() if "max" in entry.mechanism else differences.sum()


# tables


def random_domain(rng):
    """A mapping that declares a few columns; most of them take any cell."""
    columns = {}
    for j in range(rng.integers(1, 5)):
        if rng.random() < 0.6:
            column = {"categories": _CATEGORIES[rng.integers(len(_CATEGORIES))]}
            marks = {"other": "other", "missing": ""}
        else:
            column = _random_range(rng)
            mark = str(rng.choice(["", "1"]))
            marks = {"clamp": True, "coerce": True, "missing": mark}
        columns[f"c{j}"] = column | (marks if rng.random() < 0.95 else {})
    return columns


def _random_range(rng):
    low, width = int(rng.integers(-2, 3)), int(rng.integers(2, 9))
    kind = rng.choice(["whole", "real", "date", "time", "edges", "log"])
    if kind == "date":
        first = datetime.date(2020, 1, 1)
        dates = {"low": first, "high": first + datetime.timedelta(width), "step": 3}
        return dates | ({"format": "%d/%m/%Y"} if rng.random() < 0.5 else {})
    if kind == "time":
        times = {"low": "08:00", "high": f"{width + 8:02d}:00", "step": "01:30"}
        return times | ({"format": "hh:mm"} if rng.random() < 0.5 else {})
    if kind == "edges":
        return {"edges": [low, low + 0.5, low + width]}
    if kind == "log":
        return {"low": 0.5, "high": 8.0, "bins": 3, "scale": "log", "zero": True}
    cast = int if kind == "whole" else float
    layout = _LAYOUTS[rng.integers(len(_LAYOUTS))]
    return {"low": cast(low), "high": cast(low + width), "bins": 3} | layout


def random_people(domain, rng, n, most_rows):
    """Persons, each a list of rows: where in the table, then its cells as texts."""
    return [
        _person(domain, str(rng.choice(_NAMES)).format(number), rng, most_rows, 0.02)
        for number in range(n)
    ]


def neighbour(domain, people, rng, most_rows, kind):
    """The same people but for one, who is added, removed, or has other rows."""
    others = list(people)
    place = int(rng.integers(0, len(people) + (kind == "add")))
    name = people[place][0][1]["id"] if kind == "replace" else "someone"
    odd = _person(domain, name, rng, most_rows, 0.7)
    others[place : place + (kind != "add")] = [] if kind == "remove" else [odd]
    return others


def _person(domain, name, rng, most_rows, share_odd):
    return [
        (
            rng.random(),
            {"id": name}
            | {column: _cell(domain[column], rng, share_odd) for column in domain},
        )
        for _ in range(rng.integers(1, most_rows + 1))
    ]


def _cell(column, rng, share_odd):
    if rng.random() < share_odd:
        return str(rng.choice(ODD_CELLS))
    if "categories" in column:
        return str(column["categories"][rng.integers(len(column["categories"]))])
    low, *_, high = column.get("edges") or (column["low"], column["high"])
    if isinstance(low, datetime.date):
        day = low + datetime.timedelta(int(rng.integers((high - low).days + 1)))
        return day.strftime(column.get("format", "%Y-%m-%d"))
    if isinstance(low, str):
        return f"{rng.integers(int(low[:2]), int(high[:2]))}:{rng.integers(60):02d}"
    if isinstance(high, int):
        number = str(rng.integers(low, high + 1))
    else:
        number = f"{rng.uniform(low, high):.2f}"
    return _laid_out(number, column.get("format", ""))


def _laid_out(number, layout):
    sign, number = "-" * number.startswith("-"), number.removeprefix("-")
    number = number.replace(".", ",") if "comma" in layout else number
    if "brackets" in layout:
        return f"({number})" if sign else number
    return sign + "$" * ("$" in layout) + number + " %" * ("%" in layout)


# files


def write(people, names, path, laid_out=()):
    """A table as a file, CSV or Parquet by its name; `laid_out` columns are texts."""
    rows = sorted((row for person in people for row in person), key=lambda row: row[0])
    rows = [{name: row[name] for name in names} for _, row in rows]
    if path.suffix == ".csv":
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            writer.writerows(rows)
    else:
        frame = {}
        for name in names:
            texts = [row[name] for row in rows]
            is_text = name in laid_out
            frame[name] = pd.Series(texts, dtype=object) if is_text else _typed(texts)
        pd.DataFrame(frame).to_parquet(path, index=False)


def _typed(texts):
    """A column as its producer would type it, where that loses no text."""
    bare = [text.strip() for text in texts]
    for parse, show, dtype in _TYPES:
        try:
            values = [parse(text) if text else None for text in bare]
        except (ValueError, KeyError):
            continue
        if [value if value is None else show(value) for value in values] == [
            text or None for text in bare
        ]:
            return pd.Series(values, dtype=dtype)
    return pd.Series(texts, dtype=object)


def _small(text):
    """A whole number of 64 bits."""
    return int(text[:18])


def _as_float(value):
    return "" if math.isnan(value) else repr(value).removesuffix(".0")


_TYPES = (
    (_small, str, "Int64"),
    (float, _as_float, "Float64"),
    ({"true": True, "false": False}.__getitem__, lambda v: str(v).lower(), "boolean"),
    (datetime.date.fromisoformat, datetime.date.isoformat, object),
)
