"""Extend the journal (`deeprepo.rlm.journal`) for reviews: its last line, and sums for pages."""
