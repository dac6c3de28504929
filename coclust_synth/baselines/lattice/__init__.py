"""k-anonymous tables by global recoding, one level of a hierarchy for each column.

anonymizer        one face for all searches
lattice           nodes, a level for each column, and their neighbours
table             the classes of a node, counted
quality           what a node costs
problem           whether its classes hold, and all of it as searches take it
published         Flash, Incognito, Samarati's, Datafly
branch_and_bound  the optimum, proved
checks            nodes looked at, what they tell, and their budget
"""
