"""k-anonymous tables from co-clusters.

anonymizer       what all share: roles in, a released table out
hybrid           rows in classes of k, each under one cover
coc              the thesis's methods; coclustered: what they share with hybrid
classes          how classes are formed and improved; enforcing: until models hold
counted          tables that an engine counts
new_rows, batch  rows that come after a release
"""
