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

# Tests start hundreds of interpreters, and each compiles the package again if the environment forbids to keep what was compiled.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# An environment that a shell has activated changes what hints say and which linters are found: the tests have none active.
SCRIPTS = str(Path(sys.prefix) / "bin")
os.environ["PATH"] = os.pathsep.join(one for one in os.environ["PATH"].split(os.pathsep) if one != SCRIPTS)
os.environ.pop("VIRTUAL_ENV", None)
# Nor is any model named, by whatever the shell has.
for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "DEEPREPO_BASE_URL"):
    os.environ.pop(name, None)

AGAIN = 5.0  # seconds between two alarms for a test that hangs
HANG_SECONDS = 120.0  # for which a test may wait on an idle machine


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """An empty git repository."""
    return Repository(tmp_path / "repository")


@pytest.fixture
def repositories(tmp_path: Path) -> Callable[[str], Repository]:
    """More of them, by name."""
    return lambda name: Repository(tmp_path / name)


@pytest.fixture(scope="session")
def change(tmp_path_factory: pytest.TempPathFactory) -> PullRequest:
    """A pull request that changes two files of a shop."""
    return Repository(tmp_path_factory.mktemp("shop") / "repository").change(dict(BEFORE), dict(AFTER))


@pytest.fixture
def table(change: PullRequest) -> Table:
    """A review of it, in which the test says who answers."""
    return Table(change)


@pytest.fixture
def hand(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hand:
    """A feature branch on which the first push is made."""
    return first_push(repository, tmp_path / "scratch", monkeypatch)


def pytest_configure() -> None:
    """A shell starts background jobs with Ctrl-C ignored, and what we start would inherit that: here it always counts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ["DEEPREPO_CACHE"] = "off"  # no test goes by what another one has told, or writes beside its own folder
    # Thousands of tests fill the heap, and looking through all of it takes time.
    gc.set_threshold(100_000, 50, 50)


async def carried_out(test: Callable[..., Awaitable[None]], given: Mapping[str, Any]) -> None:
    """Await a test; what a fixture opens asynchronously is open meanwhile."""
    async with AsyncExitStack() as opened:
        held = {name: value for name, value in given.items() if isinstance(value, AbstractAsyncContextManager)}
        await test(**given | {name: await opened.enter_async_context(value) for name, value in held.items()})


def pytest_itemcollected(item: pytest.Item) -> None:
    """Run a test that is a coroutine in an event loop of its own."""
    if isinstance(item, pytest.Function) and inspect.iscoroutinefunction(test := item.obj):

        @functools.wraps(test)
        def in_a_loop(**given: Any) -> None:  # noqa: ANN401 - fixtures
            asyncio.run(carried_out(test, given))

        item.obj = in_a_loop


def pytest_collection_finish() -> None:
    """What the modules of all tests hold is never garbage: no later look for garbage reads it again."""
    gc.freeze()


@contextmanager
def ending(item: pytest.Item) -> Iterator[None]:
    """Fail a test that hangs, with the stacks of its threads, and go on: well before faulthandler ends the whole process.

    The alarm rings again until it is heard: an event loop reports what is raised in a callback and goes on.
    """
    begun = time.monotonic()

    def hangs(_: int, __: object) -> None:
        waited, limit = time.monotonic() - begun, patience(HANG_SECONDS)
        if waited < limit:  # other programs take the processors
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
    """Fixtures may start servers and processes."""
    with ending(item):
        yield


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """The test itself."""
    with ending(item):
        yield


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """And what ends them."""
    with ending(item):
        yield


__all__ = ["postgres"]  # a fixture for every folder
