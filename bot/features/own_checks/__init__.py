"""A team's own checks: instructions that every review answers with a verdict."""
