"""Co-clusterings as reports of Khiops.

report, files            what a report holds, and its file
build, axes              from a grid, or learnt parts, to a report
fitted                   from fitted estimators
costs                    what a report claims, computed again
summary                  a few lines
"""
