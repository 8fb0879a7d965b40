"""A root model's run: its turns, its messages, and the tools that its code calls."""
