"""Pictures on matplotlib axes, of models, tables and what was measured.

Each function draws on the axes given as ``ax``, or on those of a new figure, and gives
them back. The pages of reports are made of the same pictures. Nothing of a picture is
protected: one of a model or of real rows is as confidential as these are.

grids         a co-clustering: its cells, its dendrograms, the cost of its search;
              clusters has what they show
tables        columns of two tables, classes of a k-anonymous one
hierarchies   values and what they are generalised to
scores        what an evaluation found, and what another k or epsilon would have given
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
