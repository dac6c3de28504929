"""What holds in a table, column by column: found in it, kept in what is drawn.

found     the rules of a table: found, or those that its schema lists
evidence  a table as rules read it
compared  columns as numbers, and which of them is never above another
sums      columns of numbers that others tell: sums, products, shares, functions
pieces    such that are told in pieces: up to a limit, by brackets, by cases
fitting   how these are fitted to rows, and whether they hold in them
dates     columns of numbers that are parts of dates, or ages
durations columns of numbers that are a product with durations
months    columns of dates that are some months after others
values    what the values of some columns tell of those of another
undoing   rules that tell what was changed from what stays
steps     rows of one person: what stays, what orders them

What a rule is, in names of columns, is in `coclust_synth.tables.relations`.
"""
