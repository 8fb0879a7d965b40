"""The engine: the root's turns in the REPL, the workers' calls, the budget and the journal behind both."""
