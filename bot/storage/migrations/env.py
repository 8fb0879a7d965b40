"""Alembic's environment. `bot.storage.versions` passes the connection, which is in a transaction."""

from alembic import context

from bot.storage.database import schema

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=schema, render_as_batch=connection.dialect.name == "sqlite")
context.run_migrations()
