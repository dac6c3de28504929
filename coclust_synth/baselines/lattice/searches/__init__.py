"""Ways through the lattice of full-domain generalisations.

flash, incognito, samarati, datafly   as published
branch_and_bound                      the optimum, proved
checks                                nodes looked at, what they tell, and their budget
"""
