import asyncio
import faulthandler
import functools
import gc
import inspect
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from fakes import Repository
from postgres import postgres
from pushes import Hand, first_push
from shop import AFTER, BEFORE, Table
from waits import patience

from bot.values import PullRequest

# Tests start hundreds of interpreters. Without cached bytecode, each would compile the package again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# An activated virtual environment changes hints and which linters are found, so tests run without one.
SCRIPTS = str(Path(sys.prefix) / "bin")
os.environ["PATH"] = os.pathsep.join(one for one in os.environ["PATH"].split(os.pathsep) if one != SCRIPTS)
os.environ.pop("VIRTUAL_ENV", None)
# Tests also ignore models that are configured in the shell.
for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "DEEPREPO_BASE_URL"):
    os.environ.pop(name, None)

AGAIN = 5.0  # seconds between two alarms for a test that hangs
HANG_SECONDS = 120.0  # how long a test may take on an idle machine


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """An empty git repository."""
    return Repository(tmp_path / "repository")


@pytest.fixture
def repositories(tmp_path: Path) -> Callable[[str], Repository]:
    """Return a function that creates an empty repository with a given name."""
    return lambda name: Repository(tmp_path / name)


@pytest.fixture(scope="session")
def change(tmp_path_factory: pytest.TempPathFactory) -> PullRequest:
    """A pull request that changes two files of a shop."""
    return Repository(tmp_path_factory.mktemp("shop") / "repository").change(dict(BEFORE), dict(AFTER))


@pytest.fixture
def table(change: PullRequest) -> Table:
    """A review of `change`; the test sets which models answer."""
    return Table(change)


@pytest.fixture
def hand(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hand:
    """A repository whose feature branch has one push."""
    return first_push(repository, tmp_path / "scratch", monkeypatch)


def pytest_configure() -> None:
    """Restore Ctrl-C handling: shells start background jobs with SIGINT ignored, and children inherit it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ["DEEPREPO_CACHE"] = "off"  # no test sees facts that another one cached, or writes outside its own folder
    # Thousands of tests fill the heap, and a full garbage collection takes time.
    gc.set_threshold(100_000, 50, 50)


async def carried_out(test: Callable[..., Awaitable[None]], given: Mapping[str, Any]) -> None:
    """Await a test, and keep its asynchronous context manager fixtures open while it runs."""
    async with AsyncExitStack() as opened:
        held = {name: value for name, value in given.items() if isinstance(value, AbstractAsyncContextManager)}
        await test(**given | {name: await opened.enter_async_context(value) for name, value in held.items()})


def pytest_itemcollected(item: pytest.Item) -> None:
    """Run each coroutine test in its own event loop."""
    if isinstance(item, pytest.Function) and inspect.iscoroutinefunction(test := item.obj):

        @functools.wraps(test)
        def in_a_loop(**given: Any) -> None:  # noqa: ANN401 - fixtures
            asyncio.run(carried_out(test, given))

        item.obj = in_a_loop


def pytest_collection_finish() -> None:
    """Exclude objects made while collecting tests from garbage collection, because they are never freed."""
    gc.freeze()


@contextmanager
def ending(item: pytest.Item) -> Iterator[None]:
    """Fail a test that hangs, and dump its thread stacks, well before faulthandler would end the process.

    The alarm repeats, because an event loop only logs an exception raised in a callback and continues.
    """
    begun = time.monotonic()

    def hangs(_: int, __: object) -> None:
        waited, limit = time.monotonic() - begun, patience(HANG_SECONDS)
        if waited < limit:  # the machine is busy with other programs
            signal.setitimer(signal.ITIMER_REAL, limit - waited + AGAIN, AGAIN)
            return
        if sys.__stderr__ is not None:
            faulthandler.dump_traceback(sys.__stderr__)
        pytest.fail(f"{item.nodeid} hangs: it waited for {waited:.0f} seconds")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.setitimer(signal.ITIMER_REAL, HANG_SECONDS, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Limit the time for fixtures, which may start servers and processes."""
    with ending(item):
        yield


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Limit the time for the test itself."""
    with ending(item):
        yield


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Limit the time for fixture teardown."""
    with ending(item):
        yield


__all__ = ["postgres"]  # a fixture for all test folders
