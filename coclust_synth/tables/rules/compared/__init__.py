"""Columns as they are compared.

numbers  columns as comparable numbers; bins: and as ranges of these, or categories
orders   columns of which one is never above the other
"""
