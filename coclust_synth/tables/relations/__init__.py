"""What a schema can say of several columns together: the rules that rows respect.

A relation names its columns and nothing of their rows. Those of a table are found by
`coclust_synth.tables.rules`; a schema lists some under ``[[rules]]``. Fits tell one
column from others: `Fit`, `Bill`, `Quotient`, `Limited`, `Brackets`, `Cases`,
`AroundClock`, `Function`, `Share`, `DateOf`, `DatePart`, `Age`, `MonthsAfter` and
`Extreme`. The others say what may stand together in a row: `Order`, `Nested`,
`Dependence` and `Never`.

relation   what every relation has, and how its names and numbers are read
fits       columns that are a sum, or a product, of others
bills      columns that are a sum with products in it
quotients  columns that are a sum of others over a column
limits     columns that are a sum up to a limit
brackets   columns that are a line of another one in each of some brackets
cases      columns that are a sum or a product in rows of some values of another
clock      columns that are a sum around the clock
extremes   columns that are the largest of others, or how far two are apart
functions  columns that are a logarithm, a square, ... of one other
shares     columns that are one of some shares of another
days       parts of a date, and completed years, from days since 1970-01-01
dates      columns that are a date of its parts, or a part of a date, or an age
months     columns that are dates some months after others
together   what may stand together in a row: orders, and values of several columns
reading    relations from their JSON types, and whether several agree
"""

from coclust_synth.tables.relations.bills import Bill
from coclust_synth.tables.relations.brackets import Brackets
from coclust_synth.tables.relations.cases import Cases
from coclust_synth.tables.relations.clock import AroundClock
from coclust_synth.tables.relations.dates import (
    COMPLETED,
    DATE_UNITS,
    Age,
    DateOf,
    DatePart,
)
from coclust_synth.tables.relations.days import DATE_PARTS, IN_A_DAY, completed_years
from coclust_synth.tables.relations.extremes import Extreme
from coclust_synth.tables.relations.fits import Fit
from coclust_synth.tables.relations.functions import FUNCTIONS, Function
from coclust_synth.tables.relations.limits import Limited
from coclust_synth.tables.relations.months import MonthsAfter
from coclust_synth.tables.relations.quotients import Quotient
from coclust_synth.tables.relations.reading import check_relations, relation_from_dict
from coclust_synth.tables.relations.relation import Relation
from coclust_synth.tables.relations.shares import Share
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
    "Age",
    "AroundClock",
    "Bill",
    "Brackets",
    "Cases",
    "DateOf",
    "DatePart",
    "Dependence",
    "Extreme",
    "Fit",
    "Function",
    "Limited",
    "MonthsAfter",
    "Nested",
    "Never",
    "Order",
    "Quotient",
    "Relation",
    "Share",
    "check_relations",
    "completed_years",
    "never_text",
    "relation_from_dict",
]
