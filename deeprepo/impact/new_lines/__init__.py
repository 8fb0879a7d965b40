"""Check the names that added lines use."""
