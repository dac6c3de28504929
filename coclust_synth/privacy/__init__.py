"""What is promised about a release, and how it is counted.

models   of classes of rows: l-diversity, t-closeness, delta-presence and their like
noise    differential privacy: the ledger, the only way to noise, and its mechanisms
classes, release   rows that look alike, and the release of a k-anonymous table
"""
