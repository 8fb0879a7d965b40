"""Extend the journal (`deeprepo.rlm.journal`) for reviews: last line, replay and spans."""
