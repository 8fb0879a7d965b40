"""Migrations between versions of the tables. Alembic runs them if the database has another version."""
