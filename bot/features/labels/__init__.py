"""Set labels on pull requests by path, size and findings."""
