"""Example programs for the three parts of `deeprepo`. docs/library.md explains them."""
