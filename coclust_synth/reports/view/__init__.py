"""A co-clustering to explore: a page without a network, a widget.

sources        where it comes from; grid: what is shown; names: of clusters
page           one file, and the bytes that its script reads
still          what is shown without the script
widget         the same in a notebook
"""
