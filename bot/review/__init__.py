"""One review: its session, the workers that judge units, and what an earlier review lets it leave out."""
