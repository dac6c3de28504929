"""How a schema is written by hand, as comments at the head of its parts."""

OF_COLUMNS = """\
# Columns of a table: all of them. Every field but `name` may be left out: it is then
# read from the table (`bounds` and `step` want the `kind` beside them). A column that
# gets a missing mark needs a `dtype` that holds one: leave that line out, and `bounds`.
# Where it was written from a table it holds values of single rows: keep it with that.
# What you may want to edit:
#   treatment   "keep", "drop", "key" (made anew, in plain tables; dropped by others),
#               or "undecided" (must be settled before a fit)
#   role        "identifier", "quasi-identifier", "sensitive" or "other"
#   kind        "categorical", "ordinal" (give `categories` in order), "integer",
#               "real", "boolean" or "datetime"
#   missing     the marks that stand for a missing value; the first is written back
#   categories  every value allowed; boolean: the false value, then the true one
#   bounds      lowest and highest value allowed (a date is quoted; UTC if zoned; times
#               are "08:30:00"); those that are declared, with no # before them, are
#               released as they stand
#   step        values are multiples of it (days or seconds for a date, see `unit`)
#   no_date     date that stands for none: "9999-12-31" of what has not ended; synth
#               finds one that is far from all others
#   rare        categories that fewer individuals hold are released as a group
#   public      true: the domain is public, such as a code list, and released as it is
#   format      how a text file writes a date, such as "%d/%m/%Y" ("%-d/%-m/%Y" without
#               zeros before: 3/9/2020; "%I:%M %p" for 03:05 PM; "%b" for Dec; "%a" for
#               Thu; "%Y%m%d", also of numbers; "%d/%m/%y from 1930" for years of two
#               digits, 1930 to 2029), or a time: "hh:mm", "h:mm:ss", "h:mm AM",
#               "hh'h'mm" for 08h30; or a number: "comma" if 1,234 is less than two,
#               "thousands" if it is more, "lakhs" for 1,39,900,
#               "$# thousands .2f" for $1,234.50, "# % comma" for 12,5 %, "$# brackets"
#               for ($48), "0.00E+00 beyond 1e-4..1e11" for 8.96E-06 beside 0.25; or
#               "pattern" of texts such as 120/80, whose numbers plain tables draw,
#               "list" of texts such as Bus;Train, whose items they draw; without it
#               they are categories
"""
OF_RULES = """\
# Rules: what plain synthetic rows keep (`fit` and `synth`, values drawn from trees).
# Each can be removed, and others be written by hand. With find_rules = false, above,
# these are kept and no others; without that line and any [[rules]], fits find theirs.
#   order       each row has columns = [first, second] in this order, or equal
#   sum         target = constant + the columns of terms, each times its number;
#               plus = [two or more]: + one of these, which is drawn (fees, bonuses)
#   product     target = factor * the columns of terms, each to the power of its number;
#               about = true: what rows differ by is drawn too (of a sum as well);
#               slips = true: most rows are it to the last digit, others are drawn so;
#               open = true: nothing is said of rows that would be divided by 0
#   bill        target = constant + products of two columns, products = [["n", "fee"]],
#               each times its number of factors (1 without), + the columns of terms
#   sum of known  target is such a sum, in which columns of blank = [one or more] count
#               as 0 where they are missing
#   mean        target is the mean of the columns `of` that are not missing
#   count       target is how many of the columns `of` have their value, of = { cough =
#               "yes", fever = "yes" }
#   cases       target is such a sum or product in rows where the column `by` has
#               some values, cases = [{ values = ["A"], kind = "sum", .. }];
#               rows of other values are drawn as usual
#   function    target = factor * function + constant, of the column `of`: "square",
#               "cube", "square root", "log", "log10", "log2", "log1p", "exponential",
#               "reciprocal"
#   share       target is one of shares = [two or more] of the column `of`; which of
#               them each row has is drawn
#   rate        target is the column `of` times a rate, which is drawn; together = true:
#               the rate is of both together
#   date        target is the date of parts = { year = .., month = .., day = .., hour =
#               .. } (minute, second), and shift days later; about = true: there are
#               several shifts, which are drawn too
#   date part   target is the part of date: "year", "quarter", "month", "day", or
#               "weekday", "weekday from 1" (Monday is 0, or 1), "weekday from Sunday",
#               "weekday from Sunday, 1"; or "date", without its time; or its "hour",
#               its "time", or "time in minutes", without seconds
#   age         target is the years from birth to the date `at`, or to one day, `on`;
#               unit = "months", or "days": the months, the days; "calendar years",
#               "calendar months": counted as they begin
#   months after  target is the date, months later, and as many months (each = 1) or
#               years (each = 12) more as the column `by` says, and days more; day is
#               "same", or the "first" or "last" of the month
#   day of      target is a date on the day that is as many days after since as the
#               column `days` says, at any hour
#   nested      each value of code goes with one of label
#   dependence  rows with the same values of columns = [one or more] have one of target
#   never       no row has these values of columns together; without `values`, none has
#               what the table would have by chance and does not
"""
