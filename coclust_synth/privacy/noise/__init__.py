"""The privacy budget, and noise.

ledger                the only way to a noisy number; mechanisms: those of OpenDP
asked, entries        what may be asked of it; what was, and what it cost
drafts                counts that can be made finer later
concentrated          between (epsilon, delta) and rho
scores                exact ones of the rows, with their sensitivity
sparse_noise          on the empty cells of a huge histogram
"""
