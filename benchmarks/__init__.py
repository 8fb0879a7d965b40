"""Benchmarks, one module per table. Each prints our figures next to a limit or another tool, and exits with 1 if a promise is broken."""
