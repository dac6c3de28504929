"""A release alone: which privacy models it respects.

privacy_check  the check; asked: of what; privacy_result: what it found
households     what whoever recognises one member learns of all
"""
