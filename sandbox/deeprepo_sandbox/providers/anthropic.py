"""Anthropic Messages as a server sees it: which requests it refuses, how it answers."""

import json
from collections.abc import Mapping
from typing import Any

from deeprepo_sandbox.providers import events
from deeprepo_sandbox.providers.dialect import ArrivedRequest, Invalid, demand, holds, sample
from deeprepo_sandbox.providers.reply import Reply

FAMILY = "anthropic"
KIND = "text/event-stream"
PATH = "/v1/messages"
MAX_MARKS = 4
ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def body(request: ArrivedRequest) -> Mapping[str, Any]:
    """The request; the path adds nothing to it."""
    return request.body


def check(request: ArrivedRequest, key: str, rejects: tuple[str, ...]) -> None:
    """Raise Invalid where the provider would refuse the request."""
    given = request.headers.get("authorization", "").removeprefix("Bearer ") or request.headers.get("x-api-key", "")
    if not given or (key and given != key):
        raise Invalid("invalid API key", status=401)
    demand(request.headers.get("anthropic-version"), "anthropic-version: header is required")
    body = request.body
    for name in (name for name in rejects if holds(body, name)):
        raise Invalid(f"{name}: this is not supported by this model.", name)
    if body.get("tool_choice", {}).get("type") in {"tool", "any"}:
        thinking = (body.get("thinking") or {}).get("type")
        demand(thinking != "enabled", "Thinking may not be enabled when tool_choice forces tool use.")
    demand(isinstance(body.get("model"), str) and body["model"], "model: Field required")
    demand(isinstance(body.get("max_tokens"), int) and body["max_tokens"] > 0, "max_tokens: Field required")
    demand(isinstance(body.get("messages"), list) and body["messages"], "messages: Field required")
    demand(body["messages"][0].get("role") == "user", 'messages: first message must use the "user" role')
    asked: set[str] = set()
    for at, message in enumerate(body["messages"]):
        asked = _check_message(message, f"messages.{at}", asked)
    demand(not asked, f"tool_use ids were found without tool_result blocks: {sorted(asked)}")
    _check_tools(body)
    demand(_marks(body) <= MAX_MARKS, f"A maximum of {MAX_MARKS} blocks with cache_control may be provided.")


def _check_message(message: Mapping[str, Any], where: str, call_ids: set[str]) -> set[str]:
    """Answers the ids of the calls that the next message must answer."""
    demand(message.get("role") in {"user", "assistant"}, f"{where}.role: Input should be 'user' or 'assistant'")
    content = message.get("content")
    demand(content, f"{where}.content: messages must have non-empty content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for block in blocks or ():
        if block.get("type") == "text":
            demand(str(block.get("text", "")).strip(), f"{where}.content: text content blocks must be non-empty")
        elif block.get("type") == "tool_use":
            demand(
                block.get("id") and block.get("name") and isinstance(block.get("input"), dict),
                f"{where}.content: tool_use",
            )
        elif block.get("type") in {"thinking", "redacted_thinking"}:
            demand(message["role"] == "assistant", f"{where}.content: thinking blocks belong to the assistant")
            demand(
                isinstance(block.get("signature" if block["type"] == "thinking" else "data"), str),
                f"{where}.content: {block['type']}: Field required",
            )
            demand("cache_control" not in block, f"{where}.content: thinking blocks cannot have cache_control")
        else:
            demand(
                block.get("type") == "tool_result" and block.get("tool_use_id") in call_ids,
                f"{where}: unexpected {block.get('type')}",
            )
            call_ids = call_ids - {block["tool_use_id"]}
    demand(
        not call_ids,
        f"{where}: tool_use ids were found without tool_result blocks immediately after: {sorted(call_ids)}",
    )
    return {block["id"] for block in blocks or () if block.get("type") == "tool_use"}


def _check_tools(body: Mapping[str, Any]) -> None:
    tools = body.get("tools", [])
    for tool in tools:
        demand(
            tool.get("name") and isinstance(tool.get("input_schema"), dict), "tools: name and input_schema are required"
        )
    choice = body.get("tool_choice", {})
    if choice.get("type") == "tool":
        demand(
            any(tool["name"] == choice.get("name") for tool in tools), "tool_choice: Tool not found in provided tools"
        )
    history = any(
        block.get("type") == "tool_use" for m in body["messages"] for block in m["content"] if isinstance(block, dict)
    )
    demand(tools or not history, "tools: must be defined where the dialogue holds tool_use blocks")


def _marks(part: object) -> int:
    if isinstance(part, Mapping):
        return ("cache_control" in part) + sum(_marks(value) for value in part.values())
    return sum(_marks(item) for item in part) if isinstance(part, list) else 0


def render(body: Mapping[str, Any], reply: Reply, number: int) -> dict[str, Any]:
    """The reply as the provider would write it."""
    content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    stop = {"length": "max_tokens", "refusal": "refusal", "": "end_turn"}[reply.stop]
    forced = body.get("tool_choice", {}).get("name")
    schema = (body.get("output_config") or {}).get("format", {}).get("schema")
    tools = body.get("tools") or [{"name": "none", "input_schema": {}}]
    if reply.calls:
        for at, call in enumerate(reply.calls):
            block = {"type": "tool_use", "id": f"{call.id}_{at}", "name": call.name or tools[0]["name"]}
            content.append({**block, "input": call.unparsed_arguments or dict(call.arguments)})
    elif stop != "refusal" and forced and not reply.text:
        wanted = next(tool["input_schema"] for tool in tools if tool["name"] == forced)
        made = sample(wanted) if reply.data is None else dict(reply.data)
        content = [{"type": "tool_use", "id": f"toolu_{number}", "name": forced, "input": made}]
    elif stop != "refusal" and (reply.data is not None or (schema and not reply.text)):
        content = [{"type": "text", "text": json.dumps(reply.data if reply.data is not None else sample(schema))}]
    if stop == "end_turn" and any(block["type"] == "tool_use" for block in content):
        stop = "tool_use"
    usage = {
        "input_tokens": reply.usage.input - reply.usage.cache_read - reply.usage.cache_write,
        "output_tokens": reply.usage.output,
        "cache_creation_input_tokens": reply.usage.cache_write,
        "cache_read_input_tokens": reply.usage.cache_read,
    }
    head = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": body["model"]}
    return {**head, "content": content, "stop_reason": reply.ending or stop, "stop_sequence": None, "usage": usage}


def stream(body: Mapping[str, Any], whole: Mapping[str, Any], *, index: bool) -> list[bytes]:  # noqa: ARG001 - the same in both
    """The reply as the events of a stream."""
    return [event(item) for item in events.anthropic(whole)]


def event(item: Mapping[str, Any]) -> bytes:
    """One event. An error is one too."""
    return f"event: {item['type']}\ndata: {json.dumps(item)}\n\n".encode()


def refuse(message: str, status: int, code: str, param: str) -> dict[str, Any]:
    """An error as the provider would write it. This dialect names the field in the message."""
    said = message if not param or param in message else f"{param}: {message}"
    error = {"type": code or ERRORS.get(status, "api_error"), "message": said}
    return {"type": "error", "error": error, "request_id": "req_double"}
