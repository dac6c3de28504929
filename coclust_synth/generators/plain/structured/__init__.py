"""What hangs together inside the clusters: a tree for each column on those before it.

structure   the trees of a table with its rules, in the order of its columns
trees       one tree, grown; ties: what a column shares with another; coarser: the
            same trees over merged clusters
drawing     rows drawn column by column, the rules kept; balance: leaves weighted so
            that each column has its distribution; told_later: what leaves a dependence
            room to tell a column that is drawn after
"""
