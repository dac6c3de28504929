"""An evaluation as one page that needs no network and no script.

page, rendering   the page, its templates and figures in its colours
headline          the release in words, and the figures that come first
labels            its classes; evaluation_files: all figures, for machines
coclustering      what the release was made from
sections          what a model holds, what was spent, what another k would have given
"""
