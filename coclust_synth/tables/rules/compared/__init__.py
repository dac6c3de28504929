"""Numbers and dates that are compared.

numbers  columns as comparable numbers
orders   columns of which one is never above the other
"""
