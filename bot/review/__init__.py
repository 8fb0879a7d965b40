"""Run one review: its session, its workers, and what earlier reviews allow it to skip."""
