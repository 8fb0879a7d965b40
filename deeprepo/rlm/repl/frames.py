"""The protocol between the host and the REPL's process: JSON frames, in which marks represent further Python types."""

import base64
import json
import math
from collections import deque
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asyncio import StreamReader

FRAME = 16 << 20  # maximum bytes of a frame from the child, enough for the arguments of a host function
HEAD = 4  # bytes of a frame's length, which precedes it
DEEPEST = 200  # maximum levels of a value
MEMBERS = 300_000  # maximum members of all lists and mappings in a frame from the child
LARGEST_KEY = 1 << 53  # larger numbers could be chosen to collide, so that a mapping of them takes quadratic time
LONGEST = 8_192  # bits; larger numbers are written in hexadecimal
Value = Any  # a value in a frame: None, numbers, text, bytes, lists, tuples, dicts, sets
VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
# The types that are written as lists, by their mark.
GROUPS = {"t": (tuple,), "s": (set, frozenset), "": (list, deque, Iterator, range, *VIEWS)}


def encode(value: Value, depth: int = DEEPEST) -> Value:
    """Return a plain value as JSON. Raises TypeError for anything else."""
    if value is None or isinstance(value, (bool, float)):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value) if value.bit_length() < LONGEST else {"i": hex(value)}
    if isinstance(value, (bytes, bytearray)):
        return {"b": base64.b64encode(value).decode()}
    if not depth:
        raise TypeError("this value is nested too deeply")
    return _encode_group(value, depth - 1)


def _encode_group(value: Value, depth: int) -> Value:
    if isinstance(value, (Mapping, set, frozenset)):
        for key in value:
            _check_key(key)
    if isinstance(value, Mapping):
        return {"d": [[encode(key, depth), encode(item, depth)] for key, item in value.items()]}
    mark = next((mark for mark, kinds in GROUPS.items() if isinstance(value, kinds)), None)
    if mark is None:
        raise TypeError(f"plain data is needed (texts, numbers, lists, dicts), not {type(value).__name__}")
    items = [encode(item, depth) for item in value]
    return {mark: items} if mark else items


def decode(value: Value) -> Value:
    """Return a value written by `encode`. Raises ValueError, TypeError or KeyError for anything else."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((mark, body),) = value.items()
    if mark == "d":
        return {_check_key(decode(key)): decode(item) for key, item in body}
    if mark in {"b", "i"}:
        return base64.b64decode(body, validate=True) if mark == "b" else int(body, 16)
    if mark == "s":
        return {_check_key(decode(item)) for item in body}
    return {"t": tuple}[mark](decode(item) for item in body)


def _check_key(key: Value) -> Value:
    """Return a mapping's key or a set's member. Raises TypeError for numbers that could make it slow."""
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
    if len(text) <= most:
        return text
    half = max(1, most // 2)
    between = text[half:-half]
    return (
        f"{text[:half]}\n[... {len(between):,} characters, {between.count(chr(10)):,} line breaks ...]\n{text[-half:]}"
    )
