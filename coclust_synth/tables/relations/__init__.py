"""What a schema can say of several columns together: the rules that rows respect.

A relation names its columns and nothing of their rows. Those of a table are found by
`coclust_synth.tables.rules`; a schema lists some under ``[[rules]]``. Fits tell one
column from others: `Fit`, `Bill`, `Cases`, `Count`, `Function`, `Mean`, `Rate`,
`Share`, `SumOfKnown`, `DateOf`, `DatePart`, `Age`, `MonthsAfter` and `DayOf`. The
others say what may stand together in a row: `Order`, `Nested`, `Dependence` and
`Never`.

formula      what every relation has, and how its names and numbers are read
sums         columns that are a sum or product of others, or a bill: both
functions    columns that are a function or share of one other, or of several
cases        such as the value of a column says which
dates        columns that are a date of its parts or some months or days after
             another, a part of a date, or an age
days         parts of dates, and completed years, from days since 1970-01-01
together     what may stand together in a row: orders, values of several columns
reading      relations from their JSON types, and whether several agree
"""

from coclust_synth.tables.relations.cases import Cases
from coclust_synth.tables.relations.dates import (
    COMPLETED,
    DATE_UNITS,
    UNITS_BETWEEN,
    Age,
    DateOf,
    DatePart,
    DayOf,
    MonthsAfter,
)
from coclust_synth.tables.relations.days import DATE_PARTS, IN_A_DAY, completed_years
from coclust_synth.tables.relations.formula import Formula, Relation
from coclust_synth.tables.relations.functions import (
    FUNCTIONS,
    Count,
    Function,
    Rate,
    Share,
)
from coclust_synth.tables.relations.reading import check_relations, relation_from_dict
from coclust_synth.tables.relations.sums import Bill, Fit, Mean, SumOfKnown
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
    "Bill",
    "Cases",
    "Count",
    "DateOf",
    "DatePart",
    "DayOf",
    "Dependence",
    "Fit",
    "Formula",
    "Function",
    "Mean",
    "MonthsAfter",
    "Nested",
    "Never",
    "Order",
    "Rate",
    "Relation",
    "Share",
    "SumOfKnown",
    "check_relations",
    "completed_years",
    "never_text",
    "relation_from_dict",
]
