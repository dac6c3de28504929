"""k-anonymous tables by cuts of the hierarchies: nodes of several levels in a column.

anonymizer  one face for both searches
worth       what the children of a node tell that the node does not, and which is taken
table       the distinct rows, what is asked of their classes, and hierarchies as trees
searches    from the roots to children, and from the values to their parents
"""
