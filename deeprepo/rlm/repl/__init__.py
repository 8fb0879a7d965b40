"""The REPL in which a root model's code runs, in a process of its own."""
