"""k-anonymous tables from co-clusters.

anonymizer       what all share: roles in, a released table out
hybrid           rows in classes of k, each under one cover
coc              the thesis's methods; coclustered: what they share with hybrid
classes          how classes are formed and improved
dealing          so that they are alike in their sensitive values from the start
merging          until all models hold; presence: delta-presence, k-map
counted          tables that an engine counts
new_rows, batch  rows that come after a release
"""
