"""How a relation of numbers is fitted to rows, and whether it holds in them.

few_rows     a first look at which columns others tell
scales       the sums or products that tell one column
exact        those that tell it exactly, in all rows
savings      how much of it they tell
products     which products tell what a sum leaves
regressions  the coefficients of these
digits       to how many digits they are told
rounding     what rounding leaves
holding      whether what is said holds in nearly all rows
dependants   which columns are told from others
"""
