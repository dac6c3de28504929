"""A domain of any size: margins measured one by one, where a model of them is wrong.

adaptive     the rounds, from the first margins to the model
known        what is asked first, and the rules of the budget go by
budget       what is counted together, and spent on what, by rules that look at no row
margins      values of columns, and whether these are all there is
candidates   which margins could be measured
smooth       noisy counts of values in order, as smooth as they seem
columns      a column as a part of its values and a rank within the part
"""
