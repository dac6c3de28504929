"""What few hold.

rare          categories of few; rare_numbers: numbers; far_numbers: far from all others
pools         what these are released as
released      a table that describes no few
"""
