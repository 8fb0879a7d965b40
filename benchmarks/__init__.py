"""Measured claims: one module per table. Each prints ours beside the limit or the peer and exits 1 where a promise falls short."""
