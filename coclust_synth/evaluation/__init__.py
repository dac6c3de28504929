"""What a table lost and what it discloses, from the table and nothing else.

evaluating          all of a release at once, beside honest references; its result is
                    evaluation_result, what each figure is in measures, what stands
                    out in findings, totals that one individual carried too
  comparing         the tables in the same codes
  utility, risk     the figures of both groups
trade_offs          what another k or epsilon would have given
checking            the classes of a release, its privacy models, its households
generalisation      what generalisation took away, and how hierarchies agree
distances           how far a synthetic table's counts are
telling_apart       how well classifiers and neighbours tell rows apart; a fit on 80 %
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
