"""Run a root model: ask it, run its code and send it the output, until it answers or a rule ends the run."""
