"""A section in the description of a pull request that says what the change does."""
