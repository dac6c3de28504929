"""What is asked of rows: comparisons of columns with values, and between columns.

A condition is written as people write it, and conditions are parted by commas::

    given       comparison ("," comparison)*
    comparison  column operator value
    where       relation ("," relation)*
    relation    comparison | sum operator sum
    sum         ["-"] product (("+" | "-") product)*
    product     factor ("*" factor)*
    factor      column | number | date
    operator    "=" | "==" | "!=" | "<" | "<=" | ">" | ">="

A value is a category, a number or a date; nothing, or a missing mark of the column, is
a missing value. A missing value meets no other condition. In a sum dates are days; one
that no column has (2020-12-31) is read where the relation names a column of dates.
Names and values that hold an operator or a comma stand between quotes; a quote behind a
letter opens none, as in it's. Nothing is evaluated but these.

comparisons  what rows meet: of a column and a value, of two sums, of two texts
parsing      how a condition is read
"""
