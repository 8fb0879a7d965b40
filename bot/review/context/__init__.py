"""Show code around a change: its callers, and what a model asks to see."""
