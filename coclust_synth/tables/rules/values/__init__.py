"""What the values of some columns say of those of others.

dependences   columns that two or three others tell together
combinations  values of two columns that never meet
in_words      which these are
"""
