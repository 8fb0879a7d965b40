"""Join the events of a stream to the reply that the server would have sent without streaming.

The libraries' own accumulators build an object for every event, which costs more than the request. They also reject what
compatible servers send: tool calls without an index, chunks without choices, and additional fields.
"""

import json
from collections.abc import Mapping
from typing import Any

from deeprepo.rlm.models.answers import parse, text_of

# Fields whose text arrives in pieces. Any other field is sent once.
GROWING = frozenset({"content", "refusal", "reasoning_content", "reasoning", "text", "summary", "data", "arguments"})


class Chat:
    """A chat completion."""

    is_counted = False  # whether the server has counted all that has arrived

    def __init__(self) -> None:
        self._message: dict[str, Any] = {"role": "assistant", "content": None}
        self._finish: str | None = None
        self.usage: Mapping[str, Any] | None = None  # the latest report

    @property
    def so_far(self) -> dict[str, Any]:
        """What has arrived of the reply; empty where nothing has."""
        return {name: value for name, value in self._message.items() if name != "role" and value}

    def take(self, event: object) -> None:
        """Add a chunk."""
        if not isinstance(event, Mapping):
            return
        usage = event.get("usage") or (event.get("x_groq") or {}).get("usage")
        self.is_counted = isinstance(usage, Mapping)
        self.usage = usage if self.is_counted else self.usage
        choices = (choice for choice in event.get("choices") or () if isinstance(choice, Mapping))
        choice = next((choice for choice in choices if not choice.get("index")), None)
        if choice is not None:
            self._finish = choice.get("finish_reason") or self._finish
            _merge_piece(self._message, choice.get("delta") or choice.get("message"))

    def whole(self, *, is_ended: bool = False) -> dict[str, Any] | None:
        """Return the reply, or None if it is incomplete. `is_ended`: the server has sent the stream's end mark."""
        if not self._finish and not is_ended:
            return None
        return {"choices": [{"message": self._message, "finish_reason": self._finish}], "usage": self.usage}


class Messages:
    """A message in Anthropic's dialect."""

    is_counted = False  # whether the server has counted all that has arrived

    def __init__(self) -> None:
        self._message: dict[str, Any] = {}
        self.usage: dict[str, Any] = {}  # counts so far; later ones replace earlier ones
        self._blocks: dict[int, dict[str, Any]] = {}
        self._ended = False

    @property
    def so_far(self) -> list[dict[str, Any]]:
        """What has arrived of the reply; empty where nothing has."""
        return [self._blocks[at] for at in sorted(self._blocks)]

    def take(self, event: object) -> None:
        """Add an event."""
        if not isinstance(event, Mapping):
            return
        delta, at = event.get("delta") or {}, event.get("index", max(0, len(self._blocks) - 1))
        self.is_counted = event.get("type") == "message_delta"
        match event.get("type"):
            case "message_start":
                self._message = dict(event.get("message") or {})
                self._count(self._message.get("usage"))
            case "content_block_start":
                self._blocks[event.get("index", len(self._blocks))] = dict(event.get("content_block") or {})
            case "content_block_delta":
                block = self._blocks.setdefault(at, {})
                for name in ("text", "thinking", "signature", "partial_json"):
                    if isinstance(delta.get(name), str):
                        block[name] = (block.get(name) or "") + delta[name]
            case "message_delta":
                self._message |= {name: value for name, value in delta.items() if value is not None}
                self._ended |= bool(delta.get("stop_reason"))  # some servers close the connection after it
                self._count(event.get("usage"))
            case "message_stop":
                self._ended = True

    def whole(self, *, is_ended: bool = False) -> dict[str, Any] | None:  # noqa: ARG002 - its end is an event
        """Return the message, or None if it is incomplete."""
        if not self._ended:
            return None
        blocks = self.so_far
        for block in blocks:
            if "partial_json" in block:
                text = block.pop("partial_json")
                arguments = parse(text or "{}")
                block["input"] = text if arguments is None else arguments  # raw text if it was cut off
        return {**self._message, "content": blocks, "usage": self.usage}

    def _count(self, usage: object) -> None:
        if isinstance(usage, Mapping):
            self.usage |= {name: value for name, value in usage.items() if value is not None}


def _merge_piece(whole: dict[str, Any], piece: object) -> None:
    """Add a piece's fields to an object."""
    for name, value in (piece if isinstance(piece, Mapping) else {}).items():
        before = whole.get(name)
        if name == "content" and isinstance(value, list):  # parts, without thinking
            whole[name] = (before or "") + text_of(value)
        elif isinstance(value, list):
            rows = whole.setdefault(name, [])
            for part in value:
                _merge_piece(_row(rows, part, is_call=name == "tool_calls"), part)
        elif isinstance(value, Mapping):
            if name == "arguments":
                whole[name] = json.dumps(value)
            else:
                _merge_piece(whole.setdefault(name, {}), value)
        elif isinstance(before, str) and isinstance(value, str) and name in GROWING:
            whole[name] = before + value
        elif value is not None and not (before and name in {"id", "name"}):
            whole[name] = value


def _row(rows: list[dict[str, Any]], part: object, *, is_call: bool) -> dict[str, Any]:
    """Return the row that a part continues: the last one with its index, unless its call or type differs."""
    if not isinstance(part, Mapping):
        return {}
    index, identity = part.get("index"), part.get("id")
    row = next((row for row in reversed(rows) if row.get("index") == index), None)
    if row is not None and is_call:  # some servers give all calls the index 0 or none
        is_named = bool((part.get("function") or {}).get("name"))
        begins = is_named and (identity != row.get("id") if identity else index is None)
    else:
        begins = row is None or index is None or row.get("type") != part.get("type")
    if row is None or begins:
        row = {}
        rows.append(row)
    return row
