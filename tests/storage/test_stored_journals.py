from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from bot import storage
from bot.errors import StorageError
from bot.secrets.masking import Masks
from deeprepo.rlm.journal import reader
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.models import connect
from deeprepo.rlm.money.budget import Budget
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.values import Limits, Message, Prompt
from deeprepo_sandbox import providers as doubles

NAME = "70#3@sha"


def ask(number: int) -> Prompt:
    return Prompt((Message("user", f"Question {number}?"),))


async def review(journal: Journal, url: str, numbers: range) -> list[str]:
    """Make a call for each number, concurrently, with this journal, and return the replies."""
    async with AsyncExitStack() as stack:
        stack.callback(journal.close)
        model = connect("compatible/worker", None, url)
        stack.push_async_callback(model.close)
        calls = Calls(Budget(Limits(usd=None, tokens=None, calls=None, seconds=None)), journal, Masks())
        slots = await calls.many(model, [ask(number) for number in numbers], "worker")
        return [slot.text for slot in slots if not isinstance(slot, Exception)]


async def test_worker_on_another_machine_repeats_no_finished_call(url: str, tmp_path: Path) -> None:
    """A worker without the file continues from the database's journal and repeats no finished call."""
    async with doubles.Server("Yes.") as server, storage.open_store(url) as store:
        here, there = tmp_path / "here" / "j.jsonl", tmp_path / "there" / "j.jsonl"
        async with store.journals.synchronized(NAME, here) as kept:
            await review(Journal(here, keep=kept), server.openai_url, range(5))
        async with store.journals.synchronized(NAME, there) as kept:
            assert await review(Journal(there, keep=kept), server.openai_url, range(8)) == ["Yes."] * 8
        assert server.count == 8
        assert there.read_text().startswith(here.read_text())
        assert await store.journals.lines(NAME) == there.read_text().splitlines()
        assert await store.journals.names() == {NAME}


async def test_reply_is_stored_before_it_is_used(url: str, tmp_path: Path) -> None:
    """A call returns only after its row is in the database, so a kill loses nothing."""
    async with doubles.Server("Yes.") as server, storage.open_store(url) as store:
        path = tmp_path / "j.jsonl"
        async with store.journals.synchronized(NAME, path) as kept:
            journal = Journal(path, keep=kept)
            await review(journal, server.openai_url, range(3))
            stored = await store.journals.lines(NAME)
        assert sum('"kind": "call"' in text for text in stored) == 3


async def test_database_decides_between_different_journals(url: str, tmp_path: Path) -> None:
    """A file that is ahead updates the database, and one that differs is replaced."""
    path = tmp_path / "j.jsonl"
    async with storage.open_store(url) as store:
        path.write_text('{"kind": "a"}\n{"kind": "b"}\n{"kind": "torn')
        async with store.journals.synchronized(NAME, path):
            pass
        assert await store.journals.lines(NAME) == ['{"kind": "a"}', '{"kind": "b"}']
        async with store.journals.synchronized(NAME, tmp_path / "elsewhere") as kept:
            kept.put('{"kind": "c"}')
        path.write_text('{"kind": "a"}\n{"kind": "x"}\n')
        async with store.journals.synchronized(NAME, path):
            assert path.read_text() == '{"kind": "a"}\n{"kind": "b"}\n{"kind": "c"}\n'


async def test_reply_that_cannot_be_stored_is_not_used(tmp_path: Path) -> None:
    """If the database fails, the call fails, but the file keeps the reply, which is not paid for again."""
    path, address = tmp_path / "j.jsonl", f"sqlite:///{tmp_path}/deeprepo.db"
    async with doubles.Server("Yes.") as server, storage.open_store(address) as store:

        async def without_its_table() -> None:
            async with store.journals.synchronized(NAME, path) as kept:
                store.database.now(lambda c: c.exec_driver_sql("ALTER TABLE line RENAME TO away"))
                await review(Journal(path, keep=kept), server.openai_url, range(1))

        with pytest.raises(StorageError, match="no such table"):
            await without_its_table()
        store.database.now(lambda c: c.exec_driver_sql("ALTER TABLE away RENAME TO line"))
        async with store.journals.synchronized(NAME, path) as kept:
            assert await review(Journal(path, keep=kept), server.openai_url, range(1)) == ["Yes."]
        assert server.count == 1
        assert len(reader.load(path).sections) == 1
