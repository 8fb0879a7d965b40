"""The protocol between the host and the REPL's process: JSON frames, in which marks represent further Python types."""

import json
import math
from collections import deque
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asyncio import StreamReader

FRAME = 16 << 20  # maximum bytes of a frame from the child, enough for the arguments of a host function
COPIES = 4  # of the streamed values for which there is memory, in addition to the values
HEAD = 4  # bytes of a frame's length, which precedes it
DEEPEST = 200  # maximum levels of a value
MEMBERS = 300_000  # maximum members of all lists and mappings in a frame from the child
LARGEST_KEY = 1 << 53  # larger numbers could be chosen to collide, so that a mapping of them takes quadratic time
Value = Any  # a value in a frame: None, numbers, text, lists, tuples, dicts
VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
LISTS: Any = (list, set, frozenset, deque, Iterator, range, *VIEWS)  # the types that arrive as lists


def encode(value: Value, depth: int = DEEPEST) -> Value:
    """Return a plain value as JSON. Raises TypeError for anything else."""
    if value is None or isinstance(value, (bool, float)):
        return value
    if isinstance(value, (str, int)):
        return str(value) if isinstance(value, str) else int(value)
    if not depth:
        raise TypeError("this value is nested too deeply")
    if isinstance(value, Mapping):
        pairs = [[encode(_check_key(key), depth - 1), encode(item, depth - 1)] for key, item in value.items()]
        return {"d": pairs}
    if not isinstance(value, tuple) and not isinstance(value, LISTS):
        raise TypeError(f"plain data is needed (texts, numbers, lists, dicts), not {type(value).__name__}")
    items = [encode(item, depth - 1) for item in value]
    return {"t": items} if isinstance(value, tuple) else items


def decode(value: Value) -> Value:
    """Return a value written by `encode`. Raises ValueError, TypeError or KeyError for anything else."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((mark, body),) = value.items()
    if mark == "d":
        return {_check_key(decode(key)): decode(item) for key, item in body}
    return {"t": tuple}[mark](decode(item) for item in body)


def _check_key(key: Value) -> Value:
    """Return a mapping's key. Raises TypeError for numbers that could make it slow."""
    if isinstance(key, (int, float)) and abs(key) >= LARGEST_KEY and key not in (math.inf, -math.inf):
        raise TypeError(f"a number as large as {key!r:.40} cannot be a key here. Convert it to a string")
    if isinstance(key, tuple):
        for part in key:
            _check_key(part)
    return key


def packed(frame: Mapping[str, Any]) -> bytes:
    """Return a frame as bytes."""
    data = json.dumps(frame).encode()
    return len(data).to_bytes(HEAD, "big") + data


def has_too_many(data: bytes) -> bool:
    """Return whether the lists and mappings of a frame may have more members than the host reads."""
    return data.count(b",") + data.count(b"[") + data.count(b"{") > MEMBERS


async def receive(incoming: "StreamReader") -> dict[str, Any]:
    """Read the next frame from the untrusted child. Raises ValueError if it is invalid, and EOFError at the end."""
    size = int.from_bytes(await incoming.readexactly(HEAD), "big")
    if size > FRAME:
        raise ValueError("it is longer than a frame")
    data = await incoming.readexactly(size)
    if has_too_many(data):
        raise ValueError("it has too many members")
    frame = json.loads(data)
    if not isinstance(frame, dict):
        raise ValueError("it is not an object")  # noqa: TRY004 - about untrusted data
    return frame


def sound(text: str) -> str:
    """Return the text as valid UTF-8. Half of a character pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode()


def both_ends(text: str, most: int) -> str:
    """Return a text, or if it is too long, its beginning and end and how much is left out."""
    return text if len(text) <= most else shortened(text[:most], text[-most:], most, len(text), text.count("\n"))


def shortened(head: str, tail: str, most: int, length: int, breaks: int) -> str:
    """Return a text of this length, or its beginning and end. `head` and `tail` are at least as long as what is shown."""
    if length <= most:
        return head
    half = max(1, most // 2)
    head, tail = head[:half], tail[-half:]
    between = breaks - head.count("\n") - tail.count("\n")
    return f"{head}\n[... {length - 2 * half:,} characters, {between:,} line breaks ...]\n{tail}"
