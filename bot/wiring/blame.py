"""A consumer that a child process cannot read within its limits: it is left out, as if it had not been fetched.

Its paths go no further: what a review leaves out of the reviewed repository is named to its readers.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import replace
from typing import TypeVar

from bot.dependents.consumers.overlay import mount_of
from bot.payloads import Change
from bot.values.consumer import label
from bot.wiring.child import ChildEnded

Result = TypeVar("Result")
TOO_MUCH = "reading it takes more than a review may use"
MOST = 2  # consumers that are left out one by one; then all of them are


def apart(
    change: Change, attempt: Callable[[Change, Mapping[str, str]], Awaitable[Result]]
) -> Callable[[Mapping[str, str]], Awaitable[Result]]:
    """The attempt at a change, made again without a consumer that ended it, as `leaving_out` takes it."""

    async def again(left_out: Mapping[str, str]) -> Result:
        nonlocal change
        for tries in range(MOST + 2):
            try:
                return await attempt(change, left_out)
            except ChildEnded as error:
                blamed = _blamed(change, (error.path, *error.also))
                every = frozenset(_fetched(change))
                is_theirs = not error.path or any(_holds(name, error.path) for name in blamed)
                change = _without(change, every if not error.path or tries >= MOST else blamed)
                if not every or not is_theirs:
                    also = tuple(path for path in error.also if not any(_holds(name, path) for name in blamed))
                    raise ChildEnded(error.path, error.why, also) from None
        raise AssertionError  # without any consumer the last attempt returns or raises

    return again


def _fetched(change: Change) -> tuple[str, ...]:
    rows = change.consumers.consumers if change.consumers is not None else ()
    return tuple(one.name for one in rows if not one.problem)


def _holds(name: str, path: str) -> bool:
    return path.startswith((f"{mount_of(name)}/", label(name, "")))


def _blamed(change: Change, paths: Collection[str]) -> frozenset[str]:
    return frozenset(name for name in _fetched(change) if any(_holds(name, path) for path in paths))


def _without(change: Change, names: Collection[str]) -> Change:
    """The change with these consumers as ones that were not fetched."""
    if change.consumers is None or not names:
        return change
    rows = tuple(replace(one, problem=TOO_MUCH) if one.name in names else one for one in change.consumers.consumers)
    return replace(change, consumers=replace(change.consumers, consumers=rows))
