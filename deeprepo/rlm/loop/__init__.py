"""Run a root: ask it, run its code and return the output, until it answers or a rule ends the run."""
