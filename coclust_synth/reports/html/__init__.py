"""An evaluation as one page that needs no network and no script.

page, rendering   the page, its templates and sections
story             what it says of a release in words; labels: of its classes
headline          the figures that come first; evaluation_files: all, for machines
figures           inline, in the colours of the page
coclustering      what the release was made from
sections          what a model holds, what was spent, what another k would have given
"""
