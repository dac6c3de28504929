"""What generalised tables lost.

losses       by cell and by class
recoding     how high in their hierarchies labels are
hierarchies  how far two hierarchies of a column agree
"""
