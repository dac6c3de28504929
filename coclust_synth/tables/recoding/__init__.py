"""What is blurred by hand before a release.

recoding  what was decided; column: what becomes of one
values    texts, numbers, dates and ranges that it names
"""
