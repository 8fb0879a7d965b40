"""The loopback servers themselves: what they refuse, how scripts are played, how they run."""

import asyncio
import http.client
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import waits

from bot import models
from bot.values import Message, Prompt, ToolCall, Usage
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers.__main__ import main, read_script
from deeprepo_sandbox.providers.dialect import sample

PROMPT = Prompt((Message("user", "hello"),))
USER = {"role": "user", "content": "hello"}


def post(url: str, path: str, body: object, headers: dict[str, str] | None = None) -> tuple[int, Any]:
    """One plain request."""
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
def test_openai_refuses(body: object) -> None:
    """A request that breaks a rule of Chat Completions gets a 400 in OpenAI's form."""
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
def test_anthropic_refuses(body: object) -> None:
    """A request that breaks a rule of Messages gets a 400 in Anthropic's form."""
    with doubles.in_thread(doubles.Server("ok")) as server:
        status, found = post(server.anthropic_url, "/v1/messages", body, BEARER)
    assert (status, found["type"], found["error"]["type"]) == (400, "error", "invalid_request_error")


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages"])
def test_keys(path: str) -> None:
    """A missing or wrong key is a 401, in both dialects."""
    body = {"model": "m", "max_tokens": 1, "messages": [USER]}
    with doubles.in_thread(doubles.Server("ok", key="right")) as server:
        given = [{}, {"authorization": "Bearer wrong"}, {"authorization": "Bearer right", "anthropic-version": "1"}]
        assert [post(server.openai_url, path, body, headers)[0] for headers in given] == [401, 401, 200]


def test_unknown_paths() -> None:
    """Any other path is a 404, and counted."""
    with doubles.in_thread(doubles.Server("ok")) as server:
        assert post(server.openai_url, "/v1/embeddings", {"model": "m"}, BEARER)[0] == 404
        assert server.count == 1


def test_scripts_per_model() -> None:
    """Each model plays its own script; any other is unknown, as the provider would say it."""
    script = doubles.PerModel({"a": ["one", "two"], "b": lambda body: str(body["max_tokens"])})

    async def run() -> list[str]:
        async with doubles.openai_server(script) as server:
            found = []
            for name in ("a", "b", "a", "a"):
                model = models.connect(f"compatible/{name}", None, server.base_url)
                found.append((await model.complete(PROMPT)).text)
                await model.close()
            return found

    assert asyncio.run(run()) == ["one", "4096", "two", "two"]
    with doubles.in_thread(doubles.Server(script)) as server:
        body = {"model": "c", "messages": [USER], "max_tokens": 1}
        assert post(server.openai_url, "/v1/chat/completions", body, BEARER)[0] == 404


def test_chunked_requests() -> None:
    """A request in chunks is read too."""
    with doubles.in_thread(doubles.Server("ok")) as server:
        connection = http.client.HTTPConnection(server.anthropic_url.removeprefix("http://"))
        raw = json.dumps({"model": "m", "messages": [USER]}).encode()
        connection.request("POST", "/v1/chat/completions", iter([raw[:5], raw[5:]]), BEARER, encode_chunked=True)
        assert connection.getresponse().status == 200
        connection.close()


def test_samples() -> None:
    """A demanded answer without a script is the smallest one that fits the schema."""
    schema = {
        "type": "object",
        "properties": {
            "kind": {"enum": ["bug", "style"]},
            "items": {"type": "array", "items": {"type": "string"}},
            "two": {"type": "array", "minItems": 2, "items": {"type": "integer", "minimum": 1}},
            "maybe": {"type": ["string", "null"]},
            "either": {"anyOf": [{"type": "null"}, {"type": "string"}]},
            "fixed": {"const": 3},
            "left": {"type": "string"},
        },
        "required": ["kind", "items", "two", "maybe", "either", "fixed"],
    }
    assert sample(schema) == {"kind": "bug", "items": [], "two": [1, 1], "maybe": "", "either": None, "fixed": 3}


def test_scripts_from_json() -> None:
    """A script file holds texts and replies, for all models or per model."""
    call = {"calls": [{"id": "1", "name": "run", "arguments": {"code": "x"}}], "usage": {"input": 5, "output": 1}}
    assert read_script(json.dumps(["a", call])) == [
        doubles.Reply("a"),
        doubles.Reply(calls=(ToolCall("1", "run", {"code": "x"}),), usage=Usage(5, 1)),
    ]
    assert read_script('{"m": ["a"]}') == doubles.PerModel({"m": [doubles.Reply("a")]})
    assert read_script('{"text": "a", "delay": 1}') == doubles.Reply("a", delay=1)


def test_a_bad_script_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A script that cannot be read ends with a sentence and exit code 2."""
    bad = tmp_path / "bad.json"
    bad.write_text('{"txet": "a"}')
    assert main(["--script", str(bad)]) == 2
    assert "is not a script of replies" in capsys.readouterr().err


def test_a_taken_port() -> None:
    """A port that is taken is told where the server was started."""
    with doubles.in_thread(doubles.Server()) as server:
        port = int(server.anthropic_url.rpartition(":")[2])
        assert main(["--port", str(port)]) == 2
        with pytest.raises(OSError, match="in use"), doubles.in_thread(doubles.Server(), port):
            pass


def test_as_a_process() -> None:
    """The command prints both addresses, answers, and tells its counts."""
    command = [sys.executable, "-m", "deeprepo_sandbox.providers", "--text", "hi", "--delay-ms", "1"]
    with waits.ended(subprocess.Popen(command, stdout=subprocess.PIPE, text=True)) as process:
        assert process.stdout is not None
        url = process.stdout.readline().split()[1]
        body = {"model": "m", "messages": [USER]}
        status, found = post(url, "/v1/chat/completions", body, BEARER)
        connection = http.client.HTTPConnection(url.removeprefix("http://").partition("/")[0], timeout=waits.PATIENCE)
        connection.request("GET", "/stats")
        stats = json.loads(connection.getresponse().read())
        connection.close()
    assert (status, found["choices"][0]["message"]["content"], stats) == (200, "hi", {"count": 1, "peak": 1})


def test_what_is_no_server_is_refused_at_once() -> None:
    """A script, or the asynchronous form, is told what is wanted instead of waiting for ever."""
    with pytest.raises(TypeError, match="runs a Server, such as Server\\(script\\), and was given a dict"):
        doubles.in_thread({"answer": ""}).__enter__()  # type: ignore[arg-type]


def test_a_port_that_cannot_be_is_told_where_it_was_asked_for() -> None:
    """Not in the thread, where nobody would see it."""
    with pytest.raises(OverflowError, match="0-65535"), doubles.in_thread(doubles.Server(), 70_000):
        pass
