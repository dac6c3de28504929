"""Texts that are learnt from by labels.

folding    labels in the place of texts, and texts in the place of labels
spelt      texts that are the numbers of another column, or words
patterned  texts that hold numbers in a few patterns
"""
