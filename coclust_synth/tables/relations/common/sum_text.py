"""Sums of columns as text."""


def sum_text(terms, constant):
    """A sum of names, each with its factor, as text."""
    terms = sorted(terms, key=lambda term: term[1] < 0)
    terms = [f"{'+' if c > 0 else '-'} {_times(abs(c), p)}" for p, c in terms]
    text = " ".join(terms).removeprefix("+ ")
    end = f" {'+' if constant > 0 else '-'} {abs(constant):g}"
    return f"{text}{end if constant else ''}"


def _times(factor, name):
    """A term of a sum as text: a sixth, or an hour of a day, is written as a share."""
    over = float(f"{1 / factor:g}")
    if factor == 1 / over and factor != float(f"{factor:g}"):
        return f"{name} / {over:g}"
    return name if factor == 1 else f"{factor:g} * {name}"
