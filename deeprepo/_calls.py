"""How the synchronous names call what is asynchronous."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

from deeprepo._errors import NothingToReview, translate

if TYPE_CHECKING:
    from bot.values import TypedChange

T = TypeVar("T")
P = ParamSpec("P")
Path = str | os.PathLike[str]
Progress = Callable[[str], None]
Scope = Literal["range", "staged", "uncommitted"]


def call_outside_loop(call: Callable[[], T]) -> T:
    """Call it; in a thread of its own if the caller's runs an event loop, as that of a notebook does."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return call()
    with ThreadPoolExecutor(1, thread_name_prefix="deeprepo") as thread:
        return thread.submit(call).result()


def synchronous(call: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """Return `NAME` for `NAME_async`: it waits for the result."""

    @wraps(call)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        return call_outside_loop(lambda: asyncio.run(call(*args, **kwargs)))

    run.__name__, run.__qualname__ = call.__name__[: -len("_async")], call.__qualname__[: -len("_async")]
    return run


@asynccontextmanager
async def workplace(repo: Path, change: str | None, scope: Scope) -> "AsyncIterator[tuple[TypedChange, str]]":
    """Open what was asked for and a folder for the time that it is read. The engine's errors become those of this package."""
    with translate(), tempfile.TemporaryDirectory(prefix="deeprepo-") as scratch:
        from bot import checkout, errors
        from bot.values import TypedChange

        if scope not in ("range", "staged", "uncommitted"):
            raise errors.UsageError(f"scope={scope!r} is not one of 'range', 'staged' and 'uncommitted'")
        where, is_local = os.fspath(repo), scope != "range"
        request = TypedChange(where)
        if change is not None or is_local:
            request = checkout.typed_change(change, where, staged=scope == "staged", uncommitted=scope == "uncommitted")
        try:
            yield request, scratch
        except errors.NothingToReview as empty:
            why = checkout.explain_empty(request, behind=empty.behind)
            raise NothingToReview(why) from empty
