"""Contracts that are data: schemas whose elements other files name. A new language is one module and one word of `check.py`."""
