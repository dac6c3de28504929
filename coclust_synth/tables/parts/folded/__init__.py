"""Texts that are learnt from by labels, dates and keys by which of them are none.

folding        labels in the place of texts, and texts in the place of labels
spelt          texts that are the numbers of another column, or words
patterned      texts that hold numbers in a few patterns
listed         texts that list items, such as several answers to one question
partial_dates  dates of which some are months or years
open_ends      dates of which one stands for none, beside missing ones
lacked_keys    keys that some rows have none of
"""
