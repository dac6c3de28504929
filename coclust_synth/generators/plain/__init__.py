"""Plain synthetic tables: rows drawn inside of clusters.

synthesizer      the estimator; fitting: what fits of rows and of counts share
counted, chunks  tables that an engine counts, and rows by the hundred million
model, archive   what is known of a table, and its file; composition: of clusters
rows             rows of a model, under conditions or not
structured       a tree for each column on those before it; trees: one of them
persons          those of several rows
"""
