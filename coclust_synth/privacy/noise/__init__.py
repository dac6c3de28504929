"""The privacy budget, and noise.

ledger                the only way to a noisy number; mechanisms: those of OpenDP
drafts                counts that can be made finer later
concentrated          between (epsilon, delta) and rho
scores                exact ones of the rows, with their sensitivity
sparse_noise          on the empty cells of a huge histogram
"""
