"""What hangs together inside the clusters: a tree for each column on those before it.

structure   the trees of a table with its rules, in the order of its columns; checks:
            whether those of a file fit together; drawn: how one column is drawn;
            learning: how all are learnt; commoner: from what, where few people have a
            category
targets     what trees are grown for, and in which order
dates       the parts of dates that columns go with, and how far two are apart;
            roundness: how round numbers are where a category says so, or where others
            nearly tell them; equal: numbers that equal another column in many rows
staying     what stays from one row of a person to the next; stepping: what is told by
            its step from the row before, in fewer bits; waves: in which years
            alone there are rows
drawing     rows drawn column by column, the rules kept; leaves: what these give rows;
            telling: what a dependence tells in these rows, and all of a combination
            share; agreed: in rows drawn before as well; told_later: what leaves one
            room to tell a column that is drawn after
"""
