"""Optional parts of a review. Each feature is a folder here, which the rest of the product calls directly."""
