"""Create, migrate and check a database's tables. A database that doesn't fit is not changed."""

import time
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import StorageError
from bot.machine import build as this_build
from bot.storage.database import Database, build, schema, translate

SCRIPTS = Path(__file__).parent / "migrations"
START_LOCK = 4_307_112  # PostgreSQL advisory lock, so that only one of several starting processes migrates


def migrate(database: Database) -> None:
    """Create or migrate the tables in one transaction, and record that this version opened the database.

    Raises StorageError, and changes nothing, if another version created tables that this one doesn't know.
    """
    try:
        with database.engine.begin() as connection:
            _migrate(connection, is_shared=database.postgres)
            _record_version(connection)
    except SQLAlchemyError as error:
        raise translate(error) from error


def problem(database: Database) -> str:
    """Return why this version cannot use the database, or "". Try the migration, and roll it back."""
    try:
        with database.engine.connect() as connection, connection.begin() as transaction:
            _migrate(connection, is_shared=database.postgres)
            transaction.rollback()
    except StorageError as error:
        return str(error)
    except SQLAlchemyError as error:
        return str(translate(error))
    return ""


def fits(connection: sa.Connection) -> bool:
    """Return whether the tables still fit this version. Another process may have migrated them since."""
    return _version(connection) == _newest()


def _migrate(connection: sa.Connection, *, is_shared: bool) -> None:
    if _version(connection) != _newest():  # usually equal, which saves importing Alembic
        if is_shared:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(START_LOCK)))
        _run_scripts(connection)


def _run_scripts(connection: sa.Connection) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        if _version(connection) is None:
            schema.create_all(connection)
            command.stamp(config, "head")
        else:
            command.upgrade(config, "head")
    except CommandError as error:  # the database has a version that this build does not know
        raise StorageError(
            f"the database cannot be used. It was created by another version of deeprepo{_last(connection)}. Start that "
            "version, or restore a backup. The database was left as it is."
        ) from error


def _newest() -> str:
    return max(path.name[1:5] for path in (SCRIPTS / "versions").glob("v[0-9]*.py"))


def _version(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    return str(connection.scalar(sa.text("SELECT version_num FROM alembic_version")))


def _last(connection: sa.Connection) -> str:
    """Return the name of the build that opened the database last, in parentheses."""
    has_builds = sa.inspect(connection).has_table(build.name)
    last = connection.scalar(sa.select(build.c.version).order_by(build.c.last.desc()).limit(1)) if has_builds else None
    return f" ({last})" if last else ""


def _record_version(connection: sa.Connection) -> None:
    now = time.time()
    if connection.execute(sa.update(build).where(build.c.version == this_build.name()).values(last=now)).rowcount == 0:
        connection.execute(sa.insert(build).values(version=this_build.name(), first=now, last=now))
