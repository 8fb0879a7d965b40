"""How the synchronous names call what is asynchronous."""

import asyncio
import os
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, TypeVar

from deeprepo._errors import NothingToReview, translate

if TYPE_CHECKING:
    from bot.values import ReviewRequest

T = TypeVar("T")
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


@contextmanager
def workplace(repo: Path, change: str | None, scope: Scope) -> "Iterator[tuple[ReviewRequest, str]]":
    """Open what was asked for and a folder for the time that it is read. The engine's errors become those of this package."""
    with translate(), tempfile.TemporaryDirectory(prefix="deeprepo-") as scratch:
        from bot import checkout, errors
        from bot.values import ReviewRequest

        if scope not in ("range", "staged", "uncommitted"):
            raise errors.UsageError(f"scope={scope!r} is not one of 'range', 'staged' and 'uncommitted'")
        where, is_local = os.fspath(repo), scope != "range"
        request = ReviewRequest(where)
        if change is not None or is_local:
            request = checkout.typed_change(change, where, staged=scope == "staged", uncommitted=scope == "uncommitted")
        try:
            yield request, scratch
        except errors.NothingToReview as empty:
            why = asyncio.run(checkout.explain_empty(request, scratch, behind=empty.behind))
            raise NothingToReview(why) from empty
