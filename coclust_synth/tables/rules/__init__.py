"""How rules are found in a table, and whether its rows respect them.

What a rule says, in names of columns, is a relation (`coclust_synth.tables.relations`):
each has a search, that of `Bill` in `sums/bills.py`, and so on. Searches of sums look
at `Columns` (`sums/search.py`), know what is told already, and find relations of which
no column depends on itself through others.

found         the rules of a table, in the order they are looked for: start here
stated        those that a schema lists instead
measured      how many rows a rule is about, who says so, and how many rows break it
kept          a rule with these numbers, and all rules of a table
evidence      a table as the searches read it
sums          columns of numbers that others tell: sums, by cases too, means,
              products, shares, functions; few_amounts: sums and one of a few amounts;
              slipping_sums: of two others, dates too, in half of the rows
dates         columns of dates, or of parts of dates, that others tell; near_dates: by
              how long after another they are, in fewer bits (spacings)
values        what the values of some columns tell of those of another
compared      columns as numbers, and which of them is never above another
between_rows  rows of one person: what stays, what orders them, what counts on
fitting       how what tells a column of numbers is fitted, and whether it holds
undoing       rules that tell what was changed from what stays: warned of, not kept
"""
