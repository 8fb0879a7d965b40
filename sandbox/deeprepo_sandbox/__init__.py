"""A GitHub and model providers on loopback, and the demonstration that uses them."""
