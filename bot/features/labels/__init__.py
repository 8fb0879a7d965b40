"""Labels that a review sets by path, size and findings."""
