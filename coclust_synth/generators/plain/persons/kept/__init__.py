"""What is kept of all rows of a person together.

person_totals   what adds up in the rows of one
person_summaries   what is their mean, maximum, minimum or last one
person_once     what nobody has twice; last_rows: what goes with the last row of one
row_numbers     what counts the rows of one
"""
