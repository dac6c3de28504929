"""A release alone: which privacy models it respects.

privacy_check  the check; privacy_result: what it found
households     what whoever recognises one member learns of all
"""
