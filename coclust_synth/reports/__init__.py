"""Results as people and other tools read them.

khiops   co-clustering reports in the format of Khiops
the others print what a command did, as facts, tables and trees
"""
