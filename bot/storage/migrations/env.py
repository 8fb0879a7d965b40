"""Alembic's environment. The connection and transaction come from bot/storage/database.py."""

from alembic import context

from bot.storage.tables import schema

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=schema, render_as_batch=connection.dialect.name == "sqlite")
context.run_migrations()
