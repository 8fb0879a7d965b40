"""Approval of a pull request that was read completely and has no finding at the owner's threshold."""
