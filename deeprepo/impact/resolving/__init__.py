"""Resolve names between files: what a file offers, who imports it, and which members a class has."""
