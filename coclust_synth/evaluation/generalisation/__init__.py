"""What generalised tables lost.

losses       by cell and by class
hierarchies  how high in them labels are, and how far two of a column agree
"""
