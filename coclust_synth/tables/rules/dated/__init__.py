"""Columns of dates, or of parts of dates, that others tell.

dates    columns of numbers that are parts of dates, or ages; dates of their parts
lengths  columns of dates some days after others; products with durations
"""
