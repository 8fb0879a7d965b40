"""Odd replies of servers, as reported against servers, gateways and client libraries, each with what a call must make of it.

A row gives the server's replies (the last one is repeated), what the call returns, the number of requests, and the tokens that are booked.
"""

import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Body = Mapping[str, Any]
Reply = bytes | Callable[[Body], bytes]
CODE = "set_answer('yes')"
FENCED = f"```python\n{CODE}\n```"
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
ARGUMENTS = json.dumps({"code": CODE})
DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True, slots=True)
class Condition:
    """`result`: "yes" for code that answers yes, the name of an error, or what the reply lacks. Defaults aren't checked."""

    name: str
    replies: Sequence[Reply]
    result: str = "yes"
    requests: int = 1
    tokens: tuple[int, int] | None = (100, 20)  # of prompts and replies
    says: str = ""  # words of the error or the reply
    waits: tuple[float, ...] | None = None  # seconds between the requests
    model: str = "compatible/m"
    fault: str = ""  # why it isn't right yet
    role: str = "root"


def http(body: object, status: int = 200, kind: str = "application/json", **headers: str) -> bytes:
    """Return a whole answer. Underscores in the headers' names mean dashes."""
    raw = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
    rows = {"content-type": kind, "connection": "close", **headers}
    if "text/event-stream" not in kind:
        rows = {"content-length": str(len(raw)), **rows}
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in rows.items())
    return f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + raw


def event(data: object, kind: str = "") -> bytes:
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return ((f"event: {kind}\n" if kind else "") + f"data: {text}\n\n").encode()


def delta(fields: object = None, finish: str | None = None, usage: object = None, **more: object) -> bytes:
    choice = {"index": 0, "delta": fields or {}, "finish_reason": finish}
    return event({"id": "c", "choices": [choice], **({"usage": usage} if usage is not None else {}), **more})


def sse(*events: bytes, **headers: str) -> bytes:
    return http(b"".join(events), 200, "text/event-stream", **headers)


def stream(*events: bytes) -> bytes:
    return sse(*events, DONE)


def text(said: str, finish: str = "stop", usage: object = USAGE) -> bytes:
    return stream(delta({"role": "assistant", "content": said}), delta({}, finish, usage))


def whole(
    said: object = FENCED, finish: str | None = "stop", usage: object = USAGE, **message: object
) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": said, **message}, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion", "choices": [choice], "usage": usage}


def call(
    arguments: str | None = None, name: str | None = "execute_python", identity: str | None = "c1", index: int = 0
) -> dict[str, Any]:
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    row = {"index": index, "function": function}
    return {"tool_calls": [row if identity is None else {**row, "id": identity, "type": "function"}]}


def called(arguments: str, finish: str = "tool_calls", usage: object = USAGE, name: str = "execute_python") -> bytes:
    return stream(delta(call(arguments, name)), delta({}, finish, usage))


GOOD = text(FENCED)


def error(message: str, status: int = 400, **headers: str) -> bytes:
    return http({"error": {"message": message}}, status, **headers)


def unless(bad: Callable[[Body], object], refusal: bytes) -> Callable[[Body], bytes]:
    """Return a server that refuses some requests."""
    return lambda body: refusal if bad(body) else GOOD


def counts(**usage: object) -> dict[str, object]:
    return {f"{name}_tokens": value for name, value in usage.items()}


# Anthropic's dialect


def part(kind: str, **fields: object) -> bytes:
    return event({"type": kind, **fields}, kind)


START = part(
    "message_start",
    message={"id": "m", "role": "assistant", "content": [], "usage": {"input_tokens": 100, "output_tokens": 1}},
)
STOP = part("message_stop")


def block(said: str, index: int = 0) -> bytes:
    begin = part("content_block_start", index=index, content_block={"type": "text", "text": ""})
    middle = part("content_block_delta", index=index, delta={"type": "text_delta", "text": said})
    return begin + middle + part("content_block_stop", index=index)


def end(reason: str = "end_turn", **usage: object) -> bytes:
    return part("message_delta", delta={"stop_reason": reason}, usage={"output_tokens": 20, **usage}) + STOP


def use(*pieces: str) -> bytes:
    begin = part(
        "content_block_start",
        index=0,
        content_block={"type": "tool_use", "id": "t", "name": "execute_python", "input": {}},
    )
    deltas = (
        part("content_block_delta", index=0, delta={"type": "input_json_delta", "partial_json": piece})
        for piece in pieces
    )
    return begin + b"".join(deltas) + part("content_block_stop", index=0)


def failed(kind: str, message: str = "Overloaded") -> bytes:
    return part("error", error={"type": kind, "message": message})


FINE = sse(START, block(FENCED), end())


def claude(name: str, *replies: Reply, **want: Any) -> Condition:  # noqa: ANN401 - its fields
    return Condition(f"anthropic: {name}", replies, model="anthropic/m", **want)


def once(name: str, bad: bytes, requests: int = 2, tokens: tuple[int, int] | None = None, **want: Any) -> Condition:  # noqa: ANN401
    return Condition(f"once: {name}", (bad, GOOD), requests=requests, tokens=tokens, **want)


FILTER = event({"id": "", "choices": [], "prompt_filter_results": [{"prompt_index": 0}]})
TWO = [json.dumps({"code": code}) for code in ("x = 1", CODE)]
REASON = "Upstream idle timeout: provider Foo crashed"
PARSER = "Failed to parse input at pos 395: <|tool_call_start|>[execute_python(code='print(1)')]<|tool_call_end|>"
ROLES = "Conversation roles must alternate user/assistant/user/assistant/..."
TOOLS, SYSTEM = (lambda body: body.get("tools")), (lambda body: body["messages"][0]["role"] == "system")
PLAIN = whole()

STREAMS = (
    Condition("finish reason null", (stream(delta(call(ARGUMENTS)), delta({}, None, USAGE)),)),
    Condition("last chunk repeats the call", (stream(delta(call(ARGUMENTS[:9])), delta(call(ARGUMENTS[9:]), "tool_calls", USAGE)),)),
    Condition(
        "two calls with index 0",
        (stream(delta(call("", identity="a")), delta(call(TWO[0], None, "")), delta(call("", identity="b")), delta(call(TWO[1], None, "")), delta({}, "tool_calls", USAGE)),),
        says="x = 1",
    ),
    Condition(
        "two calls with index 0 and repeated ids",
        (stream(delta(call("", identity="0")), delta(call(TWO[0], None, "0")), delta(call("", identity="1")), delta(call(TWO[1], None, "1")), delta({}, "tool_calls", USAGE)),),
        says="x = 1",
    ),
    Condition("chunk with filter results first", (stream(FILTER, delta({"content": FENCED}), delta({}, "stop", USAGE)),)),
    Condition("only a chunk with filter results", (stream(FILTER),), "sent an empty reply", tokens=None),
    Condition("usage next to a choice", (stream(delta({"content": FENCED}), delta({}, "stop"), delta({}, None, counts(prompt=16111, completion=20, total=16131))),), tokens=(16111, 20)),
    Condition("finish reason empty", (stream(*(delta({"content": sign}, "") for sign in FENCED), delta({"content": ""}, "stop", USAGE)),)),
    Condition("finish reason eos", (text(FENCED, "eos"),)),
    Condition("usage twice", (stream(delta({"content": FENCED}, None, USAGE), delta({}, "stop", USAGE), event({"choices": [], "usage": USAGE}), event({"choices": [], "usage": USAGE})),)),
    Condition("usage as texts", (text(FENCED, usage=counts(prompt="100", completion=20.0, total="120")),), tokens=None),
    Condition("more cached than sent", (text(FENCED, usage={**USAGE, "prompt_tokens_details": {"cached_tokens": 5000}}),), tokens=(5000, 20)),
    Condition("whole messages that grow", (stream(*(event({"choices": [{"index": 0, "message": {"content": FENCED[:at]}}]}) for at in range(5, len(FENCED) + 1)), delta({}, "stop", USAGE)),)),
    Condition("second choice first", (stream(event({"choices": [{"index": 1, "delta": {"content": "no"}}, {"index": 0, "delta": {"content": FENCED}}]}), delta({}, "stop", USAGE)),)),
    Condition("refusal in pieces", (stream(delta({"refusal": "I can't "}), delta({"refusal": "help."}), delta({}, "stop", USAGE)),), "declined to answer"),
    Condition("stopped by a filter", (text("Let me see ", "content_filter"),), "was stopped by the provider's content filter"),
    Condition("emoji in two halves", (stream(*(event(f'{{"choices":[{{"index":0,"delta":{{"content":"{piece}"}}}}]}}') for piece in ("```python\\nset_answer('\\ud83d", "\\ude00')\\n```")), delta({}, "stop", USAGE)),), "set_answer('😀')"),
    Condition("data in several lines", (stream(b"".join(b"data:" + line + b"\r\n" for line in json.dumps(json.loads(delta({"content": FENCED})[6:]), indent=1).encode().split(b"\n")) + b"\r\n", delta({}, "stop", USAGE)),)),
    Condition("5 MB in one line", (stream(delta({"content": "# " + "a" * 5_000_000 + "\n" + FENCED}), delta({}, "stop", USAGE)),)),
    Condition("compressed", (sse(gzip.compress(delta({"content": FENCED}) + delta({}, "stop", USAGE) + DONE), content_encoding="gzip"),)),
    Condition("declared as text", (http(delta({"content": FENCED}) + delta({}, "stop", USAGE) + DONE, kind="text/plain; charset=utf-8"),)),
    Condition("early hints", (b"HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n" + GOOD,)),
    Condition("HTTP 1.0", (b"HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + delta({"content": FENCED}) + delta({}, "stop", USAGE) + DONE,)),
    Condition("no reason after the status", (b"HTTP/1.1 200\r\n" + GOOD.partition(b"\r\n")[2],)),
    Condition("reasoning in two fields, then text", (stream(delta({"reasoning": "hm"}), delta({"reasoning_content": "hm"}), delta({"content": FENCED}), delta({}, "stop", USAGE)),)),
    *(Condition(f"U+{ord(sign):04X} in a stream", (text(f"```python\nset_answer('a{sign}b')\n```"),), f"set_answer('a{sign}b')") for sign in "\u2028\u2029\x85\x7f"),
    Condition("whole JSON instead of a stream", (http(PLAIN),)),
    Condition("NaN in the JSON", (http(json.dumps({**PLAIN, "x": float("nan")})),)),
    Condition("code in thinking", (text(f"<think>\n```python\nset_answer('no')\n```\n</think>\n{FENCED}"),)),
    Condition("cut off with a whole block", (text(FENCED, "length"),), "length", 2, None),
    Condition("cut off far below its cap", (text("```python\nprint(", "MAX_TOKENS", counts(prompt=3000, completion=1200)),), "length", tokens=(3000, 1200)),
    Condition("no room left in the window", (text("", "length", counts(prompt=4095, completion=1)),), "PromptTooLong", 1, (4095, 1), "OLLAMA_CONTEXT_LENGTH", model="ollama/m"),
    Condition("no room left for a worker", (text("", "length", counts(prompt=4095, completion=1)),), "PromptTooLong", 1, (4095, 1), "OLLAMA_CONTEXT_LENGTH", model="ollama/w", role="worker"),
)  # fmt: skip

DATA, LAST = delta({"content": FENCED}), delta({}, "stop", USAGE)
FRAMES = tuple(
    Condition(f"frames: {name}", (sse(*parts),))
    for name, parts in {
        "retry first": (b"retry: 3000\n\n", DATA, LAST, DONE),
        "ping with empty data": (DATA, b"event: ping\ndata: \n\n", LAST, DONE),
        "ping with data": (DATA, b'event: ping\ndata: {"type":"ping"}\n\n', LAST, DONE),
        "bare data": (b"data:\n\n", DATA, LAST, DONE),
        "id and a comment": (b"id: 1\n" + DATA, b": keepalive\n\n", b"id: 2\n" + LAST, DONE),
        "comments": (b": k\n\n", DATA, b": k\n\n", LAST, DONE),
        "retry and a comment": (b"retry: 3000\n" + DATA, b": k\n\n", LAST, DONE),
        "blank lines": (DATA + b"\n\n", LAST + b"\n", DONE),
        "id and blank lines": (b"id: 1\n" + DATA + b"\n\n", LAST, DONE),
        "named events": (b"id:1\nevent:result\n:HTTP_STATUS/200\n" + DATA, b"event:result\n" + LAST, DONE),
        "byte order mark": (b"\xef\xbb\xbf" + DATA, LAST, b"data:[DONE] \n\n"),
        "unknown event": (DATA, b"event: x-metrics\ndata: 12 ms\n\n", LAST, DONE),
        "no end mark": (DATA, LAST),
    }.items()
)
CLAUDE_FRAMES = tuple(
    claude(f"frames: {name}", sse(*parts))
    for name, parts in {
        "retry first": (b"retry: 3000\n\n", START, block(FENCED), end()),
        "ping with empty data": (START, b"event: ping\ndata: \n\n", block(FENCED), end()),
        "bare data": (b"data:\n\n", START, block(FENCED), end()),
        "byte order mark": (b"\xef\xbb\xbf" + START, block(FENCED), end()),
        "unknown event": (START, b"event: x-metrics\ndata: 12 ms\n\n", block(FENCED), end()),
        "ping and an unknown type": (part("ping"), START, part("x_future", foo=1), block(FENCED, 1), end()),
    }.items()
)  # fmt: skip

WORDS = "word " * 4000
PRICED = "openai/gpt-5.4"
USAGES = (
    Condition("usage: complete", (text(WORDS),), WORDS, model=PRICED),
    *(
        Condition(f"usage: {name}", (text(WORDS, usage=usage),), WORDS, tokens=tokens, model=PRICED)
        for name, usage, tokens in (
            ("no output", counts(prompt=100, completion=0, total=100), (100, 6679)),
            ("prompt only", counts(prompt=100), (100, 6679)),
            ("reasoning only", {**counts(prompt=22, completion=0, total=22), "completion_tokens_details": {"reasoning_tokens": 7381}}, (22, 7381)),
            ("less than its reasoning", {**counts(prompt=22, completion=5, total=27), "completion_tokens_details": {"reasoning_tokens": 381}}, (22, 381)),
            ("thinking in the total", counts(prompt=100, completion=20, total=900), (100, 800)),
        )
    ),
    Condition("usage: no output for a call", (called(json.dumps({"code": "#" + "a" * 8000 + "\n" + CODE}), usage=counts(prompt=100, completion=0, total=100)),), tokens=(100, 2732)),
    Condition("usage: impossible total", (http(json.dumps(whole(usage=None)).replace('"usage": null', '"usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 99999999999999999999}')),), tokens=(100, 20)),
    claude("no output tokens", sse(START.replace(b'"output_tokens": 1', b'"output_tokens": 0'), block(WORDS), end(output_tokens=0)), result=WORDS, tokens=(100, 6677)),
    claude("no output tokens for a call", sse(START, use(ARGUMENTS), end("tool_use", output_tokens=0)), tokens=None),
)  # fmt: skip

REPLIES = (
    once("empty arguments", called(""), 1, (100, 20), result="called a tool"),
    Condition("empty object as arguments", (called("{}"),), "called a tool"),
    Condition("another tool's name", (called(ARGUMENTS, name="python"),)),
    Condition("arguments under another name", (called(json.dumps({"source": CODE})),), "called a tool"),
    Condition("arguments as plain code", (called(CODE),)),
    Condition("arguments encoded twice", (called(json.dumps(ARGUMENTS)),)),
    Condition("code as a JSON text", (called(json.dumps(CODE)),)),
    Condition("the old dialect's function_call", (stream(delta({"function_call": {"name": "execute_python", "arguments": ARGUMENTS}}), delta({}, "function_call", USAGE)),)),
    once("the choice's finish is an error", stream(delta({"content": "```python\nset_answer('par"}), delta({}, "error"))),
    once("the provider is disconnected", sse(delta({"content": "Let me"}), event({"error": {"code": 502, "message": "gone"}, "choices": [{"index": 0, "delta": {}, "finish_reason": "error"}]}))),
    Condition("no choices", (http({"choices": [], "usage": USAGE}),), "ProviderDown", 4, None, waits=(1.0, 2.0, 4.0)),
    Condition("an error in the choice", (http({"choices": [{"message": {"content": "part"}, "finish_reason": "error", "error": {"code": 502, "message": REASON}}], "usage": USAGE}),), "ProviderDown", 4, None, REASON),
    once("a choice that is overloaded", http({"choices": [{"message": {"content": ""}, "finish_reason": "error", "error": {"code": 429, "message": "slow down"}}], "usage": USAGE}), waits=(1.0,)),
    Condition("empty and no usage", (text("", usage=counts(prompt=0, completion=0, total=0)),), "sent an empty reply", tokens=None),
    Condition("no message", (http({"choices": [{"message": None, "finish_reason": "stop", "text": FENCED}], "usage": USAGE}),), "ProviderDown", 4, None),
    Condition("a text completion", (http({"choices": [{"text": FENCED, "index": 0, "finish_reason": "stop"}], "usage": USAGE}),), "ProviderDown", 4, None),
    Condition("a text as body", (http('"ok"'),), "ProviderDown", 4, None),
    Condition("a list as body", (http([{"generated_text": "hi"}]),), "ProviderDown", 4, None),
    Condition("lines of JSON", (http(b'{"message": {"content": "hi"}, "done": false}\n{"done": true}\n', kind="application/x-ndjson"),), "ProviderDown", 4, None),
    Condition("no content", (b"HTTP/1.1 204 No Content\r\n\r\n",), "ProviderDown", 4, None),
    Condition("HTTP 2", (b"\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x80",), "ProviderDown", 4, None, "no answer"),
    once("a portal's page", http("<html>captive portal</html>", kind="text/html")),
    once("a connection that is lost", b""),
    once("a stream that is lost", sse(delta({"content": "Let"}))),
    Condition("a length that is never reached", (http(PLAIN, content_length="100000"),), "ProviderDown", 4, None),
    Condition("an error event", (sse(b'event: error\ndata: {"error":{"message":"CUDA out of memory","type":"server_error"}}\n\n'),), "ModelRefused", tokens=None, says="too little memory"),
    Condition("an error in plain words", (sse(b"data: error: CUDA out of memory\n\n"),), "ProviderDown", 4, None),
    Condition("a header of 9,000 bytes", (http(PLAIN, content_security_policy="x" * 9000),)),
    Condition("a header of 60,000 bytes", (http(PLAIN, content_security_policy="x" * 60_000),)),
    *(Condition(f"{count} headers", (http(PLAIN, **{f"x-h{at}": "v" for at in range(count)}),)) for count in (100, 140, 240)),
    claude("a header of 60,000 bytes", http({"role": "assistant", "content": [{"type": "text", "text": FENCED}], "stop_reason": "end_turn", "usage": {"input_tokens": 100, "output_tokens": 20}}, content_security_policy="x" * 60_000)),
)  # fmt: skip

LIMIT = {"error": {"message": "Rate limit reached", "type": "requests", "code": "rate_limit_exceeded"}}
STATUSES = (
    *(Condition(f"status {status}", (error("no", status),), kind, requests, None, words) for status, kind, requests, words in ((421, "ProviderRefused", 1, "refused"), (404, "ModelRefused", 1, "does not know"))),
    Condition("a redirect", (http("", 308, location="https://other.example/"),), "AccountRefused", 1, None),
    once("an overloaded page", http("<html><h1>529</h1></html>", 529, "text/html")),
    once("a proxy's time-out", http("<html>524: A timeout occurred</html>", 524, "text/html")),
    once("a model that is loading", error("Loading model", 503)),
    once("status 408", error("timeout", 408)),
    *(once(f"status {status}", error("upstream model failed", status), waits=(1.0,)) for status in (424, 425, 499)),
    Condition("llama.cpp's parser", (unless(TOOLS, error(PARSER, 500)),), requests=2),
    Condition("llama.cpp's parser without tools", (error(PARSER, 500),), "ProviderRefused", 2, None),
    Condition("llama.cpp's grammar", (unless(TOOLS, error("The model produced output that does not match the expected peg-native format", 500)),), requests=2),
    Condition("a template without tools", (unless(TOOLS, error("Value is not callable: null at row 62, column 114 in template", 500)),), requests=2),
    *(Condition(f"roles must alternate, status {status}", (unless(SYSTEM, error(ROLES, status)),), requests=2) for status in (400, 500)),
    Condition("no system role", (unless(SYSTEM, error("System role not supported")),), requests=2),
    Condition("tools are unsupported", (unless(TOOLS, error("Unsupported parameter: 'tools' is not supported with this model.")),), requests=2),
    Condition("Ollama without tools", (unless(TOOLS, error("gemma:2b does not support tools")),), requests=2),
    Condition("vLLM without a parser", (unless(TOOLS, error('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set')),), requests=2),
)  # fmt: skip

WAITS = (
    *(
    once(f"limit: {name}", http(body, 429, **headers), waits=waits)
    for name, headers, body, waits in (
        ("retry-after 0", {"retry_after": "0"}, LIMIT, (0.1,)),
        ("a negative retry-after", {"retry_after": "-5"}, LIMIT, (1.0,)),
        ("a retry-after in words", {"retry_after": "1.5s"}, LIMIT, (1.0,)),
        ("two retry-afters", {"retry_after": "2, 2"}, LIMIT, (1.0,)),
        ("a reset of the requests", {"x-ratelimit-reset-requests": "3s", "x-ratelimit-remaining-requests": "0"}, LIMIT, (3.0,)),
        ("a reset in minutes", {"x-ratelimit-reset-tokens": "0m2.5s", "x-ratelimit-remaining-tokens": "0"}, LIMIT, (2.5,)),
        ("a reset of a limit that isn't used up", {"x-ratelimit-reset-requests": "30s", "x-ratelimit-remaining-requests": "9"}, LIMIT, (1.0,)),
        ("a reset after an hour", {"x-ratelimit-reset-tokens": "1h0m0s", "x-ratelimit-remaining-tokens": "0"}, LIMIT, (60.0,)),
        ("a reset next to retry-after", {"retry_after": "2", "x-ratelimit-reset-tokens": "9s", "x-ratelimit-remaining-tokens": "0"}, LIMIT, (2.0,)),
        ("Gemini's delay", {}, {"error": {"code": 429, "message": "Resource has been exhausted.", "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "3s"}]}}, (3.0,)),
        ("Gemini's list", {}, [{"error": {"code": 429, "message": "You exceeded your current quota. Please retry in 2.5s."}}], (2.5,)),
    )
    ),
    claude("an overload as the first event", sse(failed("overloaded_error")), FINE, requests=2, tokens=None),
    claude("an overload after the start", sse(START, failed("overloaded_error")), FINE, requests=2, tokens=None),
    claude("an overload after some text", sse(START, block("Let me " * 50), failed("overloaded_error")), FINE, requests=2, tokens=None),
    claude("an error in the middle", sse(START, block("x"), failed("api_error", "Internal server error")), FINE, requests=2, tokens=None),
    claude("a rate limit in the middle", sse(START, failed("rate_limit_error", "Number of request tokens has exceeded your per-minute rate limit")), FINE, requests=2, tokens=None),
    claude("an error without a type", sse(START, b'event: error\ndata: {"message":"upstream died"}\n\n'), FINE, requests=2, tokens=None),
    claude("a prompt that is too long", sse(START, failed("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")), result="PromptTooLong", requests=2, tokens=None),
    claude("a stream without an end", sse(START, block(FENCED)), FINE, requests=2, tokens=None),
    claude("status 413", http("<html>413 Request Entity Too Large nginx</html>", 413, "text/html"), result="PromptTooLong", tokens=None),
    claude("an expired token", http({"message": "The security token included in the request is expired"}, 403), result="ModelRefused", tokens=None),
    claude("an unknown model", http({"error": {"type": "not_found_error", "message": "model: m"}}, 404), result="ModelRefused", tokens=None),
)  # fmt: skip

CLAUDE = (
    claude("usage in the last event", sse(START, block(FENCED), end(input_tokens=100, cache_creation_input_tokens=50, cache_read_input_tokens=30)), tokens=(180, 20)),
    claude("usage with nulls", sse(START, block(FENCED), end(input_tokens=None, cache_read_input_tokens=None))),
    claude("a call that is cut off", sse(START, use('{"code": "print(1'), end("max_tokens", output_tokens=8000)), FINE, result="length", tokens=(100, 8000)),
    claude("a call without arguments", sse(START, use(), end("tool_use")), result="called a tool"),
    claude("two blocks with one index", sse(START, part("content_block_start", index=0, content_block={"type": "text", "text": "Let me"}), use(ARGUMENTS), end("tool_use"))),
    claude("text in the block's start", sse(START, part("content_block_start", index=0, content_block={"type": "text", "text": FENCED}), end())),
    claude("an unknown stop reason", sse(START, block(FENCED), end("compaction"))),
    claude("whole JSON instead of a stream", http({"role": "assistant", "content": [{"type": "text", "text": FENCED}], "stop_reason": "end_turn", "usage": {"input_tokens": 100, "output_tokens": 20}})),
)  # fmt: skip

CONDITIONS = (*STREAMS, *FRAMES, *CLAUDE_FRAMES, *USAGES, *REPLIES, *STATUSES, *WAITS, *CLAUDE)
