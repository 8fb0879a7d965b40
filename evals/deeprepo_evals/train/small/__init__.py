"""A policy small enough for two cores, trained by GRPO: words that are statements of Python, executed by the product's REPL.

It shows that the reward teaches what it should and cannot be gamed; it does not show that a model reads code (docs/contributing/training.md).
"""
