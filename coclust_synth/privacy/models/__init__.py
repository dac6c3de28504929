"""What is asked of each class of a k-anonymous release.

base                  a measure of each class, and a bound on it
diversity, closeness  of sensitive values; sensitive: asked of which columns, counted
                      by rows or by persons
presence              of the people of a population
options               the models by name
"""
