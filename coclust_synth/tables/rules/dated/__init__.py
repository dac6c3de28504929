"""Columns of dates, or of parts of dates, that others tell.

dates       columns of numbers that are parts of dates, or ages; dates of their parts
months      columns of dates that are some months after others
days_after  columns of dates that are some days after others, at any hour
durations   columns of numbers that are a product with durations
"""
