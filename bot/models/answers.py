"""Small pure steps that both dialects share: text that can be sent, thinking cut from it, JSON objects out of a model's text."""

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

# How models write down their thinking when no server takes it out of their text: the opening and the closing mark.
MARKS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("<seed:think>", "</seed:think>"),
    ("[think]", "[/think]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
)
QUOTES = "`'\"“”"
FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)
MAX_STARTS = 2_000  # braces that are tried as the beginning of an object; a text of nothing else must cost no minutes
DECODER = json.JSONDecoder(strict=False)


def sendable(text: str) -> str:
    """The text without lone surrogates, which no JSON body can carry; a file name that is not UTF-8 may hold some."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def without_thinking(text: str) -> tuple[str, bool]:
    """The text after its leading thinking, and whether the thinking had not ended: then there is no answer.

    Chat templates that write the opening mark themselves leave only the closing one in the text. A mark inside a JSON object,
    a code fence or quotation marks is part of an answer and stays.
    """
    rest = text.lstrip("\ufeff \t\r\n")
    if not rest or (rest[0] == "{" and parse(rest)):
        return text, False
    cut = False
    while (marks := next((pair for pair in MARKS if rest[: len(pair[0])].lower() == pair[0]), None)) is not None:
        end = _closing(rest, marks[1], len(marks[0]))
        if end is None:
            return "", True
        rest, cut = rest[end:].lstrip(), True
    if not cut:
        lower_rest = rest.lower()
        for opening, closing in MARKS:
            at = lower_rest.find(closing)
            if at >= 0 and not 0 <= lower_rest.find(opening) < at and (end := _alone(rest, closing)) is not None:
                return rest[end:].lstrip(), False
    return (rest if cut else text), False


def _closing(text: str, mark: str, start: int) -> int | None:
    """Where the thinking ends: after the first closing mark that is not quoted, else after the first."""
    ends = [match.end() for match in re.finditer(re.escape(mark), text[start:], re.IGNORECASE)]
    free = next((end for end in ends if not _is_quoted(text, start + end - len(mark), start + end)), None)
    return start + (free if free is not None else ends[0]) if ends else None


def _alone(text: str, mark: str) -> int | None:
    """After the first closing mark that is not part of an answer; None when each is."""
    spans: list[tuple[int, int]] | None = None
    fences = [match.start(1) for match in FENCE.finditer(text)]
    for match in islice(re.finditer(re.escape(mark), text, re.IGNORECASE), MAX_STARTS):
        if _is_quoted(text, match.start(), match.end()) or bisect_left(fences, match.start()) % 2:
            continue
        spans = [span for _, span in _objects(text)] if spans is None else spans
        if not any(start < match.start() < end for start, end in spans):
            return match.end()
    return None


def _is_quoted(text: str, start: int, end: int) -> bool:
    return start > 0 and end < len(text) and text[start - 1] in QUOTES and text[end] in QUOTES


def json_object(text: str, schema: Mapping[str, Any] | None = None) -> Mapping[str, Any] | None:
    """The JSON object that a text is, or the last in it that fits the schema; where none fits, the last of all; else None.

    A model that shows a draft, or an example, writes its answer after it.
    """
    whole = parse(text)
    if whole is not None:
        return whole
    objects = [value for value, _ in _objects(text)]
    fitting = [value for value in objects if schema is None or _fits(value, schema)]
    return next(reversed(fitting or objects), None)


def parse(text: str) -> Mapping[str, Any] | None:
    """The JSON object that a text is; None otherwise, and for half an object."""
    try:
        value = json.loads(text, strict=False) if text.strip() else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _objects(text: str) -> Iterator[tuple[Mapping[str, Any], tuple[int, int]]]:
    """The outermost JSON objects in a text, and where they stand."""
    at, starts = text.find("{"), 0
    while at >= 0 and starts < MAX_STARTS:
        try:
            value, end = DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            starts, end = starts + 1, at + 1
        else:
            yield value, (at, end)
        at = text.find("{", end)


def _fits(value: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    """Whether an object has what a schema requires at its top, and no other field where none is allowed."""
    properties = schema.get("properties", {})
    is_closed = schema.get("additionalProperties") is False
    return set(schema.get("required", ())) <= set(value) and (not is_closed or set(value) <= set(properties))


def strict(schema: Mapping[str, Any]) -> bool:
    """Whether a schema keeps the rules of strict mode: every object closed, every property required."""
    if "properties" in schema or schema.get("type") == "object":
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != set(properties):
            return False
    return all(strict(part) for part in _parts(schema))


def _parts(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    schemas = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values(), schema.get("items")]
    schemas += [part for word in ("anyOf", "allOf", "oneOf") for part in schema.get(word, ())]
    return [part for part in schemas if isinstance(part, Mapping)]
