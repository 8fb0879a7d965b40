"""The REPL that runs a root model's code in a locked child process."""
