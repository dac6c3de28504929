"""Columns of dates beside others.

date_features  the parts of dates that columns go with
drawn_dates    dates that have them, and that are on their calendar where another nearly
               tells them
days_to_dates  days after a date, on the calendar of the date that they tell
distances      how far two dates are apart
eras           dates whose habits change with time
following      the rows of a person after one another
seasons        in which months they come
"""
