"""MDAV-generic: k-anonymous tables by microaggregation.

anonymizer   groups in, tables whose cells are means and commonest values out
records      columns of all kinds as records that have distances
groups       groups of k records or more that are alike, and a search for closer ones
"""
