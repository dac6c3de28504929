"""Columns of dates, or of parts of dates, that others tell.

days    parts of a date, and completed years, from days since 1970-01-01
dates   columns that are a date of its parts, or a part of a date, or an age
months  columns that are dates some months after others
day_of  columns of dates on a day that others tell, at any hour
"""
