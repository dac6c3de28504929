"""Signs and names of money: $, ₹, R$, US $, Rs., USD.

Where 1,234 alone may be more than a thousand or less, some of them say which.
"""

#: All signs: those of Unicode's block of them, where € and ₹ are, and older ones.
SIGNS = "$£¥" + "".join(map(chr, range(0x20A0, 0x20D0)))
#: Patterns of a sign, and of a sign or a name of money before a number.
SIGN = f"[{SIGNS}]"
_NAMES = """
AED AUD BRL CAD CHF CNY CZK DKK EGP EUR GBP HKD HUF IDR ILS INR JPY KES KRW MXN MYR NGN
NOK NZD PHP PKR PLN RON RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR Kč Kr Ksh RM Rp Rs
kr zł
"""
BEFORE = rf"(?:(?:[A-Z]{{1,3}} ?)?{SIGN}|(?:{'|'.join(_NAMES.split())})\.?)"
#: Of which a comma parts thousands, before a number: € 1,459 and R$ 5,599 a litre have
#: three decimals.
OF_THOUSANDS = r"(?:(?!R\$)(?:[A-Z]{1,3} ?)?[$£¥₦₩₱₹]|(?:AUD|CAD|GBP|INR|Rs|USD)\.?)"
