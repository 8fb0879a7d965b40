"""Static checks: every file in `checks` is one, and the rest of this package is what they share."""
