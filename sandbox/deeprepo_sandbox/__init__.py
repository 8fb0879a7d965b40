"""What stands in for the world: a GitHub and model providers on loopback, and the demonstration that uses them."""
