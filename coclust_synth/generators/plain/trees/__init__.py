"""A tree: of which leaf of a table a column is drawn.

column_tree  how one column depends on others, and what each leaf holds
trees        one tree, grown
orders       in which order it puts the codes of a column
pairs        few rows that two columns tell together, set apart before it is grown
screening    whether anything tells a column at all; if not, leaves are large
mostly       columns that others tell but for more slips than a rule has
coarser      the same trees over merged clusters
"""
