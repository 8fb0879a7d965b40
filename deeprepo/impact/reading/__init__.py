"""Read one file: parse it within limits, run queries, and extract its facts, imports and references."""
