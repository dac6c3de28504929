"""Synthetic and anonymised tables about people, from MODL Bayesian co-clustering.

Nothing is imported before it is used; what there is, and where it is from, says the
stub beside this file.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
