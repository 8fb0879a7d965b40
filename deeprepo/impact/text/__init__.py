"""Classify paths, patterns and lines on their own: tests, prose, comments, definitions, blocks."""
