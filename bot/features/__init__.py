"""What teams can have beside the core of a review: a feature is a folder here, and its line in `bot/registry.py`."""
