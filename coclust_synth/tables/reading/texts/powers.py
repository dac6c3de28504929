"""Numbers that programs write with a power of ten: 1.23765E+18, 8.96e-06, 1.0E-7.

How a column has them is a text such as ``0.00E+00 beyond 1e-4..1e11``, in the words of
a spreadsheet: two decimals before the power (``0.0##``: one to three), a capital E, a
plus before powers above 0 (``-``: none), two digits at least; and which numbers have
one: those that are not from 1e-4 to below 1e11, ``shorter`` (where this takes fewer
characters), or all, where nothing is said.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

# The text of `Powers`.
PATTERN = r"0(?:\.0*#*)?[eE][+-]0+(?: shorter| beyond 1e-?[0-9]+\.\.1e[0-9]+)?"
_PARTS = re.compile(
    r"0\.?(0*)(#*)([eE])([+-])(0+)(?: (?:(shorter)|beyond 1e(-?[0-9]+)\.\.1e([0-9]+)))?"
)
_WITH_POWER = re.compile(r"[+-]?[0-9](?:\.([0-9]+))?([eE])([+-]?)([0-9]+)")
# Below which power of ten, and from which on, programs write one: spreadsheets, Python,
# C, Java and JavaScript. Which of these it is tells nothing of one number, as a limit
# between the least with a power and the largest without would.
_SPREADSHEET, _PYTHON = (-4, 11), (-4, 16)
_OTHERS = ((-4, 6), (-3, 7), (-6, 21))
# Numbers that have a power, at least, unless all have: of fewer nothing is told. And
# how many of both are looked at first.
_MANY, _FIRST = 20, 50


class Powers(NamedTuple):
    """See the head of this module.

    Attributes
    ----------
    least, most : int
        Decimals before the power.
    mark : {"e", "E"}
    plus : bool
    digits : int
        Of the power, at least.
    beyond : (int, int) or None
        Powers of ten.
    shorter : bool
    """

    least: int
    most: int
    mark: str
    plus: bool
    digits: int
    beyond: tuple[int, int] | None = None
    shorter: bool = False

    @classmethod
    def parse(cls, text: str) -> Powers:
        """Read a text that `PATTERN` matches; `str` undoes it."""
        zeros, more, mark, sign, digits, shorter, low, high = _PARTS.fullmatch(
            text
        ).groups()
        beyond = None if low is None else (int(low), int(high))
        most = len(zeros + more)
        return cls(
            len(zeros), most, mark, sign == "+", len(digits), beyond, bool(shorter)
        )

    def __str__(self) -> str:
        decimals = "0" * self.least + "#" * (self.most - self.least)
        sign = "+" if self.plus else "-"
        text = f"0{'.' * bool(decimals)}{decimals}{self.mark}{sign}{'0' * self.digits}"
        if self.beyond is not None:
            return f"{text} beyond 1e{self.beyond[0]}..1e{self.beyond[1]}"
        return f"{text} shorter" if self.shorter else text

    @property
    def is_python(self) -> bool:
        """Whether Python writes them so anyhow."""
        spelt = self.least, self.mark, self.plus, self.digits, self.beyond
        return spelt == (0, "e", True, 2, _PYTHON)

    def write(self, value: float, plain: str) -> str:
        """A number with its power, or as it is without one.

        Parameters
        ----------
        value : float
        plain : str
            As it is written without one, or by Python.

        Examples
        --------
        >>> powers = Powers.parse("0.0##E+00 beyond 1e-4..1e11")
        >>> powers.write(2e11, "2e+11"), powers.write(-3.14159e-5, "-0.0000314159")
        ('2.0E+11', '-3.142E-05')
        >>> powers.write(0.25, "0.25"), powers.write(1e10, "1e+10")
        ('0.25', '10000000000')
        """
        exact = Decimal(plain)
        laid_out = format(exact, "f") if "e" in plain.lower() else plain
        if not self._has_power(exact):
            return laid_out
        digits = len(exact.normalize().as_tuple().digits)
        most = digits - 1 if self.shorter else self.most
        mantissa, _, power = f"{value:.{most}e}".partition("e")
        whole, _, decimals = mantissa.partition(".")
        decimals = decimals.rstrip("0").ljust(self.least, "0")
        sign = "-" if power.startswith("-") else "+" * self.plus
        power = power.lstrip("+-0").zfill(self.digits)
        written = f"{whole}{'.' * bool(decimals)}{decimals}{self.mark}{sign}{power}"
        is_longer = self.shorter and len(written) >= len(laid_out)
        return laid_out if is_longer else written

    def _has_power(self, exact):
        if self.beyond is None:
            return True
        low, high = self.beyond
        return bool(exact) and not low <= exact.adjusted() < high


def find_powers(texts: list[str]) -> Powers | None:
    """How numbers are written with powers of ten; None where few of several have one.

    None too where they are written in several ways, or none that is known tells which
    of them have a power.

    Parameters
    ----------
    texts : list of str
        Different numbers, but for infinite ones, as Python reads them.

    Examples
    --------
    >>> small = [f"{n}.5E-05" for n in range(1, 10)]
    >>> str(find_powers(small))
    '0.#E+00 beyond 1e-4..1e11'
    >>> find_powers([*small, "0.5"]) is None
    True
    >>> more = [f"{n}.25E-07" for n in range(1, 10)]
    >>> str(find_powers([*small, *more, "1E-09", "2E+11", "0.5"]))
    '0.##E+00 beyond 1e-4..1e11'
    """
    with_power = [text for text in texts if "e" in text.lower()]
    found = [_WITH_POWER.fullmatch(text) for text in with_power]
    if not found or len(found) < min(_MANY, len(texts)) or None in found:
        return None
    decimals, marks, signs, powers = zip(*(m.groups("") for m in found), strict=True)
    digits, n_decimals = min(map(len, powers)), [*map(len, decimals)]
    least = min((len(own) for own in decimals if own.endswith("0")), default=0)
    above = {sign for sign in signs if sign != "-"}
    plus = above == {"+"} or (not above and (digits > 1 or marks[0] == "e"))
    own = Powers(least, max(n_decimals), marks[0], plus, digits)
    usual = (_SPREADSHEET, _PYTHON) if own.mark == "E" else (_PYTHON, _SPREADSHEET)
    tried = [own._replace(beyond=beyond) for beyond in (*usual, *_OTHERS)]
    tried += [own._replace(shorter=True), own]
    without = [text for text in texts if "e" not in text.lower()]
    first = [*with_power[:_FIRST], *without[:_FIRST]]
    likely = (each for each in tried if _is_so(each, first))
    return next((each for each in likely if _is_so(each, texts)), None)


def _is_so(powers, texts):
    """Whether numbers are written so."""
    numbers = [*map(float, texts)]
    plain = (
        format(Decimal(repr(number)), "f") if "e" in text.lower() else text
        for number, text in zip(numbers, texts, strict=True)
    )
    written = map(powers.write, numbers, plain)
    return all(own == text for own, text in zip(written, texts, strict=True))
