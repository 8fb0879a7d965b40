"""Find lines that a change may have forgotten: what did it take away, and which lines still contain that?

`names.py` reads names and words from text, `givers.py` reads what a file defines, `gone.py` compares both sides of
the change, and `find.py` searches the head for the rest. A new kind of file needs a few lines in `givers.py`.
"""
