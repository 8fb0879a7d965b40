"""The test servers for models: which requests they reject."""

import http.client
import json
from typing import Any

import pytest

from deeprepo_sandbox import providers as doubles

USER = {"role": "user", "content": "hello"}


def post(url: str, path: str, body: object, headers: dict[str, str] | None = None) -> tuple[int, Any]:
    """Send a POST request and return the status and the parsed body."""
    connection = http.client.HTTPConnection(url.removeprefix("http://").partition("/")[0])
    raw = body if isinstance(body, str) else json.dumps(body)
    try:
        connection.request("POST", path, raw, headers or {})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


BEARER = {"authorization": "Bearer k", "anthropic-version": "2023-06-01"}
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
USE = {"type": "tool_use", "id": "c", "name": "f", "input": {}}


@pytest.mark.parametrize(
    "body",
    [
        "not json",
        {"messages": [USER]},
        {"model": "m"},
        {"model": "m", "messages": []},
        {"model": "m", "messages": [{"role": "robot", "content": "x"}]},
        {"model": "m", "messages": [{"role": "user", "content": None}]},
        {"model": "m", "messages": [USER], "max_tokens": 0},
        {"model": "m", "messages": [USER], "max_tokens": 1, "max_completion_tokens": 1},
        {"model": "m", "messages": [USER, {"role": "tool", "tool_call_id": "c", "content": "x"}]},
        {"model": "m", "messages": [USER, {"role": "assistant", "content": None, "tool_calls": [CALL]}, USER]},
        {"model": "m", "messages": [USER], "tools": [{"type": "function", "function": {"name": "a b"}}]},
        {"model": "m", "messages": [USER], "tool_choice": {"type": "function", "function": {"name": "f"}}},
        {
            "model": "m",
            "messages": [USER],
            "response_format": {"type": "json_schema", "json_schema": {"name": "n", "strict": True, "schema": {}}},
        },
    ],
)
def test_invalid_openai_request_is_refused(body: object) -> None:
    """A request that violates the Chat Completions API gets a 400 in OpenAI's format."""
    with doubles.in_thread(doubles.Server("ok")) as server:
        status, found = post(server.openai_url, "/v1/chat/completions", body, BEARER)
    assert (status, sorted(found["error"])) == (400, ["code", "message", "param", "type"])


@pytest.mark.parametrize(
    "body",
    [
        "not json",
        {"max_tokens": 1, "messages": [USER]},
        {"model": "m", "messages": [USER]},
        {"model": "m", "max_tokens": 1},
        {"model": "m", "max_tokens": 1, "messages": [{"role": "assistant", "content": "x"}]},
        {"model": "m", "max_tokens": 1, "messages": [{"role": "system", "content": "x"}]},
        {"model": "m", "max_tokens": 1, "messages": [USER, {"role": "user", "content": []}]},
        {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": [{"type": "text", "text": " "}]}]},
        {"model": "m", "max_tokens": 1, "messages": [USER, {"role": "assistant", "content": [USE]}, USER]},
        {"model": "m", "max_tokens": 1, "messages": [USER], "tools": [{"name": "f"}]},
        {"model": "m", "max_tokens": 1, "messages": [USER], "tool_choice": {"type": "tool", "name": "f"}},
        {"model": "m", "max_tokens": 1, "messages": [USER], "system": [{"type": "text", "cache_control": {}}] * 5},
    ],
)
def test_invalid_anthropic_request_is_refused(body: object) -> None:
    """A request that violates the Messages API gets a 400 in Anthropic's format."""
    with doubles.in_thread(doubles.Server("ok")) as server:
        status, found = post(server.anthropic_url, "/v1/messages", body, BEARER)
    assert (status, found["type"], found["error"]["type"]) == (400, "error", "invalid_request_error")
