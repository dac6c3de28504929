"""Words of units, which say so in capitals too: 20 KG, 5 Mbit, 3 Std.

Small letters tell a unit from a name; of words that begin with a capital only those
that are listed here are none: hours and pieces, not Oak or Meier.
"""

_MEASURES = """
mg mcg µg kg lb lbs oz ml cl dl mm cm km ft yd kw kwh mw mwh kwp hp ps bhp rpm nm bar
psi hpa kcal kj kb mb gb tb mhz ghz dpi px
bit bits byte bytes gramm gram grams liter litre liters litres meter metre meters metres
tonne tonnen tonnes volt watt ampere
"""
_TIMES = """
sec secs second seconds sek sekunde sekunden min mins minute minutes minuten
hr hrs hour hours std stunde stunden heure heures day days tag tage tagen jour jours
wk wks week weeks woche wochen semaine semaines month months monat monate
monaten mois yr yrs year years jahr jahre jahren ans
"""
_PIECES = """
stk stck stück pcs piece pieces pkg pck tab tabl tabs tablet tablets tabletten caps amp
tropfen drops dose doses dosen eur usd gbp chf
"""
_WORDS = frozenset(f"{_MEASURES} {_TIMES} {_PIECES}".split())
_PREFIXES = frozenset("kKMGT")


def is_word_of_unit(word: str) -> bool:
    """Whether a word is one of a unit, in any letters, perhaps behind a prefix.

    Parameters
    ----------
    word : str
        Letters.

    Examples
    --------
    >>> [is_word_of_unit(word) for word in ("KG", "Mbit", "Std", "Oak")]
    [True, True, True, False]
    """
    return word.lower() in _WORDS or (word[0] in _PREFIXES and word[1:] in _WORDS)
