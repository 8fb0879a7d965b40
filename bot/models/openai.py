"""OpenAI Chat Completions, and every compatible server by its base URL.

What a server does not take, it says in a 400; the request is then sent once more in another form, and the form that
worked is remembered: `asked_again` counts these, so that requests at the server == calls + asked_again.
"""

import json
import logging
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Literal

import httpx2
import openai
from pydantic import SecretStr

from bot.errors import ProviderDown
from bot.models import failures, prices
from bot.models.answers import json_object, sendable, strict
from bot.models.connection import Client, Connection, Refused, transport
from bot.models.forms import Form, other
from bot.models.provider import Key, Tokens, revealed
from bot.values import Completion, Message, Prompt, Schema, ToolCall, Usage

Stop = Literal["end", "length", "tool", "refusal"]
STOPS: Mapping[str, Stop] = {
    "length": "length",
    "tool_calls": "tool",
    "function_call": "tool",
    "content_filter": "refusal",
}
JSON_ONLY = "Answer with one JSON object that fits this JSON schema, and with nothing else:\n"
CHARS_PER_TOKEN = 3  # low on purpose: where a server reports no usage, the caps must still hold
HTTP = httpx2 if int(openai.VERSION.partition(".")[0]) >= 3 else import_module("httpx")  # noqa: PLR2004 - a major version

# At DEBUG version 2 of this library logs whole requests, prompts included, whatever set the level: the root logger or a variable.
logging.getLogger("openai").setLevel(logging.INFO)


class OpenAIModel:
    """One model behind an OpenAI-compatible endpoint. Satisfies `ports.Model`."""

    def __init__(self, name: str, key: Key, url: str, timeout: float, tokens: Tokens = "max_completion_tokens") -> None:
        self.name = name
        self.asked_again = 0
        self._model = name.partition("/")[2]
        self._form = Form(tokens)
        secret = SecretStr(revealed(key))
        # The library's own organisation headers come from the environment: they are OpenAI's business alone.
        kept = (
            {}
            if name.startswith("openai/")
            else {"OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()}
        )

        def client() -> Client:
            return openai.AsyncOpenAI(
                api_key=secret.get_secret_value() or "none",  # without one the library would send what it finds itself
                base_url=url,
                max_retries=0,
                default_headers=kept,  # type: ignore[arg-type]
                http_client=transport(openai.DefaultAioHttpClient, timeout, url, HTTP),
            )

        self._connection = Connection(name, url, "/chat/completions", timeout, client, openai.OpenAIError, HTTP)

    def __repr__(self) -> str:
        return f"OpenAIModel({self.name!r})"

    async def complete(self, prompt: Prompt) -> Completion:
        """One request; one more for each form that the server refuses."""
        form, tried = self._form, {self._form}
        while True:
            try:
                reply = await self._connection.send(body(self._model, prompt, form))
            except Refused as error:
                refusal = error.refusal
            else:
                if len(tried) > 1:  # learnt; a slow call in the form of the start must not undo it
                    self._form = form
                return read(reply, prompt, form, self.name)
            form = self._form if self._form not in tried else other(form, refusal, prompt) or form
            if form in tried:
                raise failures.translate(refusal, self.name)
            tried.add(form)
            self.asked_again += 1

    def price(self, usage: Usage) -> float | None:
        """Dollars for this usage, None where the price is unknown."""
        return prices.dollars(self.name, usage)

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()


def body(model: str, prompt: Prompt, form: Form) -> dict[str, Any]:
    """The request as the endpoint wants it."""
    sent: dict[str, Any] = {"model": model, "messages": [_message(message) for message in prompt.messages]}
    sent[form.tokens] = prompt.max_tokens
    tools = [_tool(prompt.tool)] if prompt.tool and form.tools else []
    if prompt.answer and form.answer == "schema":
        wanted = prompt.answer
        schema = {"name": wanted.name, "description": wanted.description, "schema": wanted.parameters}
        sent["response_format"] = {
            "type": "json_schema",
            "json_schema": {**schema, "strict": strict(wanted.parameters)},
        }
    elif prompt.answer and form.answer == "tool":
        tools.append(_tool(prompt.answer))
        sent["tool_choice"] = {"type": "function", "function": {"name": prompt.answer.name}}
    elif prompt.answer:
        sent["messages"].append({"role": "user", "content": JSON_ONLY + json.dumps(prompt.answer.parameters)})
    if tools:
        sent["tools"] = tools
    return sent


def _tool(schema: Schema) -> dict[str, Any]:
    function = {"name": schema.name, "description": schema.description, "parameters": schema.parameters}
    return {"type": "function", "function": function}


def _message(message: Message) -> dict[str, Any]:
    sent: dict[str, Any] = {"role": message.role, "content": sendable(message.text)}
    if message.role == "tool":
        sent["tool_call_id"] = message.call_id
    if message.calls:
        sent["content"] = sent["content"] or None
        sent["tool_calls"] = [_call(call) for call in message.calls]
    return sent


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = {"unparsed": call.unparsed} if call.unparsed else dict(call.arguments)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(arguments)}}


def read(reply: Mapping[str, Any], prompt: Prompt, form: Form, name: str) -> Completion:
    """A reply as a Completion. Raises ProviderDown where it holds none."""
    choices = reply.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], Mapping) else {}
    message, ended = choice.get("message"), choice.get("finish_reason")
    if not isinstance(message, Mapping) or ended == "error":
        raise ProviderDown(f"{name.partition('/')[0]} answered without a message: try again")
    text, calls = _text(message.get("content")), _calls(message.get("tool_calls"))
    stop: Stop = "tool" if calls and ended != "length" else STOPS.get(str(ended), "end")
    if message.get("refusal"):
        text, stop = str(message["refusal"]), "refusal"
    data = None
    if (
        prompt.answer
        and form.answer == "tool"
        and (mine := [call for call in calls if call.name == prompt.answer.name])
    ):
        calls = tuple(call for call in calls if call not in mine)
        stop = "end" if stop == "tool" and not calls else stop
        text, data = mine[0].unparsed or json.dumps(mine[0].arguments), None if mine[0].unparsed else mine[0].arguments
    elif prompt.answer and stop != "refusal":
        data = json_object(text)
    usage = _usage(reply.get("usage"), prompt, text)
    return Completion(text, usage, stop if stop != "tool" or calls else "end", data, calls)


def _text(content: object) -> str:
    """The text of a message; some servers send a list of parts, of which thinking is none of our business."""
    if isinstance(content, list):
        return "".join(
            str(part.get("text", "")) for part in content if isinstance(part, Mapping) and part.get("type") == "text"
        )
    return content if isinstance(content, str) else ""


def _calls(found: object) -> tuple[ToolCall, ...]:
    calls = []
    for number, item in enumerate(found if isinstance(found, list) else ()):
        function = item.get("function") if isinstance(item, Mapping) else None
        if isinstance(function, Mapping):
            raw = function.get("arguments") or "{}"
            parsed = raw if isinstance(raw, Mapping) else json_object(str(raw))
            name, unparsed = str(function.get("name", "")), str(raw) if parsed is None else ""
            calls.append(ToolCall(str(item.get("id") or f"call_{number}"), name, parsed or {}, unparsed))
    return tuple(calls)


def _usage(found: object, prompt: Prompt, text: str) -> Usage:
    """Tokens as reported: cached ones are part of `prompt_tokens` here."""
    if not isinstance(found, Mapping) or not found.get("prompt_tokens"):
        asked = sum(len(message.text) for message in prompt.messages)
        return Usage(asked // CHARS_PER_TOKEN + 1, len(text) // CHARS_PER_TOKEN + 1)
    details = found.get("prompt_tokens_details") or {}
    read_, write = (
        details.get("cached_tokens") or found.get("prompt_cache_hit_tokens") or 0,
        details.get("cache_write_tokens") or 0,
    )
    return Usage(max(found["prompt_tokens"], read_ + write), found.get("completion_tokens") or 0, read_, write)
