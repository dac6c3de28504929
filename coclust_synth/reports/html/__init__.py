"""An evaluation as one page that needs no network and no script.

page, rendering      the page, its templates and sections
story                what it says of a release in words; labels: of its classes
figures              inline, in the colours of the page
model, coclustering  what the release was made from
budget               what a private release spent
trade_offs           what another k or epsilon would have given
"""
