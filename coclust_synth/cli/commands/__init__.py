"""The commands, a module for each or for a few that go together.

plain                 fit, sample, synth, demo
anonymize, extend     k-anonymous tables, and new rows for them
dp                    private tables
anatomy, perturb      releases of other kinds
check, evaluate       what a release is worth and what it tells
inspect, hierarchies  what a table is like, domain for what it may hold, and what is
                      derived from it
coclustering          grids on their own, and pages to view them
"""
