"""Migrations: what their steps do to tables, whatever tool carries them out, and what is missing at the end of them."""
