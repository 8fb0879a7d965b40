"""Refactorings by program: a small package before and after a change, in six languages, for compilers to judge."""
