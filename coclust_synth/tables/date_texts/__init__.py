"""What dates as texts say beside their order of day, month and year.

two_digit_years  of which hundred years they are
two_countries    that days to the 12th are laid out as another country does
"""
