"""The loop of a root: ask it, run its code, tell it what came back, until it has an answer or a rule ends the run."""
