"""Real table, release and holdout made alike, and figures with intervals.

setting  what a release is measured against
alike    the same columns of the same kinds; coded: as arrays
scores   a figure with its interval; jackknife: intervals of any figure
"""
