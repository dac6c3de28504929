"""From texts to typed columns.

text, cells    all cells of a column together, or each alone
layouts        how numbers and dates are written, found or declared; powers: of ten;
               money: its signs and names
patterns       numbers in texts: 120/80, 2.5 x 3.0 m; unit_words: behind them
lists          items in texts: several answers to one question
identifiers    which columns name persons
codes          999 and NA: missing or not; whole numbers that are codes
odd_cells      texts among numbers and dates; mixed_dates: in several layouts
"""
