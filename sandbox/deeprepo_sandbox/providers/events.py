"""A whole reply as the events of a stream, in each dialect. `tests/doubles/test_streams.py` reads them with the SDKs' own types."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

PIECE = 64  # characters of a delta


def openai(whole: Mapping[str, Any], *, usage: bool, index: bool) -> Iterator[dict[str, Any]]:
    """The chunks of a chat completion. With `usage` every chunk has the field, and one more without choices has the count."""
    head = {"id": whole["id"], "object": "chat.completion.chunk", "created": whole["created"], "model": whole["model"]}

    def chunk(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {**head, "choices": [choice], **({"usage": None} if usage else {})}

    choice = whole["choices"][0]
    yield from map(chunk, _deltas(choice["message"], index=index))
    yield chunk({}, choice["finish_reason"])
    if usage:
        yield {**head, "choices": [], "usage": whole["usage"]}


def _deltas(message: Mapping[str, Any], *, index: bool) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": "" if message.get("content") is not None else None, "refusal": None}
    for name in ("reasoning_content", "reasoning", "content", "refusal"):
        if name == "content":
            yield from ({"reasoning_details": [detail]} for detail in _details(message))
        yield from ({name: piece} for piece in _pieces(message.get(name) or ""))
    for at, call in enumerate(message.get("tool_calls", ())):
        if not index:  # Gemini sends a call in one piece
            yield {"tool_calls": [call]}
            continue
        yield {"tool_calls": [{"index": at, **call, "function": {**call["function"], "arguments": ""}}]}
        for piece in _pieces(call["function"]["arguments"]):
            yield {"tool_calls": [{"index": at, "function": {"arguments": piece}}]}


def _details(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for detail in message.get("reasoning_details", ()):
        yield from ({**detail, "text": piece} for piece in _pieces(detail["text"])) if "text" in detail else (detail,)


def anthropic(whole: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The events of a message, pings left out."""
    usage = whole["usage"]
    start = {**whole, "content": [], "stop_reason": None, "stop_sequence": None, "usage": {**usage, "output_tokens": 1}}
    yield {"type": "message_start", "message": start}
    for at, block in enumerate(whole["content"]):
        empty, deltas = _block(block)
        yield {"type": "content_block_start", "index": at, "content_block": empty}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": at, "delta": delta}
        yield {"type": "content_block_stop", "index": at}
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": whole["stop_sequence"]}
    yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": usage["output_tokens"]}}
    yield {"type": "message_stop"}


def _block(block: Mapping[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A content block as it begins, and its deltas."""
    match block["type"]:
        case "text":
            return {"type": "text", "text": ""}, [{"type": "text_delta", "text": p} for p in _pieces(block["text"])]
        case "thinking":
            said = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(block["thinking"])]
            signed = {"type": "signature_delta", "signature": block["signature"]}
            return {"type": "thinking", "thinking": "", "signature": ""}, [*said, signed]
        case "tool_use":
            given = block["input"]
            text = given if isinstance(given, str) else json.dumps(given)
            pieces = ["", *_pieces(text if text != "{}" else "")]
            return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
        case _:
            return dict(block), []


def _pieces(text: str) -> Iterator[str]:
    for at in range(0, len(text), PIECE):
        yield text[at : at + PIECE]
