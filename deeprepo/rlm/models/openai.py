"""OpenAI Chat Completions, and every compatible server by its base URL.

If a server rejects a parameter with a 400, the request is sent again in another form, and the form that worked is
remembered.

Thinking is sent back in the fields in which it came (`EXTRAS`), and only to the model that wrote it.
"""

import json
import logging
import math
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any, TypeVar

import httpx2
import openai
from pydantic import SecretStr

from deeprepo.rlm.errors import BadAnswer, ProviderDown
from deeprepo.rlm.models import failures
from deeprepo.rlm.models.answers import (
    JSON_ONLY,
    Stop,
    alternating,
    completion,
    parse,
    sendable,
    text_of,
)
from deeprepo.rlm.models.connection import HttpModel, count, frames, transport
from deeprepo.rlm.models.forms import RequestForm
from deeprepo.rlm.models.provider import Key, Tokens, key_text
from deeprepo.rlm.models.stream import Chat
from deeprepo.rlm.values import Completion, Message, Prompt, Schema, ToolCall, Usage

LENGTHS = "length max_tokens max_output_tokens max_completion_tokens model_length model_context_window_exceeded context_length_exceeded incomplete"
REFUSALS = "content_filter refusal safety recitation blocklist prohibited_content spii sensitive"
STOPS: Mapping[str, Stop] = {
    **dict.fromkeys(LENGTHS.split(), "length"),
    **dict.fromkeys(REFUSALS.split(), "refusal"),
}  # in lower case
# Finish reasons for failures of the server.
FAILED = {"error", "network_error", "insufficient_system_resource", "aborted", "abort", "cancelled"}
MALFORMED = "malformed_function_call"  # Gemini could not parse the model's tool call
EXTRAS = ("reasoning_content", "reasoning_details", "reasoning", "extra_content")
HTTP = httpx2 if int(openai.VERSION.partition(".")[0]) >= 3 else import_module("httpx")  # noqa: PLR2004 - a major version

T = TypeVar("T")

# At DEBUG, version 2 of this library logs whole requests, including prompts, even if only the root logger's level was set.
logging.getLogger("openai").setLevel(logging.INFO)


class Events(openai.AsyncStream[T]):
    """The library's stream with a size limit, and with whether the server has sent the end mark (`is_ended`)."""

    is_ended = False

    async def _iter_events(self) -> AsyncIterator[Any]:
        async for event in frames(self._decoder, self.response.aiter_bytes()):
            self.is_ended |= event.data.startswith("[DONE]")
            yield event


class OpenAIModel(HttpModel):
    """A model at an OpenAI-compatible endpoint."""

    path, assembly = "/chat/completions", Chat
    failure, stream, http = openai.OpenAIError, Events, HTTP
    answers = ("schema", "tool", "text")
    sampling_names = {name: name for name in ("temperature", "top_p", "seed", "stop")}  # noqa: RUF012
    fields = frozenset({"tokens", "answer", "tools", "system", "stream", "asks_usage", "effort", "extras", "most"})

    def __init__(
        self,
        name: str,
        key: Key,
        url: str,
        timeout: float,
        tokens: Tokens = "max_completion_tokens",
        headers: tuple[str, ...] = (),
    ) -> None:
        secret = SecretStr(key_text(key))

        def client() -> openai.AsyncOpenAI:
            key_text = secret.get_secret_value() or "none"  # without a key, the library would look for one itself
            # The library reads its organization headers from the environment. Only OpenAI should get them.
            default_headers: dict[str, Any] = dict.fromkeys(headers, key_text)
            if not name.startswith("openai/"):
                default_headers |= {"OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()}
            return openai.AsyncOpenAI(
                api_key=key_text,
                base_url=url,
                max_retries=0,
                default_headers=default_headers,
                http_client=transport(openai.DefaultAioHttpClient, url, timeout, HTTP),
            )

        super().__init__(name, url, timeout, RequestForm(tokens), client)

    def body(self, prompt: Prompt, form: RequestForm) -> dict[str, Any]:
        """Return the body of the request."""
        provider, _, model = self.name.partition("/")
        own = self.name if form.extras else ""
        messages = [_message(message, own) for message in prompt.messages]
        if not form.system:  # send instructions as the user
            messages = alternating({**row, "role": row["role"].replace("system", "user")} for row in messages)
        request: dict[str, Any] = {"model": model, "messages": messages}
        request[form.tokens] = form.cap(prompt)
        if prompt.effort and form.effort:
            is_nested, effort = provider == "openrouter", prompt.effort
            request |= {"reasoning": {"effort": effort}} if is_nested else {"reasoning_effort": effort}
        tools = [_tool(prompt.tool)] if prompt.tool and form.tools else []
        answer = prompt.answer
        if answer and form.answer == "schema":
            named = {"name": answer.name, "description": answer.description, "schema": answer.parameters}
            # Strict mode needs closed objects whose properties are all required, as all answers are (`findings.read.strict`).
            request["response_format"] = {"type": "json_schema", "json_schema": {**named, "strict": True}}
        elif answer and form.answer == "tool":
            tools.append(_tool(answer))
            request["tool_choice"] = {"type": "function", "function": {"name": answer.name}}
        elif answer:
            request["messages"].append({"role": "user", "content": JSON_ONLY + json.dumps(answer.parameters)})
        if tools:
            request["tools"] = tools
        if form.stream:
            request |= {"stream": True} | ({"stream_options": {"include_usage": True}} if form.asks_usage else {})
        return request

    def read(self, reply: Mapping[str, Any], prompt: Prompt, form: RequestForm) -> Completion:
        """Convert a reply to a Completion.

        Raises ProviderDown if it contains no message, and BadAnswer for an unreadable tool call.
        """
        provider, _, model = self.name.partition("/")
        choices = reply.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], Mapping) else {}
        message, finish_reason = choice.get("message"), str(choice.get("finish_reason")).lower()
        if not isinstance(message, Mapping) or finish_reason in FAILED:
            if choice.get("error"):
                raise failures.inside({"error": choice["error"]})
            raise ProviderDown(f"{provider} sent a reply without a message. Try again")
        former = [{"function": message["function_call"]}] if message.get("function_call") else None  # the old dialect
        calls = _calls(message.get("tool_calls") or former, self.name)
        if finish_reason == MALFORMED and not calls:
            raise BadAnswer(f"{model} wrote a tool call that {provider} could not read. Try again")
        said, stop = text_of(message.get("content")), STOPS.get(finish_reason, "end")
        stop = "end" if calls and stop == "refusal" else stop
        is_filtered = stop == "refusal" and finish_reason != "refusal" and not message.get("refusal")
        if message.get("refusal"):
            said, stop = str(message["refusal"]), "refusal"
        report = reply.get("usage")
        usage = self.usage_of_whole(report if isinstance(report, Mapping) else {}, prompt, message)
        whole = completion(prompt, form, said, calls, stop, usage, _kept_fields(message, self.name))
        usd = _billed(report) if self.rate is None and isinstance(report, Mapping) else None
        usd = usd if usd or provider == "openrouter" else None  # other gateways say 0 if they know no price
        return replace(whole, usd=usd, is_filtered=is_filtered)

    def usage(self, report: Mapping[str, Any], prompt: Prompt, work: object) -> Usage:
        """Return the reported tokens. In this dialect, `prompt_tokens` includes cached tokens."""
        raw_details = report.get("prompt_tokens_details")
        details = raw_details if isinstance(raw_details, Mapping) else {}
        read_ = count(details.get("cached_tokens")) or count(report.get("prompt_cache_hit_tokens"))
        write, prompt_tokens = count(details.get("cache_write_tokens")), count(report.get("prompt_tokens"))
        parts = report.get("completion_tokens_details")
        thinking = count(parts.get("reasoning_tokens")) if isinstance(parts, Mapping) else 0
        # Gemini and xAI include thinking only in the total, and bill it.
        rest = count(report.get("total_tokens")) - prompt_tokens if prompt_tokens else 0
        output_tokens = self.output(max(count(report.get("completion_tokens")), thinking, rest), prompt, work)
        prompt_tokens = prompt_tokens or self.estimate(prompt, work).input
        return Usage(max(prompt_tokens, read_ + write), output_tokens, read_, write)


def _billed(report: Mapping[str, Any]) -> float | None:
    """Return what a call costs according to a gateway, including the provider's own bill, in US dollars, or None."""
    details = report.get("cost_details")
    upstream = details.get("upstream_inference_cost") if isinstance(details, Mapping) and report.get("is_byok") else 0
    parts = [
        part for part in (report.get("cost"), upstream or 0) if isinstance(part, (int, float)) and 0 <= part < math.inf
    ]
    return math.fsum(parts) if len(parts) == 2 else None  # noqa: PLR2004 - both of them


def _tool(schema: Schema) -> dict[str, Any]:
    function = {"name": schema.name, "description": schema.description, "parameters": schema.parameters}
    return {"type": "function", "function": function}


def _message(message: Message, own: str) -> dict[str, Any]:
    """Return a message, with thinking only if the model `own` wrote it."""
    row: dict[str, Any] = {"role": message.role, "content": sendable(message.text)}
    if message.role == "tool":
        row["tool_call_id"] = message.call_id
    if message.calls:
        row["content"] = row["content"] or None
        row["tool_calls"] = [{**_call(call), **_extra_fields(call.extra, own)} for call in message.calls]
    return row | _extra_fields(message.extra, own)


def _extra_fields(extra: Mapping[str, Any] | None, own: str) -> dict[str, Any]:
    """Return the fields to send back, if they come from the model `own`."""
    return dict(extra["fields"]) if extra and own and extra.get("model") == own else {}


def _kept_fields(report: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    """Return the fields of a reply or call that its model needs back."""
    fields = {field: report[field] for field in EXTRAS if report.get(field)}
    if "reasoning_details" in fields:
        fields.pop("reasoning", None)  # the same content as text
    return {"model": name, "fields": fields} if fields else None


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = {"unparsed": call.unparsed_arguments} if call.unparsed_arguments else dict(call.arguments)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(arguments)}}


def _calls(rows: object, name: str) -> tuple[ToolCall, ...]:
    calls = []
    for number, item in enumerate(rows if isinstance(rows, list) else ()):
        function = item.get("function") if isinstance(item, Mapping) else None
        if isinstance(function, Mapping):
            raw = function.get("arguments") or "{}"
            values = raw if isinstance(raw, Mapping) else parse(str(raw))
            function_name, unparsed_text = str(function.get("name", "")), str(raw) if values is None else ""
            identity = str(item.get("id") or f"call_{number}")
            calls.append(ToolCall(identity, function_name, values or {}, unparsed_text, _kept_fields(item, name)))
    return tuple(calls)
