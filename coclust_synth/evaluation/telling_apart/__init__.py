"""Whether anybody can tell: synthetic from real, who was learnt from.

real_vs_synthetic         a classifier of rows; auc: its area, with an interval
membership, nearest_rows  who was in the table that was learnt from
audit                     a fit on 80 % of the individuals, and an attack
"""
