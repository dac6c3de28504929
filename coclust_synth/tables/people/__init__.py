"""Tables about people: whose rows they are, and what columns are.

people       the table that is to be released
roles        which columns are known, sensitive, neither
bounded      at most so many rows a person
nested_keys  keys of what a person has several of
repeats      equal rows that chance does not explain
together     rows that share a value which tells most other columns
"""
