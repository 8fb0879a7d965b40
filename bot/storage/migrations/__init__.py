"""How a database comes from one version of its tables to the next; Alembic runs it at every start."""
