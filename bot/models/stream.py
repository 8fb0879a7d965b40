"""Events of a stream put together to the reply that the same server would have sent in one piece.

The libraries' own accumulators build a model of every event, which costs more than the request, and refuse what compatible
servers really send: tool calls without an index, chunks without choices, fields of their own.
"""

import json
from collections.abc import Mapping
from typing import Any

TEXTS = ("content", "refusal", "reasoning_content", "reasoning")  # fields of a delta that grow
PIECES = frozenset({"text", "summary", "data", "arguments"})  # of reasoning details: these grow, the rest is said once


class Chat:
    """A chat completion, as far as it has arrived."""

    def __init__(self) -> None:
        self._text: dict[str, list[str]] = {}  # by field
        self._calls: list[dict[str, Any]] = []
        self._at: dict[object, int] = {}  # the index of a call in the stream -> its place
        self._details: list[dict[str, Any]] = []
        self._extra: dict[str, Any] = {}
        self._finish: str | None = None
        self._usage: Mapping[str, Any] | None = None
        self._any = False

    def take(self, event: object) -> None:
        """Add a chunk."""
        if not isinstance(event, Mapping):
            return
        usage = event.get("usage") or (event.get("x_groq") or {}).get("usage")
        self._usage = usage if isinstance(usage, Mapping) else self._usage
        choices = event.get("choices")
        first = next((c for c in choices or () if isinstance(c, Mapping) and not c.get("index")), None)
        if first is not None:
            self._any = True
            self._finish = str(first["finish_reason"]) if first.get("finish_reason") else self._finish
            delta = first.get("delta") or first.get("message")
            if isinstance(delta, Mapping):
                self._delta(delta)

    def _delta(self, delta: Mapping[str, Any]) -> None:
        for name in TEXTS:
            piece = delta.get(name)
            if isinstance(piece, list):  # parts, of which thinking is none of our business
                parts = (part for part in piece if isinstance(part, Mapping) and part.get("type") == "text")
                piece = "".join(str(part.get("text", "")) for part in parts)
            if piece and isinstance(piece, str):
                self._text.setdefault(name, []).append(piece)
        for item in delta.get("tool_calls") or ():
            if isinstance(item, Mapping):
                self._call(item)
        for detail in delta.get("reasoning_details") or ():
            if isinstance(detail, Mapping):
                self._detail(detail)
        _merge(self._extra, delta.get("extra_content"))

    def _call(self, item: Mapping[str, Any]) -> None:
        """A piece of a call: of the one with its index, of the last one where it has neither index nor id."""
        row = item.get("function") or {}
        index, identity, name = item.get("index"), item.get("id"), row.get("name")
        place = self._at.get(index) if index is not None else len(self._calls) - 1
        call = self._calls[place] if place is not None and place >= 0 else None
        begins = call is None or (identity and call["id"] and identity != call["id"] and name)
        if (
            call is None or begins or (index is None and name and not identity)
        ):  # some give every call the index 0, or none
            self._at[index] = len(self._calls)
            call = {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
            self._calls.append(call)
        call["id"] = call["id"] or identity or ""
        function, arguments = call["function"], row.get("arguments")
        function["name"] = function["name"] or name or ""
        function["arguments"] += json.dumps(arguments) if isinstance(arguments, Mapping) else arguments or ""
        if item.get("extra_content"):
            _merge(call.setdefault("extra_content", {}), item["extra_content"])

    def _detail(self, detail: Mapping[str, Any]) -> None:
        last = self._details[-1] if self._details else {}
        if "index" not in detail or any(last.get(name) != detail.get(name) for name in ("index", "type")):
            self._details.append(dict(detail))
            return
        for name, value in detail.items():
            if name in PIECES and isinstance(value, str):
                last[name] = (last.get(name) or "") + value
            elif value is not None:
                last[name] = value

    @property
    def has_begun(self) -> bool:
        """Whether anything of the reply has arrived: then it may be billed, however it ends."""
        return self._any or self._usage is not None

    def whole(self) -> dict[str, Any] | None:
        """The reply in one piece, None while its end has not arrived."""
        if not self._finish:
            return None
        message: dict[str, Any] = {"role": "assistant", "content": None}
        message |= {name: "".join(pieces) for name, pieces in self._text.items()}
        others = {"reasoning_details": self._details, "extra_content": self._extra, "tool_calls": self._calls}
        message |= {name: value for name, value in others.items() if value}
        return {"choices": [{"index": 0, "message": message, "finish_reason": self._finish}], "usage": self._usage}


class Messages:
    """A message of Anthropic, as far as it has arrived."""

    def __init__(self) -> None:
        self._message: dict[str, Any] = {}
        self._usage: dict[
            str, Any
        ] = {}  # the counts are those of the whole message so far: a later one replaces an earlier one
        self._blocks: dict[int, dict[str, Any]] = {}
        self._pieces: dict[tuple[int, str], list[str]] = {}
        self._ended = False

    def take(self, event: object) -> None:
        """Add an event."""
        if not isinstance(event, Mapping):
            return
        delta, at = event.get("delta") or {}, event.get("index", max(0, len(self._blocks) - 1))
        match event.get("type"):
            case "message_start":
                self._message = dict(event.get("message") or {})
                self._usage |= _said(self._message.get("usage"))
            case "content_block_start":
                self._blocks[event.get("index", len(self._blocks))] = dict(event.get("content_block") or {})
            case "content_block_delta":
                name = str(delta.get("type")).removesuffix("_delta").replace("input_json", "partial_json")
                if isinstance(delta.get(name), str):  # text, thinking, signature
                    self._pieces.setdefault((at, name), []).append(delta[name])
            case "message_delta":
                self._message |= _said(delta)
                self._usage |= _said(event.get("usage"))
            case "message_stop":
                self._ended = True

    @property
    def has_begun(self) -> bool:
        """Whether anything of the reply has arrived."""
        return bool(self._usage or self._blocks or self._pieces)

    def whole(self) -> dict[str, Any] | None:
        """The same."""
        if not self._ended or not self._message.get("stop_reason"):
            return None
        blocks = {at: dict(block) for at, block in self._blocks.items()}
        for (at, name), pieces in self._pieces.items():
            block, text = blocks.setdefault(at, {}), "".join(pieces)
            if name == "partial_json":
                block["input"] = _parse(text)
            else:
                block[name] = (block.get(name) or "") + text
        return {**self._message, "content": [blocks[at] for at in sorted(blocks)], "usage": self._usage}


def _said(fields: object) -> dict[str, Any]:
    return {k: v for k, v in fields.items() if v is not None} if isinstance(fields, Mapping) else {}


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
