"""Ways through the lattice of full-domain generalisations.

published         Flash, Incognito, Samarati's, Datafly
branch_and_bound  the optimum, proved
checks            nodes looked at, what they tell, and their budget
"""
