"""What is promised about a release, and how it is counted.

models   of classes of rows: l-diversity, t-closeness, delta-presence and their like
noise    differential privacy: the ledger, the only way to noise, and its mechanisms
classes, release   rows that look alike, and the release of a k-anonymous table
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
