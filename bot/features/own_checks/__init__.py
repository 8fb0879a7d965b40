"""A team's own checks: requirements in the settings that a model checks in every review."""
