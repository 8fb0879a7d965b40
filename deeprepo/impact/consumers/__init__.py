"""Repositories that use this one: both trees as one, what of the change reaches them, and the lines that rely on it."""
