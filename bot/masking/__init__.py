"""Secrets in texts: what one looks like, what stands for it in a request to a provider, and what an output shows of it."""
