"""Functions of the caller's own program that a root's code may call: plain data in, plain data out, each call on record."""

import asyncio
import builtins
import inspect
import json
import keyword
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from deeprepo.rlm.errors import UsageError
from deeprepo.rlm.loop.tools import SHARED
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.repl import frames
from deeprepo.rlm.repl.process import Async

MOST_CHARS = 2 << 20  # of arguments and of a result
SECONDS = 60.0  # of one call
ERROR_CHARS, DOC_CHARS = 500, 600
LOOKING = ("read", "search", "preview", "chunks", "budget", "set_answer", "FINAL", "SUBMIT")
# What a root's code finds: without anybody to ask, and with workers. Where no further root may start, `rlm_query` asks a worker.
NAMES = (LOOKING, tuple(dict.fromkeys((*LOOKING, "ask", "ask_batch", *SHARED))))
TAKEN = frozenset({"context", "history", "tree", "answer", "more", "SHOW_VARS", "FINAL_VAR", *NAMES[-1]})
Call = Callable[..., Any]
OF_THE_CALLER = (Exception, SystemExit, KeyboardInterrupt)  # SystemExit ends nothing but the call


@dataclass(frozen=True, slots=True)
class CustomTool:
    """A function of the caller, or a value: its name, and how the instructions describe it."""

    name: str
    line: str
    call: Call | None
    value: frames.Value = None  # where it is no function


def read(tools: Mapping[str, Any] | Iterable[Call] | None) -> tuple[CustomTool, ...]:
    """Return functions and values with their names. `{"tool": ..., "description": ...}`, as rlms has it, describes one.

    Raises UsageError for a name that the root's code cannot use, and for a value that is no plain data.
    """
    pairs = (
        tools.items() if isinstance(tools, Mapping) else [(getattr(call, "__name__", ""), call) for call in tools or ()]
    )
    read: dict[str, CustomTool] = {}
    for name, given in pairs:
        tool, words = given, ""
        if isinstance(given, Mapping) and "tool" in given and set(given) <= {"tool", "description"}:
            tool, words = given["tool"], str(given.get("description") or "")
        if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
            raise UsageError(f"{name!r} cannot be the name of a tool: name it with tools={{'name': function}}")
        if name in TAKEN or name in read or hasattr(builtins, name):
            raise UsageError(f"the name {name!r} is taken: name the tool otherwise, with tools={{'name': function}}")
        read[name] = _tool(name, tool, words)
    return tuple(read.values())


def functions(calls: Calls, tools: Iterable[CustomTool]) -> dict[str, Async]:
    """Return the functions as the REPL calls them."""
    return {tool.name: partial(_recorded, calls, tool) for tool in tools if tool.call is not None}


def values(tools: Iterable[CustomTool]) -> dict[str, frames.Value]:
    """Return the values that the REPL begins with."""
    return {tool.name: tool.value for tool in tools if tool.call is None}


async def _recorded(calls: Calls, tool: CustomTool, *arguments: frames.Value, **keywords: frames.Value) -> frames.Value:
    journal, at, masks = calls.journal, calls.at, calls.masks
    call_key = json.dumps([arguments, keywords], sort_keys=True, default=repr)
    if len(call_key) > MOST_CHARS:
        raise ValueError(f"{tool.name}() takes at most {MOST_CHARS:,} characters")
    row = journal.get("tool", at, tool.name, call_key)
    if row is None:
        row = masks.hide(await _call(calls, tool, arguments, keywords))
        journal.put("tool", at=at, name=tool.name, arguments=call_key, **row)
        await journal.wait_stored()
    if row.get("error"):
        raise ValueError(row["error"])
    return row["result"]


async def _call(
    calls: Calls, tool: CustomTool, arguments: tuple[frames.Value, ...], keywords: Mapping[str, frames.Value]
) -> dict[str, Any]:
    left = calls.budget.seconds_left()
    seconds = SECONDS if left is None else max(1.0, min(SECONDS, left))
    try:
        async with asyncio.timeout(seconds):
            result, error = await _result(tool, arguments, keywords)
    except TimeoutError:
        return {"error": f"stopped waiting after {seconds:.0f} s"}
    if error:
        return {"error": error[:ERROR_CHARS]}
    try:
        text = json.dumps(result, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as failure:
        return {"error": f"it returned what is no plain data: {failure}"[:ERROR_CHARS]}
    if len(text) > MOST_CHARS:
        return {"error": f"it returned more than {MOST_CHARS:,} characters: let it return less at once"}
    return {"result": json.loads(text)}


async def _result(
    tool: CustomTool, arguments: tuple[frames.Value, ...], keywords: Mapping[str, frames.Value]
) -> tuple[frames.Value, str]:
    """Return the function's result, or its error as text. A synchronous function runs in a thread, which can't be ended."""
    if tool.call is None:
        raise ValueError(f"{tool.name} is a value")
    call = partial(tool.call, *arguments, **keywords)

    def called() -> tuple[frames.Value, str]:  # what a thread raises may be what no future can hold
        try:
            return call(), ""
        except OF_THE_CALLER as error:
            return None, f"{type(error).__name__}: {error}"

    result, error = called() if inspect.iscoroutinefunction(tool.call) else await asyncio.to_thread(called)
    try:
        return (await result if inspect.isawaitable(result) else result), error
    except OF_THE_CALLER as failure:
        return None, f"{type(failure).__name__}: {failure}"


def _tool(name: str, tool: Any, words: str) -> CustomTool:  # noqa: ANN401 - whatever the caller gives
    if callable(tool):
        return CustomTool(name, f"{name}: {words[:DOC_CHARS]}" if words else _line(name, tool), tool)
    try:
        frames.encode(tool)
    except TypeError as error:
        raise UsageError(f"the tool {name!r} is neither a function nor plain data: {error}") from error
    return CustomTool(name, f"{name}: {words[:DOC_CHARS] or f'a value ({type(tool).__name__})'}", None, tool)


def _line(name: str, call: Call) -> str:
    try:
        signature = str(inspect.signature(call))
    except (TypeError, ValueError):
        signature = "(...)"
    words = " ".join((inspect.getdoc(call) or "").split())[:DOC_CHARS]
    return f"{name}{signature}{': ' if words else ''}{words}"
