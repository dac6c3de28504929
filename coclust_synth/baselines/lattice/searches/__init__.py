"""Ways through the lattice of full-domain generalisations.

flash, incognito, samarati, datafly, local_search   as published
branch_and_bound                                    the optimum, proved
checks                                              nodes looked at, and their budget
"""
