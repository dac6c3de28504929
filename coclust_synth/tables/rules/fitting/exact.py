"""Sums and products of columns that tell another one exactly, in all rows."""

from coclust_synth.tables.rules.fitting.digits import settle
from coclust_synth.tables.rules.fitting.regressions import sample_of
from coclust_synth.tables.rules.fitting.scales import Scale


def exact_sums(target, numbers, ruler, banned, told=()):
    """Sums of some columns that tell another exactly.

    Parameters
    ----------
    target : str
    numbers : mapping of str to ndarray of float64, shape (n,)
        nan where missing.
    ruler : Ruler
        Of the target.
    banned : set of str
        Columns that it may not be told from.
    told : collection of str, default=()
        Columns that are sums of others themselves: no sum of many is of these, beside
        what they are the sum of.

    Yields
    ------
    Fit
    """
    sample = sample_of(numbers)
    if target not in sample:
        return
    scale = Scale.of(target, ruler, sample, banned, logarithms=False)
    for tried, parents in scale.one_after_another():
        tried = tried if tried.is_exact else scale.together(parents)
        yield from _settled(tried, numbers, ruler)
    if scale.is_told():
        told = {(name, False) for name in told}
        for tried in (scale.all_at_once(told), scale.more_at_once(told)):
            yield from _settled(tried, numbers, ruler)


def exact_product(target, numbers, ruler, banned):
    """The product of some columns that tells another exactly.

    Parameters
    ----------
    target : str
    numbers : mapping of str to ndarray of float64, shape (n,)
        nan where missing; of no dates.
    ruler : Ruler
        Of the target.
    banned : set of str
        Columns that it may not be told from.

    Returns
    -------
    Fit or None
    """
    sample = sample_of(numbers)
    scale = Scale.of(target, ruler, sample, banned, logarithms=True)
    tried = scale.one_by_one()
    if not tried.is_exact:
        return None
    fit = settle(tried.fit, numbers, ruler)
    return None if fit.about else fit


def _settled(tried, numbers, ruler):
    """The fit of what was tried in a sample, if it is exact in all rows."""
    if tried.is_exact:
        fit = settle(tried.fit, numbers, ruler)
        if not fit.about:
            yield fit
