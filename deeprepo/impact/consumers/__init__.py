"""Analyze repositories that use this one: join both trees, and find the lines that depend on the change."""
