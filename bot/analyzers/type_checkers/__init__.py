"""Type checkers: an error that only the head has, on an unedited line, was caused by the change.

`checker.py` is the common part. Each program is one file with a subclass of `TypeChecker` named LINTER.
"""
