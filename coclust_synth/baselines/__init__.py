"""Methods to compare with, each with the face of the generators.

lattice     full-domain generalisation: Flash, Incognito, Samarati, Datafly, the optimum
mdav        microaggregation by maximum distance to average vector, and improvements
mondrian    greedy cuts of the space of the quasi-identifiers
private     differentially private tables: PrivBayes, Laplace histogram, independent
micro       microaggregation inside co-clusters; anatomy: two tables of buckets
"""
