"""Anthropic Messages.

Cache marks (`cache_control: ephemeral`): the system prompt always, because all workers of a review share it; in a
dialogue, that is where a tool is offered, also the first user message, which stays as it is, and the last one, so that
the next turn reads everything before it from the cache. A single question is not marked beyond its system prompt:
writing to the cache costs a quarter more, and nobody would read it.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import anthropic
from pydantic import SecretStr

from bot.errors import ProviderDown
from bot.models import failures, prices
from bot.models.answers import json_object, sendable
from bot.models.connection import Client, Connection, Refused, transport
from bot.models.provider import Key, revealed
from bot.values import Completion, Message, Prompt, Schema, ToolCall, Usage

Stop = Literal["end", "length", "tool", "refusal"]
Form = Literal["tool", "schema"]
STOPS: Mapping[str, Stop] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool",
    "refusal": "refusal",
}
CACHED = {"cache_control": {"type": "ephemeral"}}

# At DEBUG this library logs whole requests, prompts included, whatever set the level: the root logger or a variable.
logging.getLogger("anthropic").setLevel(logging.INFO)


class AnthropicModel:
    """One model of Anthropic, or of a server that speaks its dialect. Satisfies `ports.Model`.

    A structured answer is a forced tool; newer models that think before every answer refuse that in a 400, and are then
    asked by JSON schema: `asked_again` counts these, so that requests at the server == calls + asked_again.
    """

    def __init__(self, name: str, key: Key, url: str, timeout: float) -> None:
        self.name = name
        self.asked_again = 0
        self._model = name.partition("/")[2]
        self._form: Form = "tool"
        secret = SecretStr(revealed(key))

        def client() -> Client:
            return anthropic.AsyncAnthropic(
                api_key=secret.get_secret_value() or "none",  # without one the library would send what it finds itself
                base_url=url,
                max_retries=0,
                open_telemetry=False,  # its spans could carry prompts
                http_client=transport(anthropic.DefaultAioHttpClient, timeout, url),
            )

        self._connection = Connection(name, url, "/v1/messages", timeout, client, anthropic.AnthropicError)

    def __repr__(self) -> str:
        return f"AnthropicModel({self.name!r})"

    async def complete(self, prompt: Prompt) -> Completion:
        """One request; one more where the model refuses a forced tool."""
        form = self._form
        try:
            return read(await self._connection.send(body(self._model, prompt, form)), prompt, self.name)
        except Refused as error:
            refusal = error.refusal
        if not (prompt.answer and form == "tool" and "tool_choice" in refusal.words):
            raise failures.translate(refusal, self.name)
        self.asked_again += 1
        try:
            reply = await self._connection.send(body(self._model, prompt, "schema"))
        except Refused as error:
            raise failures.translate(error.refusal, self.name) from None
        self._form = "schema"
        return read(reply, prompt, self.name)

    def price(self, usage: Usage) -> float | None:
        """Dollars for this usage, None where the price is unknown."""
        return prices.dollars(self.name, usage)

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()


def body(model: str, prompt: Prompt, form: Form) -> dict[str, Any]:
    """The request as the endpoint wants it."""
    system, rest = _split(prompt.messages)
    sent: dict[str, Any] = {"model": model, "max_tokens": prompt.max_tokens, "messages": _messages(rest)}
    if system:
        sent["system"] = [{"type": "text", "text": system, **CACHED}]
    tools = [_tool(prompt.tool)] if prompt.tool else []
    if prompt.answer and form == "tool":
        tools.append(_tool(prompt.answer))
        sent["tool_choice"] = {"type": "tool", "name": prompt.answer.name}
    elif prompt.answer:
        sent["output_config"] = {"format": {"type": "json_schema", "schema": prompt.answer.parameters}}
    if tools:
        sent["tools"] = tools
    if prompt.tool and sent["messages"]:
        for message in (sent["messages"][0], sent["messages"][-1]):
            message["content"][-1].update(CACHED)
    return sent


def _split(messages: Sequence[Message]) -> tuple[str, list[Message]]:
    """The system prompt, and the dialogue. A system message further on would change the cached prefix: it is told as the user."""
    first = next((at for at, message in enumerate(messages) if message.role != "system"), len(messages))
    return "\n\n".join(sendable(message.text) for message in messages[:first] if message.text.strip()), list(
        messages[first:]
    )


def _messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Roles alternate, as the endpoint demands: neighbours of one role become one message. Empty texts are refused there."""
    sent: list[dict[str, Any]] = []
    for message in messages:
        role, blocks = "assistant" if message.role == "assistant" else "user", _blocks(message)
        if sent and sent[-1]["role"] == role:
            sent[-1]["content"] += blocks
        elif blocks:
            sent.append({"role": role, "content": blocks})
    return sent


def _blocks(message: Message) -> list[dict[str, Any]]:
    text = sendable(message.text)
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.call_id, "content": text or "(nothing)"}]
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text.strip() else []
    for call in message.calls:
        arguments = {"unparsed": call.unparsed} if call.unparsed else dict(call.arguments)
        blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": arguments})
    return blocks


def _tool(schema: Schema) -> dict[str, Any]:
    return {"name": schema.name, "description": schema.description, "input_schema": schema.parameters}


def read(reply: Mapping[str, Any], prompt: Prompt, name: str) -> Completion:
    """A reply as a Completion. Raises ProviderDown where it holds none."""
    content = reply.get("content")
    if not isinstance(content, list):
        raise ProviderDown(f"{name.partition('/')[0]} answered without a message: try again")
    blocks = [block for block in content if isinstance(block, Mapping)]
    text = "".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")
    calls = tuple(_call(block) for block in blocks if block.get("type") == "tool_use")
    stop = STOPS.get(str(reply.get("stop_reason")), "end")
    data = None
    if prompt.answer and (mine := [call for call in calls if call.name == prompt.answer.name]):
        calls = tuple(call for call in calls if call not in mine)
        text = mine[0].unparsed or json.dumps(mine[0].arguments)
        data = (
            None if mine[0].unparsed or stop == "length" else mine[0].arguments
        )  # cut off, an input may be half there
        stop = "end" if stop == "tool" and not calls else stop
    elif prompt.answer and stop != "refusal":
        data = json_object(text)
    return Completion(text, _usage(reply.get("usage")), stop, data, calls)


def _call(block: Mapping[str, Any]) -> ToolCall:
    given = block.get("input")
    identity = str(block.get("id", "")), str(block.get("name", ""))
    return ToolCall(*identity, given) if isinstance(given, Mapping) else ToolCall(*identity, {}, json.dumps(given))


def _usage(found: object) -> Usage:
    """Tokens as reported: here `input_tokens` leaves out what was read from or written to the cache."""
    reported = found if isinstance(found, Mapping) else {}
    read_, write = reported.get("cache_read_input_tokens") or 0, reported.get("cache_creation_input_tokens") or 0
    return Usage((reported.get("input_tokens") or 0) + read_ + write, reported.get("output_tokens") or 0, read_, write)
