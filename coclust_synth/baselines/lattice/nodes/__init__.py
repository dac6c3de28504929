"""What a node of the lattice is: a level for each column, its classes and its loss.

lattice      nodes, and their neighbours
table        the classes of a node, counted; feasibility: whether they hold
known        what nodes that were checked tell of those below and above
quality      what a node costs
problem      all of it, as searches take it
"""
