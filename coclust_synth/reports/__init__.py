"""Results as people and other tools read them.

khiops   co-clustering reports in the format of Khiops
html     a release as a page: its figures, and sections of what else is known of it
view     a co-clustering as a page to explore: what it shows, and the script
the others print what a command did, as facts, tables and trees
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
