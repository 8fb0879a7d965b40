"""Approve pull requests that were reviewed completely and have no finding at the owner's threshold."""
