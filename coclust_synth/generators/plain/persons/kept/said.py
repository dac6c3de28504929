"""What rules of rows after the first say, in words."""

from coclust_synth.generators.plain.persons.kept.known_before import LEFT, in_words
from coclust_synth.generators.plain.persons.kept.person_starts import said_of_starts
from coclust_synth.tables.relations import Cases, Dependence, Fit, Never


def said_of_row_before(rules, row_before="the row before"):
    """What the row before, or a number of the person, tells exactly, in words.

    Of rules of rows after the first.
    """
    told = [rule.relation for rule in rules.all]
    lags = (own for own in told if isinstance(own, Dependence))
    said = [
        *(str(fit) for fit in told if isinstance(fit, Fit | Cases) and not fit.about),
        *(f"{own.target} = {', '.join(own.parents)}" for own in lags),
    ]
    return *said_of_starts(told), *in_words(said, row_before)


def said_of_last_row(rules):
    """Of rules of rows after the first, what goes with the last row, in words."""
    told = (rule.relation for rule in rules.all)
    return tuple(
        str(own) for own in told if isinstance(own, Never) and own.first == LEFT
    )
