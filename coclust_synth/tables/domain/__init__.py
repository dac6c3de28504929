"""What a column can hold, declared and not taken from the data.

domain, column  every cell that a row may fall in; text: the file of it
ranges, bins    numbers, cut and drawn again
layouts         dates and times as numbers, and how declared texts are laid out
rows            as a domain reads them, and their codes
conditions      what is asked of rows
draft, guess    a first one, read from rows, for trials
"""
