"""What a node of the lattice is: a level for each column, its classes and its loss.

lattice      nodes, and their neighbours
table        the classes of a node, counted
quality      what a node costs
problem      whether its classes hold, and all of it as searches take it
"""
