"""Optional parts of a review: each feature is a folder here and a line in `bot/registry.py`."""
