"""Breaks of schemas in public histories: what a commit takes out of a contract that is data, and whether the product reports it."""
