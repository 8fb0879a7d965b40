"""Handle code that takes too long to read: the language gives a reason, and the review continues and reports it."""

from collections.abc import Callable, Collection
from functools import wraps

from deeprepo.impact.values import Facts, Side, SomeUses, Use

Outlines = Callable[[str, bytes, Side], Facts]
Uses = Callable[[str, bytes, Collection[str]], tuple[Use, ...]]


class Unreadable(Exception):  # noqa: N818 - it says what the code is
    """Code that takes too long to read; the message says why."""


TOO_DEEP = "its code is nested more deeply than people write"
TOO_LONG = "its code takes too long to parse or to search, or is nested more deeply than people write"


def outlines(read: Outlines) -> Outlines:
    """Wrap a language's `outline`: for unreadable code it returns no definitions and the reason."""

    @wraps(read)
    def checked_outline(path: str, source: bytes, side: Side) -> Facts:
        try:
            return read(path, source, side)
        except Unreadable as error:
            return Facts(complete=False, unread=str(error))
        except RecursionError:
            return Facts(complete=False, unread=TOO_DEEP)

    return checked_outline


def finds(read: Uses) -> Uses:
    """Wrap a language's `uses`: for unreadable code it may return only some references."""

    @wraps(read)
    def checked_uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
        try:
            return read(path, source, names)
        except (Unreadable, RecursionError):
            return SomeUses()

    return checked_uses
