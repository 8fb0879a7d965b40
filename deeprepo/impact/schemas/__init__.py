"""Check schemas, whose elements other files name. A new language needs one module and an entry in `check.py`."""
