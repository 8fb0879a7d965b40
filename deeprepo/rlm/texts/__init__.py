"""A root over long texts instead of a change: the same turns, REPL, workers, budget and journal."""
