"""Log-linear models on junction trees, and rows of them.

junction_tree  a joint distribution kept as that of small sets of variables
fit            the model whose margins are near noisy counts
margins        those of any variables
evaluation     its margins, by steps that are planned once
sums           which sums are made of which
even_rows      rows whose margins are hardly off by chance
"""
