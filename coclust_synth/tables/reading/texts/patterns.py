"""Texts that hold numbers in a pattern: 120/80, 2.5 x 3.0 m, 190Nm@ 2000rpm.

A pattern is a text of zeros where the numbers are, as spreadsheets write the formats of
numbers: ``0.0# kmpl`` has one decimal or two, ``0h 00m`` two digits at least before the
``m``, ``0,000`` parted thousands. What is around the numbers has no digits.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from coclust_synth.tables.clock import MONTH_WORDS
from coclust_synth.tables.reading.texts.money import SIGNS
from coclust_synth.tables.reading.texts.unit_words import is_word_of_unit

#: The `format` of a column of such texts.
PATTERN = "pattern"

# Decimals follow a point, or a comma; commas part thousands.
_POINT = r"[0-9]+(?:\.(?:[0-9]+#*|#+))?"
_PARTED = r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.(?:[0-9]+#*|#+))?(?![0-9])"
_NUMBERS = {
    "": re.compile(_POINT),
    "thousands": re.compile(f"{_PARTED}|{_POINT}"),
    "comma": re.compile(_POINT.replace(r"\.", ",")),
}
_COMMA, _POINTED = re.compile("[0-9],[0-9]"), re.compile(r"[0-9]\.[0-9]")
_NO_THOUSANDS = re.compile(
    "(?<![0-9])(?:[0-9]{4,}|0)(?:,[0-9])|[0-9],(?![0-9]{3}(?![0-9]))[0-9]"
)

# So many different texts are told from names of levels; nearly all have a pattern that
# several have.
_MANY, _SEVERAL, _NEARLY_ALL = 20, 5, 0.9
# What is around a number that is one of something: words and signs.
_WORD = re.compile(r"[^\W\d_]+")
_SIGNS = frozenset(f"{SIGNS}%°'\"′″’”×")
_CAPITALS = re.compile("[A-Z._/+-]*")  # of codes
_NO_UNITS = MONTH_WORDS | {"st", "nd", "rd", "th"}
# A letter behind a number may be one of a code, or of a house; these stand for
# thousands, millions and billions, where they are all that there are and numbers have
# decimals, or a sign of money before them: 565K beside 1.2M.
_MAGNITUDES = {"": 0, "k": 3, "m": 6, "b": 9}
# What numbers, lists, clocks and codes have inside.
_NO_PARTS = frozenset(("", ".", ",", ":", "e-", "e+", "E-", "E+"))
# Of two numbers without any the one is larger, but for so few; where any of the one is
# above all of the other, as in a few blood pressures, they rise together.
_PAIRED = re.compile(r" ?[/–-] ?")
_MAX_OTHERS = 0.005
_RISING = 0.5
# Numbers of codes are longer, or begin with more zeros than minutes do.
_MAX_LENGTH, _MINUTES = 4, 2
_YEARS = range(1900, 2101)
# Of measures; places have more. Words of units have so many letters.
_MAX_DECIMALS, _MAX_LETTERS = 3, 7
_MAX_DEGREES = 180
_POINTS, _MINUTE_SIGNS = frozenset("NSEWO"), frozenset("'\"′″’”")
# More are beyond what a double holds.
_MAX_DIGITS = 15


class Slot(NamedTuple):
    """How a number of a pattern is written.

    Attributes
    ----------
    width : int
        Digits before the point, at least.
    least, most : int
        Decimals.
    is_parted : bool
        Whether thousands are.
    """

    width: int
    least: int
    most: int
    is_parted: bool

    @classmethod
    def of(cls, numbers: Sequence[str], marks: str) -> Slot:
        """How most of some different numbers are written."""
        split = [_whole_and_decimals(number, marks) for number in numbers]
        wholes, decimals = zip(*split, strict=True)
        padded = {len(own) for own in wholes if own.startswith("0")}
        width = _best({1, *padded}, wholes, _has_width)
        least = _best({*map(len, decimals)}, decimals, _has_least)
        n_parted = sum("," in own for own in wholes)
        n_whole = sum("," not in own and len(own) > 3 for own in wholes)
        return cls(width, least, max(map(len, decimals)), n_parted > n_whole)

    def write(self, number: float | str, marks: str) -> str:
        """A number with as many digits as the slot has."""
        whole, _, decimals = f"{Decimal(str(number)):.{self.most}f}".partition(".")
        decimals = decimals[: self.least] + decimals[self.least :].rstrip("0")
        whole = f"{int(whole):,}" if self.is_parted else whole.zfill(self.width)
        return _number(whole, decimals, marks)

    def zeros(self, marks: str) -> str:
        """The zeros of a pattern that stand for a number."""
        whole = "0,000" if self.is_parted else "0" * self.width
        decimals = "0" * self.least + "#" * (self.most - self.least)
        return _number(whole, decimals, marks)


class Pattern(NamedTuple):
    """What texts have in common that differ in their numbers.

    Attributes
    ----------
    around : tuple of str
        What is before, between and behind the numbers: one more than these.
    slots : tuple of Slot
    marks : str
        What the marks of numbers are, see `find_marks`.
    """

    around: tuple[str, ...]
    slots: tuple[Slot, ...]
    marks: str = ""

    @classmethod
    def parse(cls, text: str, marks: str = "") -> Pattern:
        """Read a pattern; `str` undoes it.

        Examples
        --------
        >>> Pattern.parse("0.0# x 00 m").write([2.25, 3])
        '2.25 x 03 m'
        """
        around, zeros = split_text(text, marks)
        slots = []
        for own in zeros:
            whole, decimals = _whole_and_decimals(own, marks)
            parted = "," in whole
            width = 1 if parted else len(whole)
            slots.append(Slot(width, decimals.count("0"), len(decimals), parted))
        return cls(around, tuple(slots), marks)

    def __str__(self) -> str:
        return self._filled(slot.zeros(self.marks) for slot in self.slots)

    def write(self, numbers: Iterable[float | str]) -> str:
        """The text with these numbers, rounded to the decimals of the pattern."""
        both = zip(numbers, self.slots, strict=True)
        return self._filled(slot.write(number, self.marks) for number, slot in both)

    def _filled(self, numbers):
        first, *others = self.around
        both = zip(numbers, others, strict=True)
        return first + "".join(number + text for number, text in both)


def powers_of_ten(patterns: Sequence[Pattern]) -> list[int]:
    """What the number of each pattern counts: of 2.3M the sixth power of ten.

    All are 0 where not all are the same but for such a letter.

    Examples
    --------
    >>> powers_of_ten([Pattern.parse("$0.0#M"), Pattern.parse("$0K")])
    [6, 3]
    >>> powers_of_ten([Pattern.parse("0.0 kmpl"), Pattern.parse("0 km/kg")])
    [0, 0]
    """
    letters = [own.around[-1].lower() for own in patterns]
    are_alike = len({own.around[:-1] for own in patterns}) == 1
    is_one = all(len(own.slots) == 1 for own in patterns)
    if not (is_one and are_alike and {*letters} <= {*_MAGNITUDES}):
        return [0] * len(patterns)
    return [_MAGNITUDES[letter] for letter in letters]


def split_text(text: str, marks: str) -> tuple[tuple[str, ...], list[str]]:
    """What is around the numbers of a text, and these.

    Examples
    --------
    >>> split_text("190Nm@ 2,000rpm", "thousands")
    (('', 'Nm@ ', 'rpm'), ['190', '2,000'])
    """
    found = _NUMBERS[marks]
    return tuple(found.split(text)), found.findall(text)


def as_number(text: str, marks: str) -> str:
    """A number of a text as Python writes it."""
    whole, decimals = _whole_and_decimals(text, marks)
    whole = whole.replace(",", "").lstrip("0") or "0"
    return f"{whole}.{decimals}" if decimals else whole


def n_decimals(text: str, marks: str) -> int:
    """How many decimals a number of a text has."""
    return len(_whole_and_decimals(text, marks)[1])


def find_marks(texts: Iterable[str]) -> str:
    """What the marks of numbers in texts are.

    Parameters
    ----------
    texts : iterable of str

    Returns
    -------
    {"", "thousands", "comma"}
        Commas are no marks, part thousands, or decimals follow them, in nearly all.
    """
    texts = [text for text in texts if "," in text and _COMMA.search(text)]
    if not texts:
        return ""
    if _are_nearly_all(sum(not _NO_THOUSANDS.search(text) for text in texts), texts):
        return "thousands"
    are_decimals = sum(not _POINTED.search(text) for text in texts)
    return "comma" if _are_nearly_all(are_decimals, texts) else ""


def find_patterns(texts: Sequence[str], marks: str) -> list[Pattern | None]:
    """The pattern of each of some different texts.

    Of texts with the same around their numbers most have one: it has the digits and the
    decimals at least that go with most of them. The others have one of their own.

    Parameters
    ----------
    texts : sequence of str
    marks : str

    Returns
    -------
    list of Pattern or None
        None of texts without numbers.

    Examples
    --------
    >>> found = find_patterns(["3.0 kg", "2.45 kg", "1.5 kg", "1.50 kg", "none"], "")
    >>> [own and str(own) for own in found]
    ['0.0# kg', '0.0# kg', '0.0# kg', '0.00 kg', None]
    """
    split = [split_text(text, marks) for text in texts]
    alike = defaultdict(list)
    for i, (around, numbers) in enumerate(split):
        if numbers and "#" not in texts[i] and max(map(len, numbers)) <= _MAX_DIGITS:
            alike[around].append(i)
    found: list[Pattern | None] = [None] * len(texts)
    for around, rows in alike.items():
        columns = zip(*(split[i][1] for i in rows), strict=True)
        slots = tuple(Slot.of(numbers, marks) for numbers in columns)
        shared = Pattern(around, slots, marks)
        for i in rows:
            numbers = split[i][1]
            found[i] = shared
            if shared.write(as_number(own, marks) for own in numbers) != texts[i]:
                own = tuple(Slot.of([number], marks) for number in numbers)
                found[i] = Pattern(around, own, marks)
    return found


def are_in_patterns(texts: Sequence[str]) -> bool:
    """Whether different texts are numbers in patterns, of measures and not of codes.

    Nearly all begin with a number, or a sign of money and one. Behind it there is a
    unit, a word or a sign; or there are two numbers, the one larger, as of blood
    pressures and ranges. There are several numbers or several units: those of one have
    a layout.

    Parameters
    ----------
    texts : sequence of str
        Those of a column.

    Examples
    --------
    >>> are_in_patterns([f"{i}.5 x {i + 1}.0 m" for i in range(30)])
    True
    >>> are_in_patterns([f"${i}00K" for i in range(9)] + [f"${i}M" for i in range(20)])
    True
    >>> are_in_patterns([f"{i}5-{37 * i % 100:04}" for i in range(30)])
    False
    """
    if len(texts) < _MANY or not _are_nearly_all(sum(map(_begins, texts)), texts):
        return False
    marks = find_marks(texts)
    alike = defaultdict(list)
    for text in texts:
        around, numbers = split_text(text, marks)
        if _begins(text) and "#" not in text:
            alike[around].append(numbers)
    several = {own: rows for own, rows in alike.items() if len(rows) >= _SEVERAL}
    magnitudes = _find_magnitudes(several, marks)
    measures = [
        own
        for own, rows in several.items()
        if own in magnitudes or _is_measure(own, rows, marks)
    ]
    capitals = [own for own in measures if "".join(own).isupper()]
    if len(capitals) > _SEVERAL:  # of codes
        measures = [own for own in measures if own not in capitals]
    n_measured = sum(len(several[own]) for own in measures)
    n_units = sum(own != ("", "") for own in measures)
    has_more = n_units > 1 or any(len(own) > 2 for own in measures)
    return has_more and _are_nearly_all(n_measured, texts)


def are_of_units(texts: Sequence[str]) -> bool:
    """Whether texts in patterns are of units, and of no place, address or name.

    Their numbers have less than four decimals; in no pattern that several have are
    there degrees beside minutes or points of the compass, or words that are none of a
    unit.

    Parameters
    ----------
    texts : sequence of str
        See `are_in_patterns`.

    Examples
    --------
    >>> are_of_units([f"{i} x {i + 1} cm" for i in range(30)])
    True
    >>> are_of_units([f"{i}/{i + 1} High Street" for i in range(30)])
    False
    """
    marks = find_marks(texts)
    alike = defaultdict(list)
    for text in texts:
        around, numbers = split_text(text, marks)
        alike[around].extend(numbers)
    shared = {
        own: numbers
        for own, numbers in alike.items()
        if len(numbers) >= _SEVERAL * (len(own) - 1) > 0
    }
    found = (number for own in shared.values() for number in own)
    if any(n_decimals(number, marks) > _MAX_DECIMALS for number in found):
        return False
    return not any(map(_is_place, shared)) and all(map(_has_units_only, shared))


def _is_place(around):
    """Whether degrees are those of a place."""
    text = "".join(around)
    is_pointed = any(word.upper() in _POINTS for word in _WORD.findall(text))
    return "°" in text and (is_pointed or bool(_MINUTE_SIGNS.intersection(text)))


def _has_units_only(around):
    """Whether the words behind each number can be units, and joins of numbers."""
    for text in around:
        words = _WORD.findall(text)
        is_one = len(words) == 1
        if len(words) > 2 or not all(_is_unit(word, is_one) for word in words):
            return False
    words = _WORD.findall(around[-1])
    n_letters = sum(map(len, words))
    return n_letters <= _MAX_LETTERS or all(map(is_word_of_unit, words))


def _is_unit(word, is_alone):
    if len(word) <= 2 or is_word_of_unit(word):
        return True
    is_small = word.islower() or (is_alone and not word.istitle())
    return len(word) <= _MAX_LETTERS and is_small


def _begins(text):
    return text.lstrip(SIGNS)[:1].isdecimal() and text.isprintable()


def _find_magnitudes(several, marks):
    """Patterns of one number and thousands or millions of it, if they are such."""
    lettered = {
        own: rows
        for own, rows in several.items()
        if len(own) == 2 and len(own[1]) == 1 and own[1].isalpha()
    }
    has_decimals = any(
        n_decimals(number, marks) for rows in lettered.values() for (number,) in rows
    )
    are_amounts = has_decimals or all(own[0] for own in lettered)
    are_known = {own[1].lower() for own in lettered} <= {*_MAGNITUDES}
    return lettered.keys() if are_amounts and are_known else ()


def _are_nearly_all(n, texts):
    return n >= _NEARLY_ALL * len(texts)


def _is_measure(around, rows, marks):
    """Whether texts with numbers are measures, by what is around and their digits."""
    columns = [*zip(*rows, strict=True)]
    if _is_place(around):  # its degrees may have zeros before them: 003°25.2'E
        degrees = (float(as_number(own, marks)) for own in columns[0])
        return all(own <= _MAX_DEGREES for own in degrees)
    if any(_are_of_codes(numbers, marks) for numbers in columns):
        return False
    if any(own.startswith("0") and own[1:2].isdecimal() for own in columns[0]):
        return False
    if _NO_PARTS.intersection(around[1:-1]):
        return False
    if _has_unit(around):
        return True
    if len(columns) == 1:
        return around[1] == ""
    is_pair = len(columns) == 2 and around[2] == "" and _PAIRED.fullmatch(around[1])
    return bool(is_pair) and _are_in_order(columns, marks)


def _has_unit(around):
    words = [word for text in around for word in _WORD.findall(text)]
    if _SIGNS.intersection("".join(around)):
        return True
    is_code = not words or _CAPITALS.fullmatch("".join(around))
    is_code = is_code and not (words and all(map(is_word_of_unit, words)))
    is_letter = len(around) == 2 and _WORD.fullmatch(around[1]) and len(around[1]) == 1
    are_none = any(word.lower() in _NO_UNITS for word in words)
    return not (is_code or is_letter or are_none)


def _are_of_codes(numbers, marks):
    """Whether numbers, at one place of texts, are years or parts of codes."""
    wholes, decimals = zip(
        *(_whole_and_decimals(own, marks) for own in numbers), strict=True
    )
    if any(own.startswith("0") and len(own) > _MINUTES for own in wholes):
        return True
    if any(decimals):
        return False
    are_years = all(len(own) == 4 and int(own) in _YEARS for own in wholes)
    return are_years and len({*wholes}) > 2


def _are_in_order(columns, marks):
    """Whether of two numbers the one is larger, and it is not that of a code.

    Those of codes are any two: of measures some of the one are below some of the other,
    or one is higher where the other is, by ranks.
    """
    first, second = ([float(as_number(n, marks)) for n in own] for own in columns)
    if len(first) < _MANY or max(*first, *second) >= 10**_MAX_LENGTH:
        return False
    both = [*zip(first, second, strict=True)]
    n_above = sum(a > b for a, b in both), sum(a < b for a, b in both)
    low, high = (first, second) if n_above[1] > n_above[0] else (second, first)
    is_ordered = sum(a > b for a, b in zip(low, high, strict=True))
    if is_ordered > _MAX_OTHERS * len(both):
        return False
    return max(low) > min(high) or _correlation_of_ranks(low, high) >= _RISING


def _correlation_of_ranks(first, second):
    ranks = [np.unique(own, return_inverse=True)[1] for own in (first, second)]
    if min(own.max() for own in ranks) == 0:
        return 0.0
    return float(np.corrcoef(ranks)[0, 1])


def _whole_and_decimals(number, marks):
    whole, _, decimals = number.partition("," if marks == "comma" else ".")
    return whole, decimals


def _number(whole, decimals, marks):
    point = "," if marks == "comma" else "."
    return whole + point + decimals if decimals else whole


def _best(options, numbers, fits):
    """Of some numbers of digits the one that most go with; the least of ties."""
    return max(sorted(options), key=lambda n: sum(fits(own, n) for own in numbers))


def _has_width(whole, width):
    if whole.startswith("0"):
        return len(whole) == width
    return len(whole) >= width


def _has_least(decimals, least):
    if len(decimals) == least:
        return True
    return len(decimals) > least and not decimals.endswith("0")
