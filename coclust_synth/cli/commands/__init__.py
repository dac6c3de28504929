"""The commands, a module for each or for a few that go together.

plain                 fit, sample, synth, demo; plain_folder: of what an engine counts
anonymize, extend     k-anonymous tables, and new rows for them; anonymize_folder
dp, domain            private tables, and the domains that they need
anatomy, perturb      releases of other kinds
check, evaluate       what a release is worth and what it tells
inspect, hierarchies  what a table is like, and what is derived from it
coclustering, view    grids on their own, and pages to explore them
"""
