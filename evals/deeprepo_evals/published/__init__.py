"""Published benchmarks of code review: their pull requests and known comments, their own judge's words, their published results.

Everything is read out of a clone of the benchmark that the user names; nothing of it is part of this project, but for the numbers of a board.
"""
