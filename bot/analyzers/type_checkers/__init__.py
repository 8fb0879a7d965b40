"""Type checkers as witnesses: an error that only the head has, in a file that the change does not touch, was caused by the change.

`checker.py` is what they have in common; each of the others is one file: a subclass of `TypeChecker` that is called LINTER.
"""
