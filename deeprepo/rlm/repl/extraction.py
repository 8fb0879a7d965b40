"""Extract the code from a root's reply: from tool calls, or else from fenced blocks. Nothing is executed."""

import ast
import html
import json
import re
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice

from deeprepo.rlm.values import Completion, Schema

TOOL = Schema(
    name="execute_python",
    description="Run Python in the REPL. Names persist from call to call. Print what you want to see.",
    parameters={
        "type": "object",
        "properties": {"code": {"type": "string", "description": "the code, without a fence around it"}},
        "required": ["code"],
        "additionalProperties": False,
    },
)
PYTHON = {"", "python", "py", "repl", "execute_python", "pycon", "ipython", "tool_code"}
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$")
_INLINE = re.compile(r"^[ \t]*+```(?:python3?|py|repl)[ \t]++([^`\n]++)```[ \t]*+$", re.MULTILINE)
_CLOSED_LATE = re.compile(r"(?<=[^`\n])(`{3,})[ \t]*$", re.MULTILINE)
_TAG = re.compile(r"<(/?)(\w+)>")
MOST_TAGS = 5  # kinds of tags in a reply
_PROMPT = re.compile(r"^(?:>>>|\.\.\.|In \[\d+\]:) ?", re.MULTILINE)
_NO_LETTER = re.compile(r"[^a-z_]")
_INDENTED = re.compile(r"^[ \t]+```", re.MULTILINE)


def _tagged(text: str) -> Iterator[str]:
    """Yield what each kind of tag encloses, from its first opening to its last closing."""
    tags = list(_TAG.finditer(text))
    opened = {tag[2]: tag.end() for tag in reversed(tags) if not tag[1]}
    closed = {tag[2]: tag.start() for tag in tags if tag[1]}
    in_order = sorted(opened.items(), key=lambda row: row[1])
    yield from (text[start : closed[name]] for name, start in in_order if closed.get(name, -1) >= start)


def of(reply: Completion, names: Collection[str] = ()) -> str:
    """Return all code in a reply, or "". A tool call without code calls the REPL's function with this name.

    A text without marks is code if it calls one of `names`, which are those of the REPL's functions.
    """
    codes = [
        _decoded(call.unparsed_arguments) or call.arguments.get("code") or _call(call.name, call.arguments)
        for call in reply.calls
    ]
    pieces = [_without_fence(code) for code in codes if isinstance(code, str) and code.strip()]
    return _joined(pieces) if pieces else _written(reply.text.lstrip("\ufeff"), names)


def _decoded(arguments: str) -> str:
    """Return the code in a tool call's arguments if they are code, or a JSON text that contains code or the arguments."""
    with suppress(ValueError, TypeError, LookupError, RecursionError):
        arguments = str(json.loads(arguments))
        return str(json.loads(arguments)["code"])
    return arguments if has_call(arguments) else ""


def has_call(text: str, names: Collection[str] = ()) -> bool:
    """Return whether a text is valid Python that calls one of `names`, or anything if there are none."""
    if not parses(text):
        return False
    called = (node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    return any(not names or (isinstance(one, ast.Name) and one.id in names) for one in called)


def _call(name: object, arguments: object) -> str:
    if name == TOOL.name or not str(name).isidentifier() or not isinstance(arguments, Mapping):
        return ""
    return f"print({name}(**{arguments!r}))"


def ending(reply: Completion) -> tuple[str, str] | None:
    """Return the name and argument of FINAL(...) or FINAL_VAR(...) if it starts the last line of a reply without code."""
    name, _, rest = reply.text.rstrip().rpartition("\n")[2].partition("(")
    if name not in {"FINAL", "FINAL_VAR"} or ")" not in rest or of(reply):
        return None
    argument = rest.rpartition(")")[0].strip()
    return name, argument[1:-1] if len(argument) > 1 and argument[0] == argument[-1] in "'\"" else argument


def or_ending(reply: Completion, names: Collection[str] = ()) -> str:
    """Return all code in a reply, or the call that its plain text ends with."""
    written = ending(reply)
    return f"{written[0]}({written[1]!r})" if written else of(reply, names)


def _written(text: str, names: Collection[str]) -> str:
    """Return the code in a reply's fences or tags, or the whole text if it calls a function of the REPL.

    If all blocks together aren't valid Python, only blocks marked as Python count, or else those that are valid.
    """
    blocks = list(_blocks(text))
    if not blocks and names:
        bodies = (text, *islice(_tagged(text), MOST_TAGS))
        return next((body.strip() for body in bodies if has_call(body.strip(), names)), "")
    code = _joined([body for language, body in blocks if language in PYTHON] or [body for _, body in blocks])
    with suppress(ValueError, AttributeError):  # weak models write the call of a function as JSON
        written = json.loads(code)
        return str(written.get("code") or _call(written.get("name"), written.get("arguments")))
    labelled = _joined([body for language, body in blocks if language in PYTHON - {""}])
    valid = _joined([body for language, body in blocks if not labelled and not language and has_call(body)])
    prompted = _joined([_PROMPT.sub("", line) for line in code.split("\n") if _PROMPT.match(line)])
    ways = (prompted if _PROMPT.match(code) else "", code, labelled, valid, html.unescape(code))
    return next((way for way in ways if way and parses(way)), labelled or code)


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield a reply's fenced blocks. If none is valid Python, also try one-line and indented forms."""
    as_written = list(fenced_blocks(text))
    ways = (
        _INLINE.sub(r"```python\n\1\n```", text),
        _CLOSED_LATE.sub(r"\n\1", text),
        _INDENTED.sub("```", text),
    )
    for way in (text, *ways):
        blocks = as_written if way is text else list(fenced_blocks(way))
        if any(language in PYTHON and body.strip() and parses(textwrap.dedent(body)) for language, body in blocks):
            return ((language, textwrap.dedent(body)) for language, body in blocks)
    return iter(as_written)


def _joined(pieces: Sequence[str]) -> str:
    return "\n".join(piece.strip("\n") for piece in pieces if piece.strip())


def fenced_blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield the fenced blocks as (language, body).

    A fence inside a string doesn't end a block if Python can parse it.
    """
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        opening = _FENCE.match(lines[at])
        if not opening:
            at += 1
            continue
        end = _end(lines, at + 1, opening[1])
        yield _NO_LETTER.sub("", opening[2].lower()), "\n".join(lines[at + 1 : end])
        at = end + 1


def _end(lines: Sequence[str], start: int, fence: str) -> int:
    """Return the line of the closing fence: the first that makes the body valid Python, else the first possible one."""
    closing = [n for n in range(start, len(lines)) if _closes(lines[n], fence)]
    for end in closing:
        if parses("\n".join(lines[start:end])):
            return end
        if end + 1 < len(lines) and _FENCE.match(lines[end + 1]) and not _closes(lines[end + 1], fence):
            break  # the next block begins, so this one is invalid Python
    return closing[0] if closing else len(lines)


def _closes(line: str, fence: str) -> bool:
    match = _FENCE.match(line)
    has_no_info = match is not None and match[2][:1] in {"", "<"}  # a mark such as <end_code>
    return bool(match and has_no_info and match[1][0] == fence[0] and len(match[1]) >= len(fence))


def parses(body: str) -> bool:
    """Return whether this is valid Python."""
    try:
        ast.parse(body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _without_fence(code: str) -> str:
    """Return a tool's code without the fence that a model may have added."""
    inner = list(fenced_blocks(code)) if code.lstrip().startswith(("```", "~~~")) else []
    return "\n".join(body for _, body in inner) if inner else code


def is_code(reply: Completion, names: Collection[str]) -> bool:
    """Return whether a reply is code to run and not an answer: it calls a function of the REPL, or its tool."""
    code = of(reply, names)
    return (
        bool(reply.calls) or has_call(code, names) or (reply.text.rstrip().endswith(("```", "~~~")) and has_call(code))
    )
