"""Outputs that appear whole or not at all.

outputs     files; folders: of them
declared    texts of schemas and the like
compressed  what is read of files that can hold a thousand times what they weigh
"""
