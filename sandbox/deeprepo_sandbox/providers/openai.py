"""OpenAI Chat Completions as a server sees it: which requests it refuses, how it answers."""

import json
import re
from collections.abc import Mapping
from typing import Any

from deeprepo.rlm.values import ToolCall
from deeprepo_sandbox.providers import events
from deeprepo_sandbox.providers.dialect import ArrivedRequest, Invalid, demand, holds, sample
from deeprepo_sandbox.providers.reply import Reply

FAMILY = "openai"
KIND = "text/event-stream"
PATH = "/chat/completions"
ROLES = {"system", "developer", "user", "assistant", "tool", "function"}
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ERRORS = {401: "invalid_request_error", 403: "permission_error", 404: "invalid_request_error", 429: "rate_limit_error"}
SERVER_FAULT = 500


def body(request: ArrivedRequest) -> Mapping[str, Any]:
    """The request; the path adds nothing to it."""
    return request.body


def check(request: ArrivedRequest, key: str, rejects: tuple[str, ...]) -> None:
    """Raise Invalid where the provider would refuse the request."""
    given = request.headers.get("authorization", "")
    if not given.startswith("Bearer ") or (key and given != f"Bearer {key}"):
        raise Invalid("Incorrect API key provided.", status=401, code="invalid_api_key")
    body = request.body
    for name in (name for name in rejects if holds(body, name)):
        raise Invalid(
            f"Unsupported parameter: '{name}' is not supported with this model.", name, code="unsupported_parameter"
        )
    demand(isinstance(body.get("model"), str) and body["model"], "you must provide a model parameter", "model")
    demand(
        isinstance(body.get("messages"), list) and body["messages"],
        "Missing required parameter: 'messages'.",
        "messages",
    )
    demand(not {"max_tokens", "max_completion_tokens"} <= body.keys(), "set one of the two token limits", "max_tokens")
    for name in {"max_tokens", "max_completion_tokens"} & body.keys():
        demand(isinstance(body[name], int) and body[name] > 0, f"Invalid '{name}': a positive integer.", name)
    asked: set[str] = set()
    for at, message in enumerate(body["messages"]):
        _check_message(message, f"messages.[{at}]", asked)
    demand(not asked, f"tool calls without an answer: {sorted(asked)}", "messages")
    demand(
        body.get("stream") or "stream_options" not in body,
        "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        "stream_options",
    )
    _check_tools(body)
    _check_format(body.get("response_format"))


def _check_message(message: Any, where: str, call_ids: set[str]) -> None:  # noqa: ANN401 - a stranger's JSON
    """`call_ids` holds the calls that still wait for their answer."""
    demand(
        isinstance(message, dict) and message.get("role") in ROLES, f"Invalid value: '{where}.role'.", f"{where}.role"
    )
    calls = message.get("tool_calls")
    fits = isinstance(message.get("content"), str | list) or (message["role"] == "assistant" and calls)
    demand(fits, f"Invalid value for 'content': expected a string, got null ({where}).", f"{where}.content")
    if message["role"] == "tool":
        demand(
            message.get("tool_call_id") in call_ids, f"'{where}' answers no preceding 'tool_calls'.", f"{where}.role"
        )
        call_ids.discard(message["tool_call_id"])
        return
    demand(not call_ids, f"an assistant message with 'tool_calls' must be followed by tool messages ({where})", where)
    for call in calls or ():
        function = call.get("function", {})
        demand(
            call.get("id") and call.get("type") == "function" and function.get("name"),
            f"Invalid tool call in {where}.",
            where,
        )
        demand(isinstance(function.get("arguments"), str), f"Invalid arguments in {where}: a string.", where)
        call_ids.add(call["id"])


def _check_tools(body: Mapping[str, Any]) -> None:
    names = set()
    for tool in body.get("tools", ()):
        function = tool.get("function", {})
        named = tool.get("type") == "function" and NAME.fullmatch(function.get("name", ""))
        demand(named and isinstance(function.get("parameters"), dict), "Invalid 'tools'.", "tools")
        names.add(function["name"])
    choice = body.get("tool_choice")
    if isinstance(choice, dict):
        demand(choice.get("function", {}).get("name") in names, "Tool choice names no tool of 'tools'.", "tool_choice")


def _check_format(reply_format: Any) -> None:  # noqa: ANN401 - a stranger's JSON
    if reply_format is None or reply_format.get("type") != "json_schema":
        return
    given = reply_format.get("json_schema", {})
    schema = given.get("schema")
    demand(
        NAME.fullmatch(given.get("name", "")),
        "Missing required parameter: 'response_format.json_schema.name'.",
        "response_format",
    )
    demand(isinstance(schema, dict), "Invalid schema for response_format.", "response_format")
    closed = schema.get("additionalProperties") is False and set(schema.get("required", ())) == set(
        schema.get("properties", {})
    )
    demand(
        closed or not given.get("strict"),
        "Invalid schema for response_format: 'additionalProperties' must be false.",
        "response_format",
    )


def render(body: Mapping[str, Any], reply: Reply, number: int) -> dict[str, Any]:
    """The reply as the provider would write it."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None, "refusal": None}
    ended = {"length": "length", "refusal": "stop", "": "stop"}[reply.stop]
    forced = body.get("tool_choice")
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema")
    if reply.stop == "refusal":
        message.update(content=None, refusal=reply.text or "I can't help with that.")
    elif reply.calls:
        message["tool_calls"] = [_call(body, call, at) for at, call in enumerate(reply.calls)]
        ended = "tool_calls" if ended == "stop" else ended
    elif isinstance(forced, dict):
        tool = next(
            tool["function"] for tool in body["tools"] if tool["function"]["name"] == forced["function"]["name"]
        )
        arguments = reply.text or json.dumps(sample(tool["parameters"]) if reply.data is None else reply.data)
        function = {"name": tool["name"], "arguments": arguments}
        message.update(content=None, tool_calls=[{"id": f"call_{number}", "type": "function", "function": function}])
    elif reply.data is not None or (schema and not reply.text):
        message["content"] = json.dumps(reply.data if reply.data is not None else sample(schema))
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": reply.ending or ended, "logprobs": None}],
        "usage": _usage(reply),
    }


def _call(body: Mapping[str, Any], call: ToolCall, at: int) -> dict[str, Any]:
    offered = body.get("tools") or [{"function": {"name": "none"}}]
    name = call.name or offered[0]["function"]["name"]
    arguments = call.unparsed_arguments or json.dumps(dict(call.arguments))
    return {"id": f"{call.id}_{at}", "type": "function", "function": {"name": name, "arguments": arguments}}


def _usage(reply: Reply) -> dict[str, Any]:
    usage = reply.usage
    details = {"cached_tokens": usage.cache_read, "audio_tokens": 0}
    if usage.cache_write:
        details["cache_write_tokens"] = usage.cache_write
    total = usage.input + usage.output
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": total,
        "prompt_tokens_details": details,
    }


def stream(body: Mapping[str, Any], whole: Mapping[str, Any], *, index: bool) -> list[bytes]:
    """The reply as the events of a stream."""
    usage = bool((body.get("stream_options") or {}).get("include_usage"))
    return [*(event(item) for item in events.openai(whole, usage=usage, index=index)), b"data: [DONE]\n\n"]


def event(item: Mapping[str, Any]) -> bytes:
    """One event. An error is one too."""
    return f"data: {json.dumps(item)}\n\n".encode()


def refuse(message: str, status: int, code: str, param: str) -> dict[str, Any]:
    """An error as the provider would write it."""
    kind = "server_error" if status >= SERVER_FAULT else ERRORS.get(status, "invalid_request_error")
    return {"error": {"message": message, "type": kind, "param": param or None, "code": code or None}}
