"""k-anonymous tables by global recoding, one level of a hierarchy for each column.

anonymizer  one face for all searches
nodes       a level for each column, its classes and its loss
searches    Flash, Incognito, Samarati, Datafly, ... through the nodes
"""
