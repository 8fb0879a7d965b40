"""Create, migrate and check a database's tables before they are marked with a version.

The number alone is not enough, because builds before 0.2.0 changed their tables without changing it. So the
columns are compared, and a database that does not fit is left unchanged.
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
START_LOCK = 4_307_112  # PostgreSQL lock for processes that start at the same time
MOST_NAMED = 5  # columns in one sentence
UNCHANGED = "It was left as it is."
BEFORE_RELEASE = (
    "A build from before deeprepo 0.2.0 made it, and {this} cannot migrate it: start that build again, or begin with an empty database "
    "(another data folder, or another PostgreSQL database). Open pull requests are then reviewed from the beginning."
)


def migrate(database: Database) -> None:
    """Create or migrate the tables in one transaction, and record that this version opened the database.

    Raises StorageError if the tables do not fit the code afterwards or a newer version created them. Then
    nothing is changed.
    """
    try:
        with database.engine.begin() as connection:
            _migrate(connection, is_shared=database.postgres)
            _note(connection)
    except SQLAlchemyError as error:
        raise translate(error) from error


def problem(database: Database) -> str:
    """Return why this version cannot use the database, or "", without changing it."""
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
    """Return whether the tables still fit this version. A newer version may have migrated them meanwhile."""
    return _version(connection) == _newest() or not [*_schema_differences(connection)]


def _migrate(connection: sa.Connection, *, is_shared: bool) -> None:
    if _version(connection) != _newest():  # otherwise Alembic is not needed, which is the usual case
        if is_shared:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(START_LOCK)))
        _run_scripts(connection)
    if misfits := [*_schema_differences(connection)]:
        names = ", ".join(misfits[:MOST_NAMED]) + (
            f" and {len(misfits) - MOST_NAMED} more" * (len(misfits) > MOST_NAMED)
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
    """Return the version of the tables; None if there are none."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    return str(connection.scalar(sa.text("SELECT version_num FROM alembic_version")))


def _schema_differences(connection: sa.Connection) -> Iterator[str]:
    """Yield the differences from the code's tables that would make a read or write fail."""
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
    """Return who created the database, as a sentence that says what to do."""
    is_noted = sa.inspect(connection).has_table(build.name)
    last = connection.scalar(sa.select(build.c.version).order_by(build.c.last.desc()).limit(1)) if is_noted else None
    if last is None:
        return BEFORE_RELEASE.format(this=this_build.name())
    if is_newer:
        return f"It was created by a newer version of deeprepo ({last}). Start that version, or restore a backup."
    return f"deeprepo {last} opened it last, and something has changed its tables since: restore a backup."


def _note(connection: sa.Connection) -> None:
    now = time.time()
    if connection.execute(sa.update(build).where(build.c.version == this_build.name()).values(last=now)).rowcount == 0:
        connection.execute(sa.insert(build).values(version=this_build.name(), first=now, last=now))
