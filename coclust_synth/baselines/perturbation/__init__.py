"""Tables that keep their rows and change their values.

perturbation  what all of these methods share
numbers       rank swapping, noise, means
pram          draws from a transition matrix
slicing       groups of columns shuffled against each other
"""
