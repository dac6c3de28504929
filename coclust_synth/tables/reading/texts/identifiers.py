"""Columns that seem to name persons, and texts that nobody listed beforehand.

Several signs tell them from measures, codes of places and lists of categories: how
many different values there are, the column's name, codes of one pattern, numbers that
are spread evenly. All but the name are read in a way that does not depend on the number
of rows: `distinct_share` is what a sample of 500 rows would show, so that a sample is
judged as the whole table is. Amounts of money are no identifiers, however different:
they have decimals, or are rounded here and there, or crowd at the low end.

The constants were chosen on Adult, the three tables of CASC, BudgetFood of Ecdat,
`covid_testing` of medicaldata, `loans_full_schema` of openintro, IBM's Telco churn, the
passengers of the Titanic and a made-up hospital.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from coclust_synth.tables.column import Column
from coclust_synth.tables.reading.texts.layouts import either_layout
from coclust_synth.tables.reading.texts.money import BEFORE, SIGN
from coclust_synth.tables.reading.texts.patterns import PATTERN, are_of_units
from coclust_synth.tables.values.numbers import below_1

# A column with fewer present values is never held to be an identifier or free text:
# in so small a table most columns hold different values.
MIN_PRESENT = 21

_SAMPLE = 500
# Different numbers in a sample, as a share of it: identifiers of the tables above reach
# 0.97, and so do amounts, which are told apart by other signs.
_NEARLY_ALL = 0.95
# Different texts: 0.64 (first names) to 1 where they name, 0.42 (postcodes) otherwise.
_MANY = 0.5
# Enough where the column is called a name: 0.41 (utilities), against 0.08 (clinics).
_SOME = 0.3
# Enough where it is called an identifier, or a person's name.
_FEW = 20 / _SAMPLE
# Enough for codes of one pattern that all come about equally often.
_SEVERAL = 0.1
_MIN_CODE_LENGTH = 5
# So many digits, of one length, where nearly all differ: few measures have them;
# seconds since 1970 do, where the column is not called a time. Of 661 public tables six
# columns are told by this, all identifiers.
_MANY_DIGITS = 9
# Different values in a sample over those of as many equally likely ones: persons with a
# geometric number of rows reach 1.4, postcodes and diagnoses 3.
_MAX_UNEVEN = 1.6
# Kolmogorov's distance of the rows' numbers to evenly spread ones: 0.09 at most of
# identifiers, 0.2 and more of amounts, but for those told by round numbers or by name.
_MAX_DISTANCE = 0.1
# Share that ends on a zero: 0.1 of numbers that count persons.
_MAX_ROUND = 0.15
# Roles that somebody gave a column.
NAMED = ("quasi-identifier", "sensitive")
_FREE_TEXT_LENGTH = 40
_FREE_TEXT_WORDS = 5

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_IDENTIFIER_WORDS = frozenset(
    "id ids identifier uuid guid uid pid sid cid hid ssn nin nhs mrn email mail "
    "phone telephone mobile fax passport iban login username ticket rownames rowname "
    "licence license plate vin url".split()
)
#: Of whom a column is that has some values many times.
OF_SEVERAL_ROWS = " of persons or households with several rows"
_ALL_DIFFER = re.compile("([0-9]+) different in \\1 values")
# Share of the rows with a value of their own, where it is that of a row: an address
# that some give twice, and no person with several rows.
_NEARLY_EVERY = 0.95
# What may come behind such a word: phone_number, email_address.
_TRAILING_WORDS = frozenset("number no nr num nbr code address key hash".split())
# Each alone is the name of a column that says whose a row is; case_number is one too.
_PERSON_WORDS = frozenset(
    "person patient subject participant respondent individual household hh family "
    "customer client user member employee student pupil case nr".split()
)
_NUMBERED_WORDS = _PERSON_WORDS | set(
    "account claim encounter file invoice order policy record registration serial "
    "social security".split()
)
_PERSON_NAME = re.compile(
    r"((first|last|given|family|full|middle|maiden)_?names?|surname|forename)$"
)
_NAME_WORD = re.compile(r"(names?|street|address)$")
# Words that end with id and are none: paid, thyroid, fluid.
_NOT_AN_ID = re.compile(
    r".*(aid|oid)|(ac|antac|am|ar|av|b|carot|cov|d|flu|gr|hum|hybr|inval|k|l|lip|liqu|"
    r"madr|m|morb|orch|pyram|rap|r|sol|tim|val|viv)id"
)
_MEASURE = re.compile(
    r"(^|_)(amount|balance|budget|capital|charges?|cost|credit|debt|earnings?|"
    r"expend\w*|expens\w*|fees?|income|loan|pay|payments?|price|profit|revenue|salary|"
    r"sales|savings|spend\w*|sum|tax\w*|total|value|wages?|weight|age|days?|date|hours?|"
    r"minutes?|months?|seconds?|time|timestamp|weeks?|years?|area|distance|dose|duration|"
    r"height|kg|km|kwh|length|mileage|odometer|points?|population|quantit(y|ies)|"
    r"readings?|score|speed|surface|usage|volume|width|rates?|ratio|share|percent|pct|"
    r"percentage|average|avg|mean|rent|mortgage|turnover|assets|gross|net|temperature|"
    r"pressure|altitude|elevation)(_|$)"
)
_LISTED = re.compile(
    r"(^|_)(city|country|county|district|fips|municipality|nation|plz|postal|postcode|"
    r"province|region|state|town|tract|zip|zipcode|atc|cpt|diagnos[ei]s|diag|drg|dx|"
    r"icd|naics|ndc|sic|nace|naf|isic|isco|nuts|lau|insee|lsoa|msoa|commune|gemeinde|"
    r"canton|departement|postleitzahl|codepostal|loinc|snomed|ops|opcs|ccam)(_|$)"
)
_COORDINATE = re.compile(
    r"(^|_)(lat|latitude|lon|lng|longitude|easting|northing|coordinates?|coord)(_|$)"
)
_CODE_NAME = re.compile(r"codes?$|(^|_)(cd|key|codigo|codice|kode|kod)$")
_SHORT_DATE = re.compile(r"[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{2}\b.*")
# Digits side by side: a year, with month and day behind it or not, and what else dates
# have, up to the day of the year. Of times, fractions and zones have more, and what
# is written without colons.
_DIGITS = re.compile(r"(?<![0-9])[0-9]+")
_YEAR = re.compile(r"(19|20)[0-9]{2}([0-9]{2}){0,5}")
_OF_TIMES = re.compile(r"(?<=:[0-9]{2})(\.[0-9]+)?([+-][0-9]{4})?$|T[0-9]{4,6}Z?$")
_MAX_DIGITS = 3
_LETTERS = re.compile(r"[^\W\d_]+")
# How names of months begin in English, German, French, Spanish, Italian, Portuguese and
# Dutch, and what letters dates have besides names.
_MONTHS_BEGIN = frozenset(
    """
    jan feb mar apr may jun jul aug sep oct nov dec jän mär mai okt dez fév fev avr jui
    aoû aou déc ene abr ago dic gen mag giu lug set ott out mrt maa mei
    """.split()
)
_IN_DATES = frozenset("utc gmt am pm".split())
# The last month, and the last minute or second: days and hours are fewer.
_MONTHS, _MINUTES = 12, 59
_DECORATED = re.compile(
    rf"[-+(]?\s*{BEFORE}?\s*[-+]?[0-9]+([,.' ][0-9]{{3}})*([.,][0-9]+)?\s*"
    rf"({SIGN}|[%)])?"
)
# A code such as J33.2, 47.11Z or SW1A 1AA: digits, capitals and marks, no words.
_CODE = re.compile(r"(?=.*[0-9])[A-Z0-9][A-Z0-9._/+-]*( [A-Z0-9._/+-]+)?")
_CLOCK = re.compile(r"-?[0-9]+:[0-5][0-9](:[0-5][0-9])?([.,][0-9]+)?( ?[AaPp][Mm])?")


class Doubt(NamedTuple):
    """Why a column needs a word of the user, and the role it seems to have."""

    role: str
    reason: str


def doubt_about(
    values: np.ndarray,
    column: Column,
    rows: np.ndarray | None = None,
    *,
    is_drawn: bool = False,
) -> Doubt | None:
    """Why nobody but the user can say whether a column is to be kept.

    Who gives a column the role of a quasi-identifier or a sensitive one says that it
    is neither a person's number nor a remark. That settles it for codes, and for short
    texts that are a quasi-identifier, which is generalised; not for free text, nor
    where the column's name says otherwise, or that nearly all of its values differ.

    Parameters
    ----------
    values : ndarray of shape (n_present,)
        Present values, as `to_values` gives them.
    column : Column
        Complete, with the role that it is given, if any.
    rows : ndarray of shape (n_present,), int64, optional
        That have each of the values; by default one.
    is_drawn : bool, default=False
        Whether the numbers of texts in patterns are drawn each on its own. That settles
        it for measures (see `are_of_units`) whose name says nothing else.

    Returns
    -------
    Doubt or None
        None: keep it.
    """
    if (len(values) if rows is None else rows.sum()) < MIN_PRESENT:
        return None
    if column.kind == "categorical":
        codes, counts = _count(values, rows)
        distinct = [column.categories[code] for code in codes]
        if all(isinstance(value, str) for value in distinct):
            return _doubt_about_texts(distinct, counts, column, is_drawn)
        return None
    if column.kind == "integer" or (column.kind == "real" and column.decimals == 0):
        return _doubt_about_numbers(*_count(values, rows), column)
    return None


def _count(values, rows):
    """Different values in order, and the rows of each."""
    if rows is None:
        return np.unique(values, return_counts=True)
    distinct, position = np.unique(values, return_inverse=True)
    return distinct, np.bincount(position, rows).astype(np.int64)


def distinct_share(counts: np.ndarray) -> float:
    """Expected share of different values in a sample of 500 rows.

    Parameters
    ----------
    counts : ndarray of shape (n_distinct,), int64
        Rows of each value. Where they are no more than 500 in all, they are the sample.

    Returns
    -------
    float
        From 0 to 1. Whatever sample of a table it is computed on, its expectation is
        that of the table.

    References
    ----------
    Hurlbert (1971), The nonconcept of species diversity, equation 14 (rarefaction).
    """
    n = counts.sum()
    if n <= _SAMPLE:
        return len(counts) / n
    # The chance that a sample has no row of a value: C(n - count, 500) / C(n, 500).
    left = n - counts
    can_miss = left >= _SAMPLE
    log_missed = gammaln(left + 1) - gammaln(np.maximum(left - _SAMPLE, 0) + 1)
    log_missed += gammaln(n - _SAMPLE + 1) - gammaln(n + 1)
    missed = np.where(can_miss, np.exp(np.where(can_miss, log_missed, 0)), 0)
    return float((1 - missed).sum() / _SAMPLE)


# --- texts and numbers --------------------------------------------------------


def _doubt_about_texts(
    distinct: list[str], counts: np.ndarray, column: Column, is_drawn: bool
):
    share = distinct_share(counts)
    name = _normal(column.name)
    if _LISTED.search(name):
        return None
    found = f"{len(distinct)} different in {counts.sum()} values"
    length = _length_of_free_texts(distinct, counts)
    if length is not None:
        reason = f"looks like free text of {length:.0f} characters: {found}"
        return Doubt("other", reason)
    either = either_layout([text.strip() for text in distinct])
    if either is not None and not is_called_code(column.name):
        parted, comma = either
        return Doubt(
            "other",
            f"looks like numbers whose comma may be of thousands or decimals: {found}"
            f'; for a text file say in a schema format = "{parted}" with kind = '
            f'"integer", or format = "{comma}" with kind = "real"',
        )
    if share < _FEW:
        return None
    if share > _MANY and not all(map(str.isdigit, distinct)):
        for what, is_one in (
            (
                "dates whose `format` a schema must give, if all have one",
                _is_date_by_words,
            ),
            ("numbers written with signs, to be converted", _DECORATED.fullmatch),
            ("times or durations, to be converted to numbers", _CLOCK.fullmatch),
        ):
            if all(map(is_one, distinct)):
                return Doubt("other", f"looks like {what}: {found}")
    if _is_called_identifier(name):
        return _identifier(distinct, counts, "by its name")
    if _PERSON_NAME.search(name) or (_NAME_WORD.search(name) and share >= _SOME):
        what = "names" if name.endswith(("name", "names")) else "addresses"
        return Doubt("identifier", f"looks like {what}, by its name: {found}")
    if is_drawn and column.format == PATTERN and are_of_units(distinct):
        return None
    are_codes = all(map(_CODE.fullmatch, distinct))
    is_settled = column.role == "quasi-identifier" or (
        column.role in NAMED and are_codes
    )
    if share >= _SEVERAL and _is_even(counts, share) and _have_one_pattern(distinct):
        if not is_settled or share >= _NEARLY_ALL:
            return _identifier(distinct, counts, "codes of one pattern")
    if share >= _NEARLY_ALL:
        return _identifier(distinct, counts, "nearly all differ")
    if share > _MANY and not is_settled:
        what = "codes" if are_codes else "names or texts by hand"
        return Doubt("other", f"looks like {what}: {found}")
    return None


def _may_be_date(text: str) -> bool:
    """Whether a text has a year, and no number that no date has: 2023-000759.

    With it are a month, or a word, or the day of the year.
    """
    if _SHORT_DATE.fullmatch(text):
        return _have_month(_DIGITS.findall(text)[:2])
    digits = _DIGITS.findall(_OF_TIMES.sub("", text))
    years = [run for run in digits if _YEAR.fullmatch(run)]
    others = [run for run in digits if run not in years]
    if not years or any(len(run) > _MAX_DIGITS for run in others):
        return False
    packed = [run[4:6] for run in years if len(run) > 4]
    if packed:
        return all(_have_month([month]) for month in packed)
    are_days = any(len(run) == _MAX_DIGITS for run in others)
    return bool(are_days or _LETTERS.search(text)) or _have_month(others)


def _is_date_by_words(text: str) -> bool:
    """Whether a text that may be a date has a month's name, or no words.

    Examples
    --------
    >>> [*map(_is_date_by_words, ["3. Januar 2020", "2020 W07", "1998_Gov-G_AL"])]
    [True, True, False]
    """
    if not _may_be_date(text):
        return False
    words = [word.lower() for word in _LETTERS.findall(text)]
    return any(word[:3] in _MONTHS_BEGIN for word in words) or all(
        len(word) == 1 or word in _IN_DATES for word in words
    )


def _have_month(digits: list[str]) -> bool:
    """Whether one of some numbers can be a month, if there are any, and all be dates'.

    Examples
    --------
    >>> _have_month(["31", "12"]), _have_month(["31", "13"]), _have_month(["99", "1"])
    (True, False, False)
    """
    numbers = [*map(int, digits)]
    has_one = any(1 <= number <= _MONTHS for number in numbers)
    return not numbers or (has_one and max(numbers) <= _MINUTES)


def _doubt_about_numbers(distinct: np.ndarray, counts: np.ndarray, column: Column):
    share = distinct_share(counts)
    name = _normal(column.name)
    if share < _FEW:
        return None
    if _is_called_identifier(name):
        return _identifier(distinct, counts, "by its name")
    if _MEASURE.search(name) or _LISTED.search(name):
        return None
    if share < _SEVERAL or _is_rounded(distinct, column) or _are_dates(distinct):
        return None
    is_uniform = _is_uniform(distinct, counts)
    if is_uniform and share >= _NEARLY_ALL:
        return _identifier(distinct, counts, "spread evenly")
    lengths = {len(str(int(value))) for value in distinct.tolist()}
    n_digits = min(lengths) if len(lengths) == 1 else 0
    is_one = n_digits >= _MANY_DIGITS and share >= _NEARLY_ALL
    if is_uniform and n_digits >= _MIN_CODE_LENGTH and column.role not in NAMED:
        is_one |= _is_even(counts, share)
    return _identifier(distinct, counts, "codes of one length") if is_one else None


def _identifier(distinct, counts: np.ndarray, sign: str) -> Doubt:
    n_present = int(counts.sum())
    several = OF_SEVERAL_ROWS if len(distinct) < _NEARLY_EVERY * n_present else ""
    return Doubt(
        "identifier",
        f"looks like an identifier{several}, {sign}: {len(distinct)} different in "
        f"{n_present} values",
    )


def can_be_key(column: Column) -> bool:
    """Whether a column that `doubt_about` named differs in every row that has one.

    Examples
    --------
    >>> reason = "looks like names, by its name: 991 different in 1000 values"
    >>> can_be_key(Column(name="name", role="identifier", reason=reason))
    False
    """
    all_differ = _ALL_DIFFER.search(column.reason) is not None
    return column.role == "identifier" and all_differ


def is_called_place(name: str) -> bool:
    """Whether a column is one of places by its name, also of one of two coordinates.

    Examples
    --------
    >>> [is_called_place(name) for name in ("Latitude", "start_lng", "ZIP", "latency")]
    [True, True, True, False]
    """
    own = _normal(name)
    return bool(_LISTED.search(own) or _COORDINATE.search(own))


def is_called_code(name: str) -> bool:
    """Whether a column is one of codes by its name: of places, of diagnoses, of ids.

    Examples
    --------
    >>> [is_called_code(name) for name in ("DeptID", "REASONCODE", "education_num")]
    [True, True, False]
    """
    own = _normal(name)
    is_listed = _CODE_NAME.search(own) or _LISTED.search(own)
    return bool(is_listed) or _is_called_identifier(own)


# --- signs --------------------------------------------------------------------


def _normal(name: str) -> str:
    """Words of a name in small letters: customerID and CUSTOMER.ID are customer_id."""
    return "_".join(word.lower() for word in _WORD.findall(name))


def _length_of_free_texts(distinct: list[str], counts: np.ndarray) -> float | None:
    """Mean length of texts that are written by hand, None if these are none.

    One that most rows have, such as "none", stands for no text.
    """
    there = counts * 2 <= counts.sum()
    if counts[there].sum() < MIN_PRESENT or distinct_share(counts[there]) <= _MANY:
        return None
    texts = [text for text, is_there in zip(distinct, there, strict=True) if is_there]
    length = np.mean([len(text) for text in texts])
    words = np.mean([len(text.split()) for text in texts])
    is_long = length > _FREE_TEXT_LENGTH or words > _FREE_TEXT_WORDS
    return float(length) if is_long else None


def _is_called_identifier(name: str) -> bool:
    words = name.split("_")
    bare = list(words)
    while len(bare) > 1 and bare[-1] in _TRAILING_WORDS:
        bare.pop()
    last = bare[-1]
    return (
        last in _IDENTIFIER_WORDS
        or words[0] == "id"
        or name in _PERSON_WORDS
        or (len(bare) < len(words) and last in _NUMBERED_WORDS)
        or (len(last) > 3 and last.endswith("id") and not _NOT_AN_ID.fullmatch(last))
    )


def _is_even(counts: np.ndarray, share: float) -> bool:
    """Whether values come about equally often, as the rows of persons do."""
    n = counts.sum()
    same = (counts * (counts - 1.0)).sum() / (n * (n - 1.0))
    size = min(n, _SAMPLE)
    if same == 0:
        return True
    # As many equally likely values as give two rows the same one as often.
    expected = -np.expm1(size * np.log1p(-min(same, 0.5))) / same
    return share * size <= _MAX_UNEVEN * expected


def _have_one_pattern(texts: list[str]) -> bool:
    """Whether texts are codes such as AB-0123, equal but for letters and digits."""
    patterns = {re.sub("[A-Za-z]", "A", re.sub("[0-9]", "9", text)) for text in texts}
    (pattern, *others) = patterns
    if others or "9" not in pattern or len(pattern) < _MIN_CODE_LENGTH:
        return False
    return not all(map(_may_be_date, texts))


def _is_uniform(distinct: np.ndarray, counts: np.ndarray) -> bool:
    numbers = distinct.astype(np.float64)
    if numbers[0] == numbers[-1]:  # so large that they differ as integers only
        return False
    numbers, _ = below_1(numbers)  # or the widest ranges are infinite
    spread = (numbers - numbers[0]) / (numbers[-1] - numbers[0])
    rank = (np.cumsum(counts) - counts / 2) / counts.sum()
    return np.abs(spread - rank).max() < _MAX_DISTANCE


def _is_rounded(distinct: np.ndarray, column: Column) -> bool:
    if column.step % 10 == 0:
        return True
    return np.mean(distinct // column.step % 10 == 0) > _MAX_ROUND


def _are_dates(numbers: np.ndarray) -> bool:
    """Whether numbers are days such as 20201231, or months such as 202012."""
    days = numbers if numbers[-1] >= 10**7 else numbers * 100 + 1
    return bool(
        np.isin(days // 10**4, range(1800, 2101)).all()
        and np.isin(days // 100 % 100, range(1, 13)).all()
        and np.isin(days % 100, range(1, 32)).all()
    )
