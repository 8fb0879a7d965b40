"""Findings about what `impact` reports on schemas and data files."""
