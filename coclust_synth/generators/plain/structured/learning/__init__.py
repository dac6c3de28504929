"""How each column of a table is drawn, learnt one after the other.

from_table  a structure, all of it; learning: the trees, in the order in which columns
            are drawn; asked: what these can ask for
ties        which columns have the value of another in many rows; calendars: what is
            left to a calendar where others tell a date; reach: which bins a cluster may
            have so that later columns keep their rules
"""
