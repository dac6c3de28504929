"""What holds in a table, column by column: found in it, kept in what is drawn.

found         the rules of a table: found, or those that its schema lists
evidence      a table as rules read it
fits          columns that are about a sum, or a product, of others
limits        columns that are a sum up to a limit
regressions   the coefficients of these
shares        columns that are one of a few round shares of another
functions     columns that are a logarithm, a square, ... of one other
dates         columns of numbers that are parts of dates, or ages
orders        columns of which one is never above the other
dependences   columns that two or three others tell together
combinations  values of two columns that never meet
in_words      which these are
steps         rows of one person: what stays, what orders them
conditions    what is asked of rows that are drawn, as people write it
numbers       columns as comparable numbers

What a rule is, in names of columns, is in `coclust_synth.tables.relations`.
"""
