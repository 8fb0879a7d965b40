"""What crosses between the host and the process in which blocks run: frames of JSON, with a mark where Python has a kind that JSON has not."""

import base64
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

END, NEXT = "\x1e", "\x1f"  # what print() writes after each of its texts, and between the values of one
KEEP = 400_000  # characters that one block prints at most; what follows is only counted
DEEPEST = 200  # levels of a value
LONGEST = 8_192  # bits of a number that is written as one
Value = Any  # what crosses: None, numbers, text, bytes, lists, tuples, dicts, sets
KINDS = {
    "TypeError": TypeError,
    "ValueError": ValueError,
    "RuntimeError": RuntimeError,
}  # what a host function raises in a block
VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
GROUPS = {
    "t": (tuple,),
    "s": (set, frozenset),
    "": (list, deque, Iterator, range, *VIEWS),
}  # what is written as a list, by its mark


def encode(value: Value, depth: int = DEEPEST) -> Value:
    """A plain value as JSON has it. Raises TypeError for anything else."""
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
    if isinstance(value, Mapping):
        return {"d": [[encode(key, depth), encode(item, depth)] for key, item in value.items()]}
    mark = next((mark for mark, kinds in GROUPS.items() if isinstance(value, kinds)), None)
    if mark is None:
        raise TypeError(f"plain data is needed (texts, numbers, lists, dicts), not {type(value).__name__}")
    items = [encode(item, depth) for item in value]
    return {mark: items} if mark else items


def decode(value: Value) -> Value:
    """A value as `encode` has written it. Raises ValueError, TypeError or KeyError for any other."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((mark, body),) = value.items()
    if mark == "d":
        return {decode(key): decode(item) for key, item in body}
    if mark in {"b", "i"}:
        return base64.b64decode(body, validate=True) if mark == "b" else int(body, 16)
    return {"s": set, "t": tuple}[mark](decode(item) for item in body)


def weight(values: list[Value]) -> int:
    """The characters and items in arguments, however deeply they are nested."""
    total, waiting = 0, list(values)
    while waiting:
        value = waiting.pop()
        if isinstance(value, (str, bytes)):
            total += len(value)
        elif isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, (list, tuple, set, frozenset)):
            waiting += value
        elif isinstance(value, int):
            total += value.bit_length() // 8
        total += 1
    return total
