"""Pure functions that both dialects share: cleaning text, removing thinking, and finding JSON objects in replies."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from deeprepo.rlm.models.forms import RequestForm
from deeprepo.rlm.values import Completion, Prompt, ToolCall, Usage

Stop = Literal["end", "length", "refusal"]
Extra = Mapping[str, Any] | None
# The opening and closing marks of thinking, if the server leaves it in the text.
MARKS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("<seed:think>", "</seed:think>"),
    ("[think]", "[/think]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
)
LONE = re.compile(
    rf"^[ \t]*(?:{'|'.join(re.escape(closing) for _, closing in MARKS)})[ \t]*$", re.MULTILINE | re.IGNORECASE
)
MAX_STARTS = 2_000  # braces at which parsing is tried, so that a text full of braces doesn't take minutes
DECODER = json.JSONDecoder(strict=False)
JSON_ONLY = "Answer with one JSON object that fits this JSON schema, and with nothing else:\n"
CHARS_PER_TOKEN = 3  # a low estimate, so that token counts are rather too high


def sendable(text: str) -> str:
    """Return the text without unpaired surrogates, which JSON can't carry.

    File names that are not UTF-8 may contain them.
    """
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def text_of(content: object) -> str:
    """Return the text of a message. Some servers send a list of parts; parts with thinking are ignored."""
    if isinstance(content, list):
        parts = (part for part in content if isinstance(part, Mapping) and part.get("type") == "text")
        return "".join(str(part.get("text") or "") for part in parts)
    return content if isinstance(content, str) else ""


def without_thinking(text: str) -> tuple[str, bool]:
    """Return the text after leading thinking, and whether the thinking is incomplete, so that there is no answer.

    Some chat templates add the opening mark to the prompt, so the text has only the closing mark, on a separate line.
    """
    rest = text.lstrip("\ufeff \t\r\n")
    if not rest or (rest[0] == "{" and parse(rest)):
        return text, False
    whole = text
    while (marks := next((pair for pair in MARKS if rest[: len(pair[0])].lower() == pair[0]), None)) is not None:
        end = re.search(re.escape(marks[1]), rest, re.IGNORECASE)
        if end is None:
            return "", True
        whole = rest = rest[end.end() :].lstrip()
    lone = LONE.search(whole) if whole is text else None
    if lone is None or any(opening in text[: lone.start()].lower() for opening, _ in MARKS):
        return whole, False
    return text[lone.end() :].lstrip(), False


def alternating(messages: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Join consecutive messages with the same role, except tools' messages, because some chat templates require it."""
    joined: list[dict[str, Any]] = []
    for message in messages:
        last = joined[-1] if joined else {}
        if message["role"] == last.get("role") != "tool" and not {"tool_calls"} & (message.keys() | last.keys()):
            joined[-1] = {**last, "content": f"{last['content']}\n\n{message['content']}"}
        else:
            joined.append(message)
    return joined


def completion(
    prompt: Prompt, form: RequestForm, text: str, calls: tuple[ToolCall, ...], stop: Stop, usage: Usage, extra: Extra
) -> Completion:
    """Return a reply with its structured answer, which the model may give as a tool call or as text."""
    data: Mapping[str, Any] | None = None
    if prompt.answer:
        mine = next((call for call in calls if call.name == prompt.answer.name), None)
        if mine is not None:
            calls = tuple(call for call in calls if call.name != mine.name)
            text = mine.unparsed_arguments or json.dumps(mine.arguments)
        data = json_object(text, prompt.answer.parameters) if stop != "refusal" else None
        if data is None and stop == "end" and usage.output >= form.cap(prompt):
            stop = "length"  # some servers always report "stop"
    return Completion(text, usage, stop, None if stop == "length" else data, calls, extra)  # `data` may be incomplete


def json_object(text: str, schema: Mapping[str, Any] | None = None) -> Mapping[str, Any] | None:
    """Return the JSON object in a text: the whole text, else the last object that fits the schema, else the last one.

    A model may show a draft or an example before its answer. Returns None if there is no object.
    """
    whole = parse(text)
    if whole is not None:
        return whole
    values = [value for _, value in objects(text)]
    fitting = [value for value in values if schema is None or fits(value, schema)]
    return next(reversed(fitting or values), None)


def parse(text: str) -> Mapping[str, Any] | None:
    """Return the JSON object that the whole text represents; None if it is anything else, or incomplete."""
    try:
        value = json.loads(text, strict=False) if text.strip() else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def objects(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the outermost JSON objects in a text, each with its offset."""
    at, starts = text.find("{"), 0
    while at >= 0 and starts < MAX_STARTS:
        try:
            value, end = DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            starts, end = starts + 1, at + 1
        else:
            yield at, value
        at = text.find("{", end)


def fits(value: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    """Return whether an object has the schema's required top-level fields, and no fields that it forbids."""
    properties = schema.get("properties", {})
    is_closed = schema.get("additionalProperties") is False
    return set(schema.get("required", ())) <= set(value) and (not is_closed or set(value) <= set(properties))


def estimate(prompt: Prompt, work: object) -> Usage:
    """Estimate the tokens of a prompt and a reply, for providers that don't report them."""
    texts = [message.text for message in prompt.messages]
    texts += [json.dumps(dict(call.arguments)) for message in prompt.messages for call in message.calls]
    texts += [json.dumps(schema.parameters, default=dict) for schema in (prompt.answer, prompt.tool) if schema]
    return Usage(sum(map(len, texts)) // CHARS_PER_TOKEN + 1, len(json.dumps(work)) // CHARS_PER_TOKEN + 1)
