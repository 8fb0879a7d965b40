"""Breaks across repositories: commits of a library that take away what a consumer of that time used and later gave up."""
