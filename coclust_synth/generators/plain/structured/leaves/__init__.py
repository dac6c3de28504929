"""What the leaves of a tree give rows, so that each has as many of a code as it should.

along    which rows of a leaf get its higher codes
balance  leaves weighted so that each column has its distribution
forward  the columns that tell most of another, for both
inside   which rows of a leaf get its higher numbers, of rows without earlier ones
rates    columns of which leaves tell more as rates of others
"""
