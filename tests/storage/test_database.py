import asyncio
import stat
from pathlib import Path

import pytest

from bot import storage
from bot.errors import StorageError
from bot.values import PullRef

PULL = PullRef(7, 70, "owner", "name", 3)


async def test_migrations_create_the_expected_tables(url: str) -> None:
    """Migrations create the tables that the code expects, even if several processes run them."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from bot.storage.database import schema

    async def once() -> None:
        async with storage.open_store(url):
            pass

    await asyncio.gather(*(once() for _ in range(3)))
    async with storage.open_store(url) as store:
        differing = store.database.now(lambda c: compare_metadata(MigrationContext.configure(c), schema))
        assert differing == []


async def test_newer_database_is_refused(url: str) -> None:
    """A database from a newer version gives an error and is not changed."""
    async with storage.open_store(url) as store:
        store.database.now(lambda c: c.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StorageError, match="created by another version of deeprepo"):
        async with storage.open_store(url):
            pass


async def test_database_error_contains_no_statement_or_password(tmp_path: Path) -> None:
    """Database errors become our own, without the statement, its values or the password."""
    with pytest.raises(StorageError, match="the database failed: connection failed") as raised:
        async with storage.open_store("postgresql://user:planted@127.0.0.1:1/nowhere"):
            pass
    assert "planted" not in str(raised.value)
    async with storage.open_store(f"sqlite:///{tmp_path}/deeprepo.db") as store:
        store.database.now(lambda c: c.exec_driver_sql("DROP TABLE paused"))
        with pytest.raises(StorageError, match=r"^the database failed: no such table: paused$"):
            await store.people.pause(PULL, "planted", 1.0)
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}  # noqa: ASYNC240 - nothing else runs in this loop
