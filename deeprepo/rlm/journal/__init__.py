"""The journal of a run: a line per request and reply, for resuming the run."""
