"""The Recursive Language Model: models of every provider, and a REPL in which a root model's Python runs."""
