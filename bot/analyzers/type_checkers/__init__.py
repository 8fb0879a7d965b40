"""Type checkers: an error that only the head has, on an unedited line, was caused by the change."""
