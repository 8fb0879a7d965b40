"""Find lines that a change may have forgotten: what did it take away, and which lines still refer to that?

`names.py` reads names from text and what a file gives, `places.py` where a line has a name, `gone.py` compares both
sides of the change, and `find.py` searches the head for the rest.
"""
