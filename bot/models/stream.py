"""Events of a stream put together to the reply that the same server would have sent in one piece.

The libraries' own accumulators build a model of every event, which costs more than the request, and refuse what compatible
servers really send: tool calls without an index, chunks without choices, fields of their own.
"""

import json
from collections.abc import Mapping
from typing import Any, Protocol

EARLY = frozenset({"reasoning_content", "reasoning"})  # thinking that comes as text
PIECES = frozenset({"text", "summary", "data", "arguments"})  # of reasoning details: these grow, the rest is said once


class Assembly(Protocol):
    """What has arrived so far of one reply."""

    def take(self, event: object) -> bool:
        """Add an event. Whether it brought anything that the model wrote."""

    def whole(self) -> dict[str, Any] | None:
        """The reply, None while its end has not arrived."""

    def so_far(self) -> dict[str, Any] | None:
        """The reply as it stood when the stream broke; None when nothing of it had arrived."""


class Chat:
    """A chat completion. Satisfies `Assembly`."""

    def __init__(self) -> None:
        self._text: dict[str, list[str]] = {}  # by field: content, refusal, thinking
        self._calls: list[dict[str, Any]] = []
        self._at: dict[object, int] = {}  # the index of a call in the stream -> its place
        self._details: list[dict[str, Any]] = []
        self._extra: dict[str, Any] = {}
        self._finish: str | None = None
        self._usage: Mapping[str, Any] | None = None
        self._any = False

    def take(self, event: object) -> bool:
        """Add a chunk."""
        if not isinstance(event, Mapping):
            return False
        usage = event.get("usage") or (event.get("x_groq") or {}).get("usage")
        self._usage = usage if isinstance(usage, Mapping) else self._usage
        choices = event.get("choices")
        first = next((c for c in choices or () if isinstance(c, Mapping) and not c.get("index")), None)
        if first is None:
            return False
        self._any = True
        self._finish = str(first["finish_reason"]) if first.get("finish_reason") else self._finish
        delta = first.get("delta") or first.get("message")
        return self._delta(delta) if isinstance(delta, Mapping) else False

    def _delta(self, delta: Mapping[str, Any]) -> bool:
        wrote = False
        for name in ("content", "refusal", *EARLY):
            piece = delta.get(name)
            if isinstance(piece, list):  # parts, of which thinking is none of our business
                parts = (part for part in piece if isinstance(part, Mapping) and part.get("type") == "text")
                wrote, piece = True, "".join(str(part.get("text", "")) for part in parts)
            if piece and isinstance(piece, str):
                self._text.setdefault(name, []).append(piece)
                wrote = True
        for item in delta.get("tool_calls") or ():
            wrote = True
            if isinstance(item, Mapping):
                self._call(item)
        for detail in delta.get("reasoning_details") or ():
            wrote = True
            if isinstance(detail, Mapping):
                self._detail(detail)
        _merge(self._extra, delta.get("extra_content"))
        return wrote

    def _call(self, item: Mapping[str, Any]) -> None:
        """A piece of a call: of the one with its index, of the last one where it has neither index nor id."""
        function_row = item.get("function") or {}
        index, identity, name = item.get("index"), item.get("id"), function_row.get("name")
        place = self._at.get(index) if index is not None else (len(self._calls) - 1 if self._calls else None)
        call = self._calls[place] if place is not None else None
        begins = call is None or (identity and call["id"] and identity != call["id"] and name)
        if begins or (index is None and name and not identity):  # some give every call the index 0, or none
            self._at[index] = len(self._calls)
            call = {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
            self._calls.append(call)
        assert call is not None  # noqa: S101 - for mypy: a call that begins was made above
        call["id"] = call["id"] or identity or ""
        function = call["function"]
        function["name"] = function["name"] or name or ""
        arguments = function_row.get("arguments")
        function["arguments"] += json.dumps(arguments) if isinstance(arguments, Mapping) else arguments or ""
        if item.get("extra_content"):
            _merge(call.setdefault("extra_content", {}), item["extra_content"])

    def _detail(self, detail: Mapping[str, Any]) -> None:
        last = self._details[-1] if self._details else {}
        same = "index" in detail and all(last.get(name) == detail.get(name) for name in ("index", "type"))
        if not same:
            self._details.append(dict(detail))
            return
        for name, value in detail.items():
            if name in PIECES and isinstance(value, str):
                last[name] = (last.get(name) or "") + value
            elif value is not None:
                last[name] = value

    def whole(self) -> dict[str, Any] | None:
        """The reply in one piece."""
        return self.so_far() if self._finish else None

    def so_far(self) -> dict[str, Any] | None:
        """The reply as far as it came."""
        if not self._any and self._usage is None:
            return None
        message: dict[str, Any] = {"role": "assistant", "content": None}
        message |= {name: "".join(pieces) for name, pieces in self._text.items()}
        if self._details:
            message["reasoning_details"] = self._details
        if self._extra:
            message["extra_content"] = self._extra
        if self._calls:
            message["tool_calls"] = self._calls
        return {"choices": [{"index": 0, "message": message, "finish_reason": self._finish}], "usage": self._usage}


class Messages:
    """A message of Anthropic. Satisfies `Assembly`."""

    def __init__(self) -> None:
        self._message: dict[str, Any] | None = None
        self._usage: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._pieces: dict[tuple[int, str], list[str]] = {}
        self._ended = False

    def take(self, event: object) -> bool:
        """Add an event."""
        if not isinstance(event, Mapping):
            return False
        match event.get("type"):
            case "message_start":
                self._message = dict(event.get("message") or {})
                self._count(self._message.get("usage"))
            case "content_block_start":
                self._blocks[event.get("index", len(self._blocks))] = dict(event.get("content_block") or {})
                return True
            case "content_block_delta":
                self._delta(event.get("index", len(self._blocks) - 1), event.get("delta") or {})
                return True
            case "message_delta" if self._message is not None:
                self._message |= {k: v for k, v in (event.get("delta") or {}).items() if v is not None}
                self._count(event.get("usage"))
            case "message_stop":
                self._ended = True
        return False

    def _count(self, usage: object) -> None:
        """The counts are those of the whole message so far: a later one takes the place of an earlier one."""
        if isinstance(usage, Mapping):
            self._usage |= {name: count for name, count in usage.items() if count is not None}

    def _delta(self, at: int, delta: Mapping[str, Any]) -> None:
        names = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
        kind = str(delta.get("type"))
        name = "partial_json" if kind == "input_json_delta" else names.get(kind)
        if name is not None:
            self._pieces.setdefault((at, name), []).append(str(delta.get(name, "")))

    def whole(self) -> dict[str, Any] | None:
        """The message in one piece."""
        message = self.so_far() if self._ended else None
        return message if message is not None and message.get("stop_reason") else None

    def so_far(self) -> dict[str, Any] | None:
        """The message as far as it came."""
        if self._message is None and not self._blocks and not self._pieces:
            return None
        blocks = {at: dict(block) for at, block in self._blocks.items()}
        for (at, name), pieces in self._pieces.items():
            block = blocks.setdefault(at, {})
            if name == "partial_json":
                block["input"] = _parse("".join(pieces))
            else:
                block[name] = (block.get(name) or "") + "".join(pieces)
        return {**(self._message or {}), "content": [blocks[at] for at in sorted(blocks)], "usage": self._usage}


def _parse(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """The input of a tool; as it was written when it is no JSON, because it was cut off."""
    try:
        return json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return text


def _merge(into: dict[str, Any], piece: object) -> None:
    """Add what a piece brings to what is known; inner objects are merged too."""
    for name, value in (piece if isinstance(piece, Mapping) else {}).items():
        if isinstance(value, Mapping) and isinstance(into.get(name), dict):
            _merge(into[name], value)
        else:
            into[name] = value
