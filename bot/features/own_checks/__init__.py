"""The team's own checks: instructions that must hold, which each review answers with a verdict."""
