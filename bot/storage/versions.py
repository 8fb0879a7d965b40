"""Create, migrate and check a database's tables.

The migration's number doesn't show whether the tables fit, because builds before 0.2.0 changed their tables
without changing the number. That is why the columns are compared too. A database that doesn't fit is not
changed.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import StorageError
from bot.machine import build as this_build
from bot.storage.database import Database, translate
from bot.storage.tables import build, schema

SCRIPTS = Path(__file__).parent / "migrations"
START_LOCK = 4_307_112  # PostgreSQL advisory lock, so that only one of several starting processes migrates
MAX_LISTED = 5  # differences that are listed in an error message
UNCHANGED = "It was left as it is."
BEFORE_RELEASE = (
    "It was created by a build from before deeprepo 0.2.0, and {this} cannot migrate it. Start that build again, or "
    "begin with an empty database (another data folder, or another PostgreSQL database). Open pull requests are then "
    "reviewed from the beginning."
)


def migrate(database: Database) -> None:
    """Create or migrate the tables in one transaction, and record that this version opened the database.

    Raises StorageError, and changes nothing, if a newer version created the tables, or if they don't fit the
    code after the migration.
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
    """Return whether the tables still fit this version.

    Another process may have migrated them to a newer version.
    """
    return _version(connection) == _newest() or not [*_schema_differences(connection)]


def _migrate(connection: sa.Connection, *, is_shared: bool) -> None:
    if _version(connection) != _newest():  # usually equal, which saves importing Alembic
        if is_shared:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(START_LOCK)))
        _run_scripts(connection)
    if differences := [*_schema_differences(connection)]:
        names = ", ".join(differences[:MAX_LISTED]) + (
            f" and {len(differences) - MAX_LISTED} more" * (len(differences) > MAX_LISTED)
        )
        raise StorageError(
            f"the database does not fit deeprepo {this_build.name()} ({names}). {_origin(connection)} {UNCHANGED}"
        )


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
        raise StorageError(f"the database cannot be used. {_origin(connection, is_newer=True)} {UNCHANGED}") from error


def _newest() -> str:
    return max(path.name[1:5] for path in (SCRIPTS / "versions").glob("v[0-9]*.py"))


def _version(connection: sa.Connection) -> str | None:
    """Return the tables' version, or None if there are no tables."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    return str(connection.scalar(sa.text("SELECT version_num FROM alembic_version")))


def _schema_differences(connection: sa.Connection) -> Iterator[str]:
    """Yield the differences between the database and `tables.schema` that would make a query fail."""
    inspector = sa.inspect(connection)
    found = {name: rows for (_, name), rows in inspector.get_multi_columns().items()}
    keys = {name: row["constrained_columns"] for (_, name), row in inspector.get_multi_pk_constraint().items()}
    for table in schema.sorted_tables:
        rows = {row["name"]: row for row in found.get(table.name, ())}
        if not rows:
            yield f"no table {table.name}"
            continue
        yield from (f"no column {table.name}.{column.name}" for column in table.c if column.name not in rows)
        for name in rows.keys() - {column.name for column in table.c}:
            if not rows[name]["nullable"] and rows[name]["default"] is None:
                yield f"an unknown column {table.name}.{name}"
        if {*keys.get(table.name, ())} != {column.name for column in table.primary_key}:
            yield f"another key of {table.name}"


def _origin(connection: sa.Connection, *, is_newer: bool = False) -> str:
    """Return a sentence about the version that created or last opened the database, and what to do."""
    has_versions = sa.inspect(connection).has_table(build.name)
    last = (
        connection.scalar(sa.select(build.c.version).order_by(build.c.last.desc()).limit(1)) if has_versions else None
    )
    if last is None:
        return BEFORE_RELEASE.format(this=this_build.name())
    if is_newer:
        return f"It was created by a newer version of deeprepo ({last}). Start that version, or restore a backup."
    return f"deeprepo {last} opened it last, and something has changed its tables since then. Restore a backup."


def _record_version(connection: sa.Connection) -> None:
    now = time.time()
    if connection.execute(sa.update(build).where(build.c.version == this_build.name()).values(last=now)).rowcount == 0:
        connection.execute(sa.insert(build).values(version=this_build.name(), first=now, last=now))
