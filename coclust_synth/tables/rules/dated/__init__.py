"""Columns of dates, or of parts of dates, that others tell.

dates      columns of numbers that are parts of dates, or ages; dates of their parts
months     columns of dates that are some months after others
durations  columns of numbers that are a product with durations
"""
