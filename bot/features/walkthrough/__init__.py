"""Describe the change in the summary: in a model's words, or from static analysis if there is no model."""
