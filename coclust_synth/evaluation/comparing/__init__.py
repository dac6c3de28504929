"""Real table, release and holdout made alike, and figures with intervals.

alike     the same columns of the same kinds; coded: as arrays
unfolded  with columns of the numbers in texts
scores    what is measured against what, and a figure with its interval
"""
