"""The Anthropic Messages API, at Anthropic, Bedrock, Vertex and compatible servers.

Cache marks (`cache_control: ephemeral`) are always set on the system prompt, because all workers of a run share
it. If a tool is offered, they are also set on the first user message, which never changes, and on the last one,
so that the next turn reads everything before it from the cache. A prompt whose model may request more code is
marked too, since most do. Other prompts are not marked, because writing to the cache costs 25 % more.

Thinking blocks are sent back unchanged, before the text, and only to the model that wrote them.
"""

import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, TypeVar

import anthropic
from pydantic import SecretStr

from deeprepo.rlm.errors import ProviderDown
from deeprepo.rlm.models.answers import JSON_ONLY, Stop, completion, parse, sendable
from deeprepo.rlm.models.connection import HttpModel, count, frames, transport
from deeprepo.rlm.models.forms import RequestForm
from deeprepo.rlm.models.provider import Key, key_text
from deeprepo.rlm.models.stream import Messages
from deeprepo.rlm.values import Completion, Effort, Message, Prompt, Schema, ToolCall, Usage

T = TypeVar("T")
STOPS: Mapping[str, Stop] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "pause_turn": "length",  # the server stopped early and could continue
    "refusal": "refusal",
}
EFFORTS: Mapping[Effort, str] = {"none": "low"}  # the lowest value
THINKING = {"thinking", "redacted_thinking"}
CACHED = {"cache_control": {"type": "ephemeral"}}

# At DEBUG, this library logs whole requests, including prompts, even if only the root logger's level was set.
logging.getLogger("anthropic").setLevel(logging.INFO)


class Events(anthropic.AsyncStream[T]):
    """The library's stream with a size limit."""

    async def _iter_events(self) -> AsyncIterator[Any]:
        async for event in frames(self._decoder, self.response.aiter_bytes()):
            yield event


class AnthropicModel(HttpModel):
    """A model at Anthropic, or at a server with the same dialect.

    A structured answer is requested as a forced tool call. Newer models that always think reject that with a 400, and
    are then given a JSON schema.
    """

    path, assembly = "/v1/messages", Messages
    failure, stream = anthropic.AnthropicError, Events
    answers = ("tool", "schema", "text")
    sampling_names = {"temperature": "temperature", "top_p": "top_p", "stop": "stop_sequences"}  # noqa: RUF012
    fields = frozenset({"answer", "effort", "extras", "stream", "most"})

    def __init__(self, name: str, url: str, timeout: float, open_client: Callable[[], Any]) -> None:
        super().__init__(name, url, timeout, RequestForm(answer="tool"), open_client)

    def body(self, prompt: Prompt, form: RequestForm) -> dict[str, Any]:
        """Return the body of the request."""
        rest = list(prompt.messages)  # later system messages are sent as the user, to keep the cached prefix unchanged
        system = sendable(rest.pop(0).text) if rest[0].role == "system" else ""
        if prompt.answer and form.answer == "text":
            rest.append(Message("user", JSON_ONLY + json.dumps(prompt.answer.parameters)))
        request: dict[str, Any] = {"model": self.name.partition("/")[2], "max_tokens": form.cap(prompt)}
        request["messages"] = _messages(rest, self.name if form.extras else "")
        if system.strip():
            request["system"] = [{"type": "text", "text": system, **CACHED}]
        tools = [_tool(prompt.tool)] if prompt.tool else []
        config: dict[str, Any] = {}
        if prompt.effort and form.effort:
            config["effort"] = EFFORTS.get(prompt.effort, prompt.effort)
        if prompt.answer and form.answer == "tool":
            tools.append(_tool(prompt.answer))
            request["tool_choice"] = {"type": "tool", "name": prompt.answer.name}
        elif prompt.answer and form.answer == "schema":
            config["format"] = {"type": "json_schema", "schema": prompt.answer.parameters}
        request |= {"stream": True} if form.stream else {}
        request |= ({"output_config": config} if config else {}) | ({"tools": tools} if tools else {})
        for block in _blocks_to_cache(prompt, request["messages"]):
            block.update(CACHED)
        return request

    def read(self, reply: Mapping[str, Any], prompt: Prompt, form: RequestForm) -> Completion:
        """Convert a reply to a Completion. Raises ProviderDown if it contains no message."""
        content = reply.get("content")
        if not isinstance(content, list):
            raise ProviderDown(f"{self.name.partition('/')[0]} sent a reply without a message. Try again")
        blocks = [block for block in content if isinstance(block, Mapping)]
        said = "".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")
        calls = tuple(_call(block) for block in blocks if block.get("type") == "tool_use")
        stop = STOPS.get(str(reply.get("stop_reason")), "end")
        usage = self.usage_of_whole(reply.get("usage") or {}, prompt, content)
        thinking = [dict(block) for block in blocks if block.get("type") in THINKING]  # verbatim
        extra = {"model": self.name, "blocks": thinking} if thinking else None
        return completion(prompt, form, said, calls, stop, usage, extra)

    def usage(self, report: Mapping[str, Any], prompt: Prompt, work: object) -> Usage:
        """Return the reported tokens. In this dialect, `input_tokens` excludes cache reads and writes."""
        read_, write = count(report.get("cache_read_input_tokens")), count(report.get("cache_creation_input_tokens"))
        prompt_tokens = count(report.get("input_tokens")) + read_ + write
        output_tokens = self.output(count(report.get("output_tokens")), prompt, work)
        return Usage(prompt_tokens or self.estimate(prompt, work).input, output_tokens, read_, write)


def client_of(key: Key, url: str, timeout: float) -> Callable[[], anthropic.AsyncAnthropic]:
    """Return a function that creates the library's client for this key and address."""
    secret = SecretStr(key_text(key))

    def client() -> anthropic.AsyncAnthropic:
        key_text = secret.get_secret_value() or "none"  # without a key, the library would look for one itself
        is_gateway = not url.startswith("https://api.anthropic.com")  # gateways expect the key in `Authorization`
        return anthropic.AsyncAnthropic(
            api_key=key_text,
            base_url=url,
            max_retries=0,
            open_telemetry=False,  # its spans could contain prompts
            default_headers={"Authorization": f"Bearer {key_text}"} if is_gateway else None,
            http_client=transport(anthropic.DefaultAioHttpClient, url, timeout),
        )

    return client


def _blocks_to_cache(prompt: Prompt, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the blocks to mark, which end the prefix that the dialogue's next call repeats."""
    if prompt.tool and messages:
        return [message["content"][-1] for message in (messages[0], messages[-1])]
    if prompt.answer and prompt.answer.final and messages:  # most models request more code
        return [messages[0]["content"][0]]
    return []


def _messages(messages: Sequence[Message], own: str) -> list[dict[str, Any]]:
    """Return the messages with alternating roles and without empty texts, as the endpoint requires."""
    sent_messages: list[dict[str, Any]] = []
    for message in messages:
        role, blocks = "assistant" if message.role == "assistant" else "user", _blocks(message, own)
        if sent_messages and sent_messages[-1]["role"] == role:
            sent_messages[-1]["content"] += blocks
        elif blocks:
            sent_messages.append({"role": role, "content": blocks})
    return sent_messages


def _blocks(message: Message, own: str) -> list[dict[str, Any]]:
    """Return a message's blocks, starting with thinking by the model `own`, as the endpoint requires."""
    text = sendable(message.text)
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.call_id, "content": text or "(nothing)"}]
    extra = message.extra if own else None
    thinking = [dict(block) for block in extra["blocks"]] if extra and extra.get("model") == own else []
    said = [{"type": "text", "text": text}] if text.strip() else []
    return [*thinking, *said, *map(_use, message.calls)]


def _use(call: ToolCall) -> dict[str, Any]:
    arguments = {"unparsed": call.unparsed_arguments} if call.unparsed_arguments else dict(call.arguments)
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments}


def _tool(schema: Schema) -> dict[str, Any]:
    return {"name": schema.name, "description": schema.description, "input_schema": schema.parameters}


def _call(block: Mapping[str, Any]) -> ToolCall:
    given = block.get("input")
    identity = str(block.get("id", "")), str(block.get("name", ""))
    values = given if isinstance(given, Mapping) else parse(given) if isinstance(given, str) else None
    if values is not None:
        return ToolCall(*identity, values)
    return ToolCall(*identity, {}, given if isinstance(given, str) else json.dumps(given))
