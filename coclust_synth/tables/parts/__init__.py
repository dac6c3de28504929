"""Columns in parts: categories, intervals, atoms, and the laws inside of them.

coding             rows into codes of parts, and back; fine: finer codings
parts, cuts        of one column, and where numbers are cut; laws: inside of them
atoms              values and runs that 20 hold; open_runs, spreads: laws inside
grains, endings    how round numbers are, and which last digits they have
calendars          on which days dates fall; date_parts: months, weekdays and hours
released           a table that describes no few; rare, rare_numbers: what they hold
spelt              texts that are the numbers of another column
"""
