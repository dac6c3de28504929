"""What a schema can say of several columns together: the rules that rows respect.

A relation names its columns and nothing of their rows. Those of a table are found by
`coclust_synth.tables.rules`; a schema lists some under ``[[rules]]``. Fits tell one
column from others: `Fit`, `Bill`, `Quotient`, `Limited`, `LimitedBill`, `Capped`,
`Brackets`, `Cases`, `Count`, `AroundClock`, `Function`, `Share`, `SumOfKnown`,
`DateOf`, `DatePart`, `Age`, `MonthsAfter`, `DayOf` and `Extreme`. The others say what
may stand together in a row: `Order`, `Nested`, `Dependence` and `Never`.

common    what every relation has, and how its names and numbers are read
sums      columns of numbers that others tell: sums, products, shares, functions
pieces    such that are told in pieces: up to a limit, by brackets, by cases
dated     columns of dates, or of parts of dates, that others tell
together  what may stand together in a row: orders, and values of several columns
reading   relations from their JSON types, and whether several agree
"""

from coclust_synth.tables.relations.common.formula import Formula
from coclust_synth.tables.relations.common.relation import Relation
from coclust_synth.tables.relations.dated.dates import (
    COMPLETED,
    DATE_UNITS,
    UNITS_BETWEEN,
    Age,
    DateOf,
    DatePart,
)
from coclust_synth.tables.relations.dated.day_of import DayOf
from coclust_synth.tables.relations.dated.days import (
    DATE_PARTS,
    IN_A_DAY,
    completed_years,
)
from coclust_synth.tables.relations.dated.months import MonthsAfter
from coclust_synth.tables.relations.pieces.brackets import Brackets
from coclust_synth.tables.relations.pieces.capped import Capped
from coclust_synth.tables.relations.pieces.cases import Cases
from coclust_synth.tables.relations.pieces.limits import Limited, LimitedBill
from coclust_synth.tables.relations.reading import check_relations, relation_from_dict
from coclust_synth.tables.relations.sums.around_clock import AroundClock
from coclust_synth.tables.relations.sums.bills import Bill
from coclust_synth.tables.relations.sums.counts import Count
from coclust_synth.tables.relations.sums.extremes import Extreme
from coclust_synth.tables.relations.sums.fits import Fit
from coclust_synth.tables.relations.sums.functions import FUNCTIONS, Function
from coclust_synth.tables.relations.sums.known import SumOfKnown
from coclust_synth.tables.relations.sums.quotients import Quotient
from coclust_synth.tables.relations.sums.shares import Share
from coclust_synth.tables.relations.together import (
    Dependence,
    Nested,
    Never,
    Order,
    never_text,
)

__all__ = [
    "COMPLETED",
    "DATE_PARTS",
    "DATE_UNITS",
    "FUNCTIONS",
    "IN_A_DAY",
    "UNITS_BETWEEN",
    "Age",
    "AroundClock",
    "Bill",
    "Brackets",
    "Capped",
    "Cases",
    "Count",
    "DateOf",
    "DatePart",
    "DayOf",
    "Dependence",
    "Extreme",
    "Fit",
    "Formula",
    "Function",
    "Limited",
    "LimitedBill",
    "MonthsAfter",
    "Nested",
    "Never",
    "Order",
    "Quotient",
    "Relation",
    "Share",
    "SumOfKnown",
    "check_relations",
    "completed_years",
    "never_text",
    "relation_from_dict",
]
