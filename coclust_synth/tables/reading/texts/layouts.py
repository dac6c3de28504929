"""How texts lay numbers and dates out: 1234.5, 1 234,5, $1,234, (48), 12 %, 31.12.2020.

A layout of numbers is a text of words, as `format` of a column has it: what is around
the number, a unit too, where a # stands for it, or -# where its sign is not before all
else;
``brackets``, where negative ones are in brackets rather than behind a minus; ``plus``,
where positive ones are behind a plus (``plus-zero``, where 0 is too);
``comma``, where decimals follow a comma; ``thousands``, where they are parted, by the
other of both, or what else parts them, ``spaces`` (``hard-spaces``, ``thin-spaces``) or
``apostrophes`` (``curly-apostrophes``); ``lakhs``, where commas part thousands and,
above these, hundreds, as in India: 1,39,900; ``no-zero``, where .5 is a half; and the
digits, ``.2f`` for two decimals, ``.2f+`` for two or more where a number has them,
``.7g`` for seven digits at most, wherever the point
is, or ``short`` for 2 rather than 2.0 (``short .2f``: 2 beside 2.50): ``$# thousands
.2f``, ``# % comma``, ``# kg``;
``double`` where numbers of single precision have the digits of double precision, as
0.10000000149011612 has; and powers of ten, as `powers` has them, where a program wrote
some numbers with these otherwise than Python does.

How a whole column is laid out is found out by
`coclust_synth.tables.reading.texts.text`; what reads one text alone goes by a declared
layout, and other rows play no part.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

from coclust_synth.tables.clock import has_hours, padded
from coclust_synth.tables.date_texts.two_countries import layouts_in
from coclust_synth.tables.date_texts.two_digit_years import in_full, with_century
from coclust_synth.tables.reading.texts.cells import parse_number
from coclust_synth.tables.reading.texts.money import BEFORE, OF_THOUSANDS, SIGN, SIGNS
from coclust_synth.tables.reading.texts.powers import PATTERN as _POWERS

_MARKS = {
    "spaces": " ",
    "hard-spaces": "\u00a0",
    "thin-spaces": "\u202f",
    "apostrophes": "'",
    "curly-apostrophes": "\u2019",
}
_BLANK, _MARK = "[ \u00a0\u202f]", "[ \u00a0\u202f'\u2019]"
_SIGNED = re.compile(
    rf"(?P<first>[+-]?)(?P<before>{BEFORE}?{_BLANK}?)(?P<sign>[+-]?)"
    rf"(?P<number>[0-9.,]+(?:{_MARK}[0-9.,]+)*)"
    rf"(?P<after>{_BLANK}?(?:{SIGN}|%|(?:°|[^\W\d_])[^\d#]*)?)"
)
_LAYOUT = re.compile(
    r"(.*?)(?:^| |$)(brackets)?(?: |$)?(plus-zero|plus)?(?: |$)?(comma)?(?: |$)?"
    rf"(thousands|lakhs|{'|'.join(_MARKS)})?(?: |$)?(no-zero)?(?: |$)?"
    r"(short double|double|short \.[0-9]+f|short|\.[0-9]+(?:f\+?|g))?(?: |$)?"
    rf"({_POWERS})?",
    re.DOTALL,
)
_SWAPPED = str.maketrans(",.", ".,")
# A comma that parts no thousands.
_NO_THOUSANDS = re.compile(
    r"[+-]?(0?,[0-9]+|[0-9]{4,},[0-9]+|[0-9]+,([0-9]{1,2}|[0-9]{4,})"
    r"|[0-9],[0-9]+[eE][+-]?[0-9]+)"
)
_PARTED = re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?")
_LAKHS = re.compile(r"[+-]?[1-9][0-9]?(,[0-9]{2})*,[0-9]{3}(\.[0-9]*)?")
_SURELY_LAKHS = re.compile(r"[^,]*,[0-9]{2},.*")
_PAIRS = re.compile("(?<=[0-9])(?=([0-9]{2})+$)")
_SURELY_PARTED = re.compile(r".*,[0-9]{3}[,.].*")
_BELOW_1000 = re.compile(r"[+-]?(0|[1-9][0-9]{0,2})(\.[0-9]*)?")
_NEXT = re.compile(r"[+-]?[1-9],[0-9]{3}")
_HUNDREDS = re.compile(r"[+-]?[1-9][0-9]{2}")
# What may be more than a thousand, or less: 1,234. Behind some signs it is more; behind
# others there may be three decimals (€ 1,459 a litre), but not all with a zero last.
_EITHER = re.compile(r"[+-]?(0|[1-9][0-9]{0,2}(,[0-9]{3})?)")
_OF_THOUSANDS, _OF_MONEY = re.compile(rf"-?{OF_THOUSANDS}\W*#"), re.compile(SIGN)
_POINTED = re.compile(r"^([+-]?)\.")
_BRACKETS = re.compile(r"([^()-]*)\(([^()-]*)\)|[^()-]*")
# So many different 1,234 beside a 567 are thousands, as not all have three decimals; so
# many different 70 kg are numbers, fewer may be names of levels; and so many of which
# some are in brackets have these for a minus.
_MANY = 20
# Fewer are thousands too beside so many times as many different ones of 100 to 999.
_TIMES_AS_MANY = 5
_DIGITS = re.compile(r"(short|(short )?\.[0-9]+f|\.[0-9]+f\+)?")
# What a layout of dates names, each once, and one of dates with times besides.
_DAY, _MONTH_ALONE, _TIMES = "Ydm", "Ym", ("HM", "HMS", "IMp", "IMSp")


class NumberLayout(NamedTuple):
    """See the head of this module.

    Attributes
    ----------
    around : str
        What is around a number, with # for it.
    comma : bool
    thousands : str
        Empty, ``thousands``, ``lakhs``, or another word for what parts them.
    digits : str
        Empty, ``short``, ``double``, both, or such as ``.2f``, ``short .2f`` and
        ``.7g``.
    brackets : bool
        Whether they stand for a minus.
    no_zero : bool
        Whether none is before the point.
    plus : str
        Empty, ``plus`` where one is before what is above 0, or ``plus-zero``.
    powers : str
        Empty, or such as ``0.00E+00 beyond 1e-4..1e11``: see `powers`.
    """

    around: str = "#"
    comma: bool = False
    thousands: str = ""
    digits: str = ""
    brackets: bool = False
    no_zero: bool = False
    plus: str = ""
    powers: str = ""

    @classmethod
    def parse(cls, text: str | None) -> NumberLayout:
        """Read a layout, the plain one of None; `str` undoes it."""
        found = _LAYOUT.fullmatch(text or "").groups()
        around, brackets, plus, comma, thousands, no_zero, digits, powers = found
        if around and "#" not in around:
            return cls(digits=text)  # another of Python's
        marks = bool(brackets), bool(no_zero), plus or "", powers or ""
        return cls(around or "#", bool(comma), thousands or "", digits or "", *marks)

    def __str__(self) -> str:
        around = self.around if self.around != "#" else ""
        signs = "brackets" * self.brackets, self.plus
        words = "comma" * self.comma, self.thousands, "no-zero" * self.no_zero
        last = self.digits, self.powers
        return " ".join(filter(None, (around, *signs, *words, *last)))

    @property
    def bare(self) -> NumberLayout:
        """The same digits and powers, as Python reads them."""
        return NumberLayout(digits=self.digits, powers=self.powers)

    @property
    def is_plain(self) -> bool:
        """Whether it writes numbers as Python reads them."""
        return self.bare == self

    def read(self, texts: list[str]) -> list[str] | None:
        """The numbers as Python reads them; None if a text is laid out otherwise."""
        signed = _signed(texts, "-#" in self.around) if self.brackets else texts
        if signed is None:
            return None
        bare = signed if self.around == "#" else _bare(signed, self.around)
        if bare is None:
            return None
        bare = [text.removeprefix("+") for text in bare] if self.plus else bare
        bare = [text.translate(_SWAPPED) for text in bare] if self.comma else bare
        bare = [_POINTED.sub(r"\g<1>0.", t) for t in bare] if self.no_zero else bare
        mark = _MARKS.get(self.thousands, "")
        if not self.thousands or mark:
            if any("," in text for text in bare):
                return None
            if not mark:
                return bare
            bare = [text.replace(mark, ",") for text in bare]
        ways = (_LAKHS if self.thousands == "lakhs" else _PARTED, _BELOW_1000)
        if not all(any(way.fullmatch(text) for way in ways) for text in bare):
            return None
        return [text.replace(",", "") for text in bare]

    def write(self, text: str) -> str:
        """A number, as Python writes it, in this layout."""
        if "e" in text and not self.powers:
            text = format(Decimal(text), "f")
        sign = "-" if text.startswith("-") else ""
        if self.plus and not sign and (text.strip("0.") or self.plus == "plus-zero"):
            sign = "+"
        whole, point, decimals = text.removeprefix("-").partition(".")
        if self.thousands and whole.isdigit():
            whole = self._parted(int(whole))
        if self.no_zero and decimals and whole == "0":
            whole = ""
        text = whole + point + decimals
        if self.comma:
            text = text.translate(_SWAPPED)
        if "-#" in self.around:
            return self.around.replace("-#", self._signed(text, sign))
        return self._signed(self.around.replace("#", text), sign)

    def _parted(self, number):
        text = f"{number:,}"
        if self.thousands != "lakhs":
            return text.replace(",", _MARKS.get(self.thousands, ","))
        above, comma, below = text.rpartition(",")
        return _PAIRS.sub(",", above.replace(",", "")) + comma + below

    def _signed(self, text, sign):
        return f"({text})" if sign == "-" and self.brackets else sign + text


def find_layout(texts: list[str]) -> NumberLayout | None:
    """The layout of some numbers, but for their digits; None where it is not sure.

    Parameters
    ----------
    texts : list of str
        Different ones; that they are numbers is not checked.
    """
    found = _find_marks(texts)
    plain = None if found is None else found.read(texts)
    if plain is None:
        return found
    bare = [text.lstrip("+-") for text in plain]
    points = any(t.startswith(".") for t in bare)
    return found._replace(
        no_zero=points and not any(t.startswith("0.") for t in bare),
        plus=_find_plus(plain),
    )


def _find_plus(texts):
    """Which of some numbers have a plus: none, those above 0, or 0 too."""
    others = [text for text in texts if not text.startswith("-")]
    positive = [text for text in others if text.strip("+0.")]
    if not positive or not all(text.startswith("+") for text in positive):
        return ""
    has_zeros = len(others) > len(positive)
    is_all = has_zeros and all(text.startswith("+") for text in others)
    return "plus-zero" if is_all else "plus"


def _find_marks(texts):
    """The layout of some numbers, but for their digits and zeros."""
    in_brackets = sum("(" in text for text in texts)
    if in_brackets:
        if len(texts) < _MANY or in_brackets == len(texts):
            return None
        for inside in (False, True):
            signed = _signed(texts, inside)
            found = None if signed is None else _find_marks(signed)
            if found is not None and ("-#" in found.around) == inside:
                return found._replace(brackets=True)
        return None
    around = _around(texts)
    unit = around.replace("-#", "#").replace("#", "").strip(f"{SIGNS}% \u00a0\u202f")
    is_said = NumberLayout.parse(around) == NumberLayout(around)
    if unit and (len(texts) < _MANY or not is_said):
        return None
    bare = texts if around == "#" else _bare(texts, around)
    has_commas = any("," in text for text in bare)
    marked = [word for word, mark in _MARKS.items() if any(mark in t for t in bare)]
    if marked:
        return _find_marked(around, bare, has_commas, marked)
    if not has_commas and not any(text.count(".") > 1 for text in bare):
        return NumberLayout(around)
    swapped = [text.translate(_SWAPPED) for text in bare]
    if has_commas and _are_parted(bare):
        return NumberLayout(around, thousands="thousands")
    if _are_parted(swapped):
        return NumberLayout(around, comma=True, thousands="thousands")
    if _are_lakhs(bare):
        return NumberLayout(around, thousands="lakhs")
    if not any("." in t for t in bare) and any(map(_NO_THOUSANDS.fullmatch, bare)):
        return NumberLayout(around, comma=True)
    if _are_amounts(around, bare):
        return NumberLayout(around, thousands="thousands")
    return None


def _are_amounts(around, bare):
    """Whether what is around numbers, or how they end, says that commas part them."""
    if not all(map(_EITHER.fullmatch, bare)):
        return False
    end_on_zero = len(bare) >= _MANY and all(text.endswith("0") for text in bare)
    is_money = _OF_MONEY.search(around) is not None
    return _OF_THOUSANDS.match(around) is not None or (is_money and end_on_zero)


def either_layout(texts: list[str]) -> tuple[NumberLayout, NumberLayout] | None:
    """The two layouts of numbers that are all like 1,234, where nothing says which.

    Parameters
    ----------
    texts : list of str
        Different ones.

    Returns
    -------
    tuple of NumberLayout, or None
        With thousands, and with a decimal comma; None of others, or of few, which may
        be names of levels.

    Examples
    --------
    >>> [str(own) for own in either_layout([f"{i},250" for i in range(1, 30)])]
    ['thousands', 'comma']
    >>> either_layout([f"{i},25" for i in range(1, 30)]) is None
    True
    """
    if len(texts) < _MANY:
        return None
    around = _around(texts)
    bare = texts if around == "#" else _bare(texts, around)
    if not all(map(_EITHER.fullmatch, bare)) or find_layout(texts) is not None:
        return None
    either = NumberLayout(around)
    return either._replace(thousands="thousands"), either._replace(comma=True)


def _signed(texts, inside):
    """Numbers with a minus for brackets; None where they are set otherwise.

    Brackets are around all, or inside what is before a number.
    """
    matches = [_BRACKETS.fullmatch(text) for text in texts]
    if not all(m and (m[1] is None or bool(m[1]) == inside) for m in matches):
        return None
    return [m[0] if m[1] is None else f"{m[1]}-{m[2]}" for m in matches]


def _find_marked(around, bare, has_commas, marked):
    """The layout of numbers whose thousands a blank or an apostrophe parts, or None."""
    word, *others = marked
    if others or (has_commas and any("." in text for text in bare)):
        return None
    as_commas = str.maketrans({",": ".", _MARKS[word]: ","})
    if not _are_parted(text.translate(as_commas) for text in bare):
        return None
    return NumberLayout(around, comma=has_commas, thousands=word)


def _around(texts):
    """What is around all of some numbers; # alone if that differs."""
    first = _SIGNED.fullmatch(texts[0])
    around = "#" if first is None else f"{first['before']}#{first['after']}"
    if around == "#":
        return around
    both = (own for own in (around, around.replace("#", "-#")) if _bare(texts, own))
    return next(both, "#")


def _bare(texts, around):
    """Numbers without what is around them; None if that is not so of all."""
    matches = [_SIGNED.fullmatch(text) for text in texts]
    ends, other = around.replace("-#", "#"), "first" if "-#" in around else "sign"
    if not all(
        m and f"{m['before']}#{m['after']}" == ends and not m[other] for m in matches
    ):
        return None
    return [m["first"] + m["sign"] + m["number"] for m in matches]


def _are_parted(texts):
    """Whether commas part thousands: surely, or in so many numbers.

    Or, of few below 10,000, beside so many of 100 to 999: others than those that end in
    three decimals would have decimals too, and lists of two codes have longer ones.
    """
    n_parted, n_next, n_hundreds = 0, 0, 0
    is_sure, has_whole_below = False, False
    for text in texts:
        if _PARTED.fullmatch(text):
            n_parted += 1
            n_next += _NEXT.fullmatch(text) is not None
            is_sure = is_sure or _SURELY_PARTED.fullmatch(text) is not None
        elif _BELOW_1000.fullmatch(text):
            has_whole_below = has_whole_below or "." not in text
            n_hundreds += _HUNDREDS.fullmatch(text) is not None
        else:  # the first text that is no number says so
            return False
    are_next = n_parted == n_next > 0
    if are_next and n_hundreds >= max(_MANY, _TIMES_AS_MANY * n_parted):
        return True
    return is_sure or (n_parted >= _MANY and has_whole_below)


def _are_lakhs(texts):
    """Whether commas part thousands and hundreds of these, surely in some numbers."""
    ways = _LAKHS, _BELOW_1000
    are_numbers = all(any(way.fullmatch(text) for way in ways) for text in texts)
    return are_numbers and any(map(_SURELY_LAKHS.fullmatch, texts))


def is_number_layout(layout: str) -> bool:
    """Whether a text is a layout of numbers: see `NumberLayout`."""
    found = NumberLayout.parse(layout)
    is_known = _DIGITS.fullmatch(found.digits) is not None and not found.powers
    return str(found) == layout and is_known


def writes_numbers(layout: str) -> bool:
    """Whether numbers can be written by it: a layout, or a format of Python's own."""
    digits = NumberLayout.parse(layout).digits.removesuffix("+")
    if {"short", "double"}.issuperset(digits.split()):
        return True
    try:
        with_digits(0.5, digits)
    except ValueError:
        return False
    return True


def is_date_layout(layout: str, *, timed: bool) -> bool:
    """Whether a text is a strftime pattern of days, or of days with times."""
    known = [_DAY + time for time in _TIMES] if timed else [_DAY, _MONTH_ALONE]
    orders = [sorted(own) for own in known]
    return all(_named_in(own) in orders for own in layouts_in(layout))


def _named_in(layout):
    """What the pattern of a date names, sorted; months by name as those by number."""
    pattern = re.sub("%[aA],? ", "", padded(in_full(layout)[0]))
    pattern = re.sub("%[bB]", "%m", pattern)
    return sorted(re.findall("%(.)", pattern))


def number_parser(layout: str | None) -> Callable[[str], Decimal | None]:
    """The rule that tells the number of a text, or None."""
    if layout is None:
        return parse_number
    read = NumberLayout.parse(layout).read

    def parse(text: str) -> Decimal | None:
        found = read([text])
        return None if found is None else parse_number(found[0])

    return parse


def number_writer(layout: str, digits: str = "") -> Callable[[str], str]:
    """The rule that lays out a number as Python writes it.

    Parameters
    ----------
    layout : str
    digits : str, default=""
        Such as ``.2f``, where the layout says none.
    """
    found = NumberLayout.parse(layout)
    digits = found.digits or digits
    if digits.endswith("+"):
        return lambda text: found.write(with_decimals(Decimal(text), digits))
    return lambda text: found.write(with_digits(Decimal(text), digits))


def with_digits(value: float | Decimal, digits: str) -> str:
    """A number with some decimals, whole ones perhaps without.

    Examples
    --------
    >>> with_digits(12.5, "short .2f"), with_digits(12, "short .2f")
    ('12.50', '12')
    """
    short, _, own = digits.rpartition(" ")
    text = format(value, own if own != "short" else "")
    return text.removesuffix(format(0.0, own)[1:]) if short else text


def with_decimals(value: float | Decimal, digits: str) -> str:
    """A number with some decimals, or more where it has them.

    Examples
    --------
    >>> with_decimals(12.5, ".2f+"), with_decimals(0.125, ".2f+")
    ('12.50', '0.125')
    """
    text = format(value, digits.removesuffix("+"))
    return text if type(value)(text) == value else format(Decimal(str(value)), "f")


def date_parser(layout: str) -> Callable[[str], datetime.date | None]:
    """The rule that tells the date of a text, a datetime if it has a time, or None."""
    parsers = [_parser_of_one(own) for own in layouts_in(layout)]
    if len(parsers) == 1:
        return parsers[0]

    def parse_either(text: str) -> datetime.date | None:
        late, early = (parse(text) for parse in parsers)
        return early if late is None else late

    return parse_either


def _parser_of_one(layout):
    """`date_parser`, of one layout."""
    read, (layout, first) = datetime.datetime.strptime, in_full(layout)
    whole_days, layout = not has_hours(layout), padded(layout)

    def parse(text: str) -> datetime.date | None:
        if not text.isascii():
            return None
        try:
            found = read(text if first is None else with_century(text, first), layout)
        except ValueError:
            return None
        return found.date() if whole_days else found

    return parse
