"""Numbers and dates that are compared.

numbers     columns as comparable numbers
orders      columns of which one is never above the other
conditions  what is asked of rows that are drawn, as people write it
"""
