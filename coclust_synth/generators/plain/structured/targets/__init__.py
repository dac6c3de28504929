"""What the trees of columns are grown for, and in which order.

codes      codes of a column, and how many of each there are; order: which column is
           drawn after which
residuals  what is left of a column that others tell; rated: what is drawn as a rate
"""
