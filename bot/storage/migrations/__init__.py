"""Migrations between versions of the tables. Alembic runs them at every start."""
