"""Pure functions that all dialects share: cleaning text, removing thinking, and finding JSON objects and calls in replies."""

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any, Literal

from deeprepo.rlm.models.forms import RequestForm
from deeprepo.rlm.values import Completion, Prompt, Schema, ToolCall, Usage

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
MOST_ENDS = 50  # closing brackets that are tried as the end of a call
NEAR = 60  # maximum characters between a tool's name and its arguments
ARGUMENTS = ("arguments", "parameters", "input", "args")
# How some families mark code to run, without a tool's name.
BARE = re.compile(
    r"<\|python_tag\|>(.+?)(?:<\|eom_id\|>|<\|eot_id\|>|\Z)|<(?:code|python|execute)>(.+?)(?:</\w+>|\Z)", re.DOTALL
)
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
    prompt: Prompt, form: RequestForm, said: str, calls: tuple[ToolCall, ...], stop: Stop, usage: Usage, extra: Extra
) -> Completion:
    """Return a reply with its structured answer, which the model may give as a tool call or as text."""
    data: Mapping[str, Any] | None = None
    text, is_unfinished = without_thinking(said)
    if prompt.tool and not calls:
        calls = calls_in(text, prompt.tool)
    stop = "length" if is_unfinished else stop
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


def calls_in(text: str, tool: Schema) -> tuple[ToolCall, ...]:
    """Return the calls that a model wrote into its text, because its server has no parser for them.

    Each model family uses different marks around the tool's name and its arguments, so the marks are ignored. A JSON object
    counts as a call if it contains the tool's name or follows it, and so do arguments in tags with their names.
    """
    found = (
        list(_in_json(text, tool)) or list(_in_tags(text, tool)) or list(_called(text, tool)) or list(_bare(text, tool))
    )
    return tuple(ToolCall(f"written_{number}", tool.name, arguments) for number, arguments in enumerate(found))


def _in_json(text: str, tool: Schema) -> Iterator[Mapping[str, Any]]:
    for at, value in objects(text):
        function = value.get("function")
        call = function if isinstance(function, Mapping) else {**value, "name": value.get("name") or function}
        if call.get("name") == tool.name:
            arguments = next((call[name] for name in ARGUMENTS if name in call), None)
            arguments = parse(arguments) if isinstance(arguments, str) else arguments
        else:
            arguments = value if tool.name in text[max(0, at - NEAR - len(tool.name)) : at] else None
        if isinstance(arguments, Mapping) and arguments and fits(arguments, tool.parameters):
            yield arguments


def _in_tags(text: str, tool: Schema) -> Iterator[Mapping[str, Any]]:
    """Yield arguments in tags after the tool's name, such as `<parameter=code>...</parameter>` or `<code>...</code>`."""
    for piece in text.split(tool.name)[1:]:
        arguments = {}
        for name in tool.parameters.get("properties", {}):
            opening = rf"<(?:parameter|param|arg)[= ](?:name=)?[\"']?{re.escape(name)}[\"']?>|<{re.escape(name)}>"
            opening += rf"|<arg_key>{re.escape(name)}</arg_key>\s*<arg_value>"
            found = re.search(
                rf"(?:{opening})(.*?)(?:</(?:parameter|param|arg|arg_value|{re.escape(name)})>|\Z)", piece, re.DOTALL
            )
            if found:
                arguments[name] = found[1].strip("\n")
        if arguments and fits(arguments, tool.parameters):
            yield arguments


def _called(text: str, tool: Schema) -> Iterator[Mapping[str, Any]]:
    """Yield the arguments of calls that are written in Python, such as `[execute_python(code="...")]`."""
    (name, *others), begin = tool.parameters.get("properties", {}), f"{tool.name}("
    for piece in text.split(begin)[1:] if not others else ():
        ends = islice((match.end() for match in re.finditer(r"\)", piece)), MOST_ENDS)
        for end in ends:
            with suppress(SyntaxError, ValueError, RecursionError, MemoryError, AttributeError):
                call = ast.parse(begin + piece[:end], mode="eval").body
                values = [*call.args, *(one.value for one in call.keywords if one.arg == name)]  # type: ignore[attr-defined]
                yield {name: str(ast.literal_eval(values[0]))} if values else {}
                break


def _bare(text: str, tool: Schema) -> Iterator[Mapping[str, Any]]:
    properties = list(tool.parameters.get("properties", {}))
    if len(properties) == 1:
        yield from ({properties[0]: (found[1] or found[2]).strip("\n")} for found in BARE.finditer(text))


def estimate(prompt: Prompt, work: object) -> Usage:
    """Estimate the tokens of a prompt and a reply, for providers that don't report them."""
    texts = [message.text for message in prompt.messages]
    texts += [json.dumps(dict(call.arguments)) for message in prompt.messages for call in message.calls]
    texts += [json.dumps(schema.parameters, default=dict) for schema in (prompt.answer, prompt.tool) if schema]
    return Usage(sum(map(len, texts)) // CHARS_PER_TOKEN + 1, len(json.dumps(work)) // CHARS_PER_TOKEN + 1)
