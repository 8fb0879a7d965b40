"""Bring a database to the newest form, at every start; who comes second waits for who came first."""

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import StorageError
from bot.storage.database import Database, translate
from bot.storage.tables import schema

SCRIPTS = Path(__file__).parent / "migrations"
LOCK = 4_307_112  # of PostgreSQL, for all processes that start at once


def migrate(database: Database) -> None:
    """Make the tables, or carry out what is missing, in one transaction. Raises StorageError, also if a newer version made the database."""
    last = max(path.name[1:5] for path in (SCRIPTS / "versions").glob("v[0-9]*.py"))
    if database.now(_version) == last:  # what is usual at a start needs no library
        return
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    try:
        with database.engine.begin() as connection:
            if database.postgres:
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK)))
            config.attributes["connection"] = connection
            if _version(connection) is None:
                schema.create_all(connection)
                command.stamp(config, "head")
            else:
                command.upgrade(config, "head")
    except CommandError as error:
        raise StorageError(
            "the database was made by a newer version of deeprepo: start that one, or restore a backup"
        ) from error
    except SQLAlchemyError as error:
        raise translate(error) from error


def _version(connection: sa.Connection) -> str | None:
    """The version of the tables; None where there are none."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    return str(connection.scalar(sa.text("SELECT version_num FROM alembic_version")))
