"""How the numbers and dates of a part spread, so that new ones are drawn alike.

laws               runs inside of an interval; open_runs: the first and the last of all
grains, endings    how round numbers are, and which last digits they have; multiples: of
                   which round steps; holders: how many persons have of these
units              of which other unit they are whole numbers
calendars          on which days dates fall; and months, weekdays and hours of these;
                   learnt_calendars: as a table has them, by days_of_runs; eras: of
                   dates whose habits change with time
"""
