"""Code that no person writes: a language says why it does not read it, and the review goes on and reports it, too."""

from collections.abc import Callable, Collection
from functools import wraps

from deeprepo.impact.values import Facts, Side, SomeUses, Use

Outlines = Callable[[str, bytes, Side], Facts]
Uses = Callable[[str, bytes, Collection[str]], tuple[Use, ...]]


class Unreadable(Exception):  # noqa: N818 - it says what the code is
    """The code would take more than its share of time to read; the text says what is wrong with it."""


TOO_DEEP = "its code is nested more deeply than people write"
TOO_LONG = "its code takes too long to parse or to search, or is nested more deeply than people write"


def outlines(read: Outlines) -> Outlines:
    """Return the function of a language that tells definitions: of code that it does not read it tells none, and why."""

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
    """Return the function of a language that finds uses: in code that it does not read it finds some of them at most."""

    @wraps(read)
    def checked_uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
        try:
            return read(path, source, names)
        except (Unreadable, RecursionError):
            return SomeUses()

    return checked_uses
