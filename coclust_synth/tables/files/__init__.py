"""Outputs that appear whole or not at all.

outputs     files; folders: of them
inputs      texts of schemas and the like, and compressed files, up to a size
"""
