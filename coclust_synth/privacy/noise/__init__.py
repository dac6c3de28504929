"""The privacy budget, and noise.

ledger                the only way to a noisy number; mechanisms: those of OpenDP
concentrated          between (epsilon, delta) and rho
dependence, distance  scores with an exact sensitivity
simplex               noisy counts made counts again
sparse_noise          on the empty cells of a huge histogram
"""
