"""What holds in a table, column by column: found in it, kept in what is drawn.

fits          columns that are about a sum, or a product, of others
orders        columns of which one is never above the other
combinations  values of two columns that never meet
conditions    what is asked of rows that are drawn, as people write it
numbers       columns as comparable numbers
"""
