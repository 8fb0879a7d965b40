"""Run a root model: its turns, its messages, and the tools for its code."""
