"""If a server refuses a request for unknown reasons, plainer formats are tried; known ones are recognized."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from raw_server import raw_server
from talking import ANSWER, TOOL, asked

from bot.secrets.masking import Masks
from deeprepo.rlm import models
from deeprepo.rlm.errors import (
    PromptRefused,
    PromptTooLong,
    ProviderDown,
    ProviderError,
    ProviderRefused,
    RateLimited,
)
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.money.budget import Budget
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.values import Completion, Limits, Message, Model, Prompt, Usage

ODD = {"error": {"message": "Not acceptable here.", "type": "invalid_request_error"}}
FINE = {"choices": [{"message": {"role": "assistant", "content": '{"findings": []}'}, "finish_reason": "stop"}]}
FINE["usage"] = {"prompt_tokens": 50, "completion_tokens": 5}  # type: ignore[assignment]
Body = Mapping[str, Any]
Answer = tuple[int, object]


def talk(
    answer: Callable[[Body], Answer],
    use: Callable[[Model], Any],
    headers: str = "",
    kind: str = "application/json",
    name: str = "compatible/m",
) -> tuple[Any, list[Body]]:
    """Run `use` with a model whose server answers like this; return its result or error, and all bodies."""
    bodies: list[Body] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.partition("content-length:")[2].split()[0])
        bodies.append(json.loads(await reader.readexactly(length)))
        status, said = answer(bodies[-1])
        raw = said if isinstance(said, bytes) else json.dumps(said).encode()
        first = f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {len(raw)}\r\n{headers}connection: close\r\n\r\n"
        writer.write(first.encode() + raw)

    async def run() -> Any:  # noqa: ANN401 - whatever `use` returns
        async with raw_server(serve) as port:
            model = models.connect(name, "key", f"http://127.0.0.1:{port}/v1")
            try:
                return await use(model)
            except ProviderError as error:
                return error
            finally:
                await model.close()

    return asyncio.run(run()), bodies


def refused(status: int, said: object, headers: str = "", kind: str = "application/json") -> ProviderError:
    """Return the error that a call raises for this response."""
    error, _ = talk(lambda _: (status, said), lambda model: model.complete(asked()), headers, kind)
    assert isinstance(error, ProviderError)
    return error


NOT_TAKEN: dict[str, Callable[[Body], object]] = {
    "streams": lambda body: body.get("stream"),
    "the usage of streams": lambda body: body.get("stream_options"),
    "a system role": lambda body: body["messages"][0]["role"] == "system",
    "response formats": lambda body: body.get("response_format"),
    "response formats and tools": lambda body: body.get("response_format") or body.get("tools"),
    "tools": lambda body: body.get("tools"),
    "effort": lambda body: body.get("reasoning_effort"),
    "the newer name of the cap": lambda body: body.get("max_completion_tokens"),
    "long replies": lambda body: max(body.get("max_tokens", 0), body.get("max_completion_tokens", 0)) > 5_000,
    "streams and a system role": lambda body: body.get("stream") or body["messages"][0]["role"] == "system",
}


@pytest.mark.parametrize("refuses", NOT_TAKEN.values(), ids=NOT_TAKEN)
@pytest.mark.parametrize("kind", ["answer", "tool"])
def test_refusal_in_any_wording_leads_to_a_plainer_format(refuses: Callable[[Body], object], kind: str) -> None:
    """Unsupported features are removed one at a time, and the format that works is kept."""
    base = asked(answer=ANSWER) if kind == "answer" else asked(tool=TOOL)
    prompt = Prompt(base.messages, base.answer, base.tool, max_tokens=20_000, effort="low")

    async def use(model: Model) -> list[Completion]:
        return [await model.complete(prompt) for _ in range(2)]

    replies, bodies = talk(lambda body: (400, ODD) if refuses(body) else (200, FINE), use, name="azure/m")
    assert [reply.text for reply in replies] == ['{"findings": []}'] * 2
    assert len(bodies) <= 12
    assert not refuses(bodies[-1])


def test_refusal_of_both_limit_names_leads_to_a_smaller_limit() -> None:
    """If both names of the reply limit are refused, the third request has a smaller limit."""
    said = {"error": {"code": "1214", "message": "max_tokens参数非法。请检查文档。"}}
    prompt = replace(asked(), max_tokens=20_000)

    async def use(model: Model) -> Completion:
        return await model.complete(prompt)

    def refuses(body: Body) -> bool:
        return max(body.get("max_tokens", 0), body.get("max_completion_tokens", 0)) > 4_095

    reply, bodies = talk(lambda body: (400, said) if refuses(body) else (200, FINE), use)
    assert reply.text == '{"findings": []}'
    assert len(bodies) == 3


def test_concurrent_calls_wait_for_an_accepted_format() -> None:
    """Twenty concurrent calls are all answered, although the server refuses streams with odd words."""

    async def use(model: Model) -> list[Completion]:
        return await asyncio.gather(*(model.complete(asked(f"q{number}")) for number in range(20)))

    replies, _ = talk(lambda body: (400, ODD) if body.get("stream") else (200, FINE), use)
    assert len(replies) == 20


def test_server_refusing_every_format_is_asked_in_each_format_once() -> None:
    """If a server refuses all formats, each format is tried once, and later calls send one request."""

    async def use(model: Model) -> list[object]:
        return await asyncio.gather(*(model.complete(asked(f"q{at}")) for at in range(9)), return_exceptions=True)

    errors, bodies = talk(lambda _: (400, ODD), use)
    assert {type(error) for error in errors} == {ProviderRefused}
    assert len(bodies) <= 9 + 6


def test_accepted_format_is_not_replaced_after_a_later_refusal() -> None:
    """After one success with the same format, a refusal is about the prompt, so no other format is tried."""

    async def use(model: Model) -> list[object]:
        return [
            await model.complete(asked("fine")),
            await asyncio.gather(model.complete(asked("bad")), return_exceptions=True),
        ]

    (fine, (error,)), bodies = talk(lambda body: (400, ODD) if "bad" in json.dumps(body) else (200, FINE), use)
    assert (type(fine), type(error), len(bodies)) == (Completion, ProviderRefused, 2)


def test_large_prompt_refused_in_every_format_counts_as_too_long() -> None:
    """If a large prompt is refused in all formats, the error is PromptTooLong, so that it gets split."""
    error, _ = talk(
        lambda body: (400, ODD) if len(json.dumps(body)) > 30_000 else (200, FINE),
        lambda model: model.complete(asked("x" * 60_000)),
    )
    assert type(error) is PromptTooLong
    assert error.window is None


@pytest.mark.parametrize(
    ("message", "window"),
    [
        ("length of prompt_tokens (19000) must be less than max_seq_len (8192).", 8192),
        ("Prompt has 19000 tokens, but the model only supports 8192", 8192),
        ("输入长度19,000超过模型最大长度8,192", 8192),
        ("19000 sind zu viel (Fehler 12)", None),
        ("row 900000 of shard 8192 is locked", None),
    ],
)
def test_window_is_read_from_the_numbers_in_the_refusal(message: str, window: int | None) -> None:
    """If a refusal compares the prompt's size with a smaller number, that number is the window."""
    error, _ = talk(
        lambda body: (400, {"error": {"message": message}}) if len(json.dumps(body)) > 30_000 else (200, FINE),
        lambda model: model.complete(asked("x" * 60_000)),
    )
    assert (type(error), error.window) == (PromptTooLong, window)


@pytest.mark.parametrize(
    ("status", "message", "window"),
    [
        (400, "Invalid request: Your request exceeded model token limit: 8192 (requested: 26903)", 8192),
        (400, "model max length exceeded, max length:8192", 8192),
        (400, "Prompt exceeds max length", None),
        (400, "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 8192]", 8192),
        (400, "The decoder prompt (length 26903) is longer than the maximum model length of 8192.", 8192),
        (500, "The decoder prompt (length 26903) is longer than the maximum model length of 8192.", 8192),
        (400, "prompt token count of 26903 exceeds the limit of 8192", 8192),
        (400, "too many tokens: total tokens exceeds the model's max of 8192", 8192),
        (400, "the maximum supported sequence length is just 8192", 8192),
        (400, "Input validation error: `inputs` must have less than 8192 tokens. Given: 26903", 8192),
        (
            400,
            "25903 and 1000 tokens require a sequence length of 26903, but the maximum supported sequence length is 8192",
            8192,
        ),
    ],
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_too_long_prompt_is_recognized_in_gateway_responses(
    status: int, message: str, window: int | None, *, wrapped: bool
) -> None:
    """The reason is recognized in the provider's own response and inside a gateway's response."""
    own = {"error": {"message": message}} if status < 500 else {"detail": message}
    gateway = {"error": {"message": "Provider returned error", "code": status, "metadata": {"raw": json.dumps(own)}}}
    error = refused(status, gateway if wrapped else own)
    assert (type(error), getattr(error, "window", 0)) == (PromptTooLong, window)


MODERATED = [
    (403, {"error": {"message": "Your input was flagged", "code": 403, "metadata": {"reasons": ["violence"]}}}),
    (400, {"error": {"message": "The response was filtered.", "code": "content_filter", "param": "prompt"}}),
]


@pytest.mark.parametrize(("status", "said"), MODERATED)
def test_content_filter_refusal_affects_only_its_prompt(status: int, said: object) -> None:
    """If a content filter refuses one prompt, the others are sent, and the error doesn't blame the key."""

    async def use(model: Model) -> tuple[list[object], str]:
        calls = Calls(Budget(Limits(usd=None)), Journal(), Masks())
        prompts = [Prompt((Message("user", f"q{at}"),)) for at in range(5)]
        return list(await calls.many(model, prompts, "worker")), str(calls.failure)

    (slots, failure), _ = talk(lambda body: (status, said) if "q0" in json.dumps(body) else (200, FINE), use)
    assert [type(slot) for slot in slots] == [PromptRefused, *[Completion] * 4]
    assert "content filter" in failure
    assert "key" not in failure


@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "application/json", ""])
@pytest.mark.parametrize(
    "said", [b"<html>Sign in</html>", b"\n<!doctype html>", b"It works!", b"\xff\xfe\x00", b"null"]
)
def test_non_json_reply_is_reported(said: bytes, kind: str) -> None:
    """A web page or other non-JSON text with status 200 raises an error, with nothing billed."""
    error = refused(200, said, kind=kind)
    assert "web page or other text" in str(error)
    assert (type(error), error.may_be_billed) == (ProviderDown, False)


def test_unaffordable_reply_is_retried_with_fewer_tokens() -> None:
    """The next request asks for the number of affordable tokens in OpenRouter's 402."""
    poor = {
        "error": {
            "message": "You requested up to 20000 tokens, but can only afford 9000. max_tokens is too high.",
            "code": 402,
        }
    }
    prompt = Prompt((Message("user", "q"),), max_tokens=20_000)
    reply, bodies = talk(
        lambda body: (402, poor) if body["max_completion_tokens"] > 9_000 else (200, FINE),
        lambda m: m.complete(prompt),
        name="azure/m",
    )
    assert isinstance(reply, Completion)
    assert [body["max_completion_tokens"] for body in bodies] == [20_000, 9_000]


def test_retry_after_is_kept_for_every_status() -> None:
    """A 503 with `Retry-After` is handled like a 429."""
    error = refused(503, {"error": {"message": "loading"}}, "retry-after: 12\r\n")
    assert isinstance(error, RateLimited)
    assert error.retry_after == 12


def test_unusable_reply_is_billed_at_its_reported_usage() -> None:
    """An unusable reply is billed at the usage it reports, not at the reserved amount."""
    error = refused(200, {"choices": [], "usage": {"prompt_tokens": 1500, "completion_tokens": 20}})
    assert error.usage == Usage(1500, 20)
