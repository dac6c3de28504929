"""What few hold.

rare          categories of few; rare_numbers: numbers
released      a table that describes no few
"""
