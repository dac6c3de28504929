"""Records whose rows go to several classes, where combinations are few.

dividing   rounds of moves while the release costs less
"""
