"""Provide the names for the root's code in the REPL: data as plain values, and functions over the session."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from bot.review.agent.state import RunState
from bot.review.agent.tools import ask, beyond, data, read, report
from bot.review.session import Session
from bot.values import ChangedFile, Unit
from deeprepo.rlm.loop import tools as common
from deeprepo.rlm.repl.process import Async

MAX_FILE_CHARS = 5_000_000  # characters of all files together; 5 MB are transferred in 66 ms
MAX_TREE = 20_000  # paths
CALL_SECONDS = 120.0  # for one call that asks no model; a search ends itself before, and keeps the lines that it found

FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "diff": read.diff,
    "read": read.read,
    "raw": read.raw,
    "search": read.search,
    "callers": read.callers,
    "consumers": beyond.consumers,
    "outline": data.outline,
    "parsed": data.parse,
    "ask": ask.ask,
    "ask_batch": ask.ask_batch,
    **common.SHARED,
    "report": report.report,
    "agree": report.agree,
    "drop": report.drop,
    "findings": report.findings,
    "budget": report.budget,
    "set_answer": report.set_answer,
    "FINAL": report.set_answer,
    "SUBMIT": report.set_answer,
}
# The argument that may be a list; the result is then a dict
LISTS: Mapping[str, str] = {"search": "pattern", "callers": "symbol", "diff": "path"}
ASKS = frozenset({"ask", "ask_batch", *common.SHARED})


def functions(state: RunState) -> dict[str, Async]:
    """Return the functions, bound to the state of one root. Those that ask no model have a deadline."""
    bound: dict[str, Async] = {}
    for name, function in FUNCTIONS.items():
        of_tree = partial(beyond.over, name, function) if name in beyond.PLACES else function
        in_time = partial(_each, of_tree, LISTS[name]) if name in LISTS else partial(_in_time, of_tree)
        bound[name] = partial(common.masked, function if name in ASKS else in_time, state)
    return bound


async def _each(function: Async, name: str, state: RunState, *arguments: Any, **keywords: Any) -> Any:  # noqa: ANN401 - whatever it takes
    """Call a function once, or for each entry of a list, and then return a dict. If one entry takes too long, the others keep their results."""
    first, *rest = (keywords.pop(name, None), *arguments) if name in keywords else arguments or (None,)
    if not isinstance(first, (list, tuple)):
        return await _in_time(function, state, *(() if first is None else (first,)), *rest, **keywords)
    results = dict[str, Any]()
    for entry in first:
        try:
            results[str(entry)] = await _in_time(function, state, entry, *rest, **keywords)
        except ValueError as error:
            results[str(entry)] = [f"[{error}]"]
    return results


async def _in_time(function: Async, state: RunState, *arguments: Any, **keywords: Any) -> Any:  # noqa: ANN401 - whatever it takes
    left = state.session.calls.budget.seconds_left()
    seconds = CALL_SECONDS if left is None else max(1.0, min(CALL_SECONDS, left))
    try:
        async with asyncio.timeout(seconds):
            return await function(state, *arguments, **keywords)
    except TimeoutError:
        raise ValueError(
            f"stopped after {seconds:.0f} s: ask for less, with a narrower pattern or fewer files"
        ) from None


async def variables(session: Session) -> dict[str, Any]:
    """Return the data for the REPL: the change, its regions, its files and dependents, and all paths."""
    entries, texts, masks = await session.tree.entries(), await _texts(session), session.survey.masks
    return {
        "pr": masks.hide(_pull(session)),
        "units": masks.hide([_unit(unit) for unit in session.units]),
        "files": texts,
        "tree": masks.hide(sorted(entries)[:MAX_TREE]),
        "answer": {"content": "", "ready": False},
    }


async def _texts(session: Session) -> dict[str, str]:
    paths = [file.path for file in session.files if file.status != "deleted" and not file.skip]
    paths += [dependent.path for dependent in session.dependents.files] + [
        reference.path for reference in session.dependents.references
    ]
    blobs = await session.tree.read_many(list(dict.fromkeys(paths)))
    texts, room = dict[str, str](), MAX_FILE_CHARS
    for path, blob in blobs.items():
        if len(blob) <= room:
            texts[path] = blob.decode("utf-8", "replace")
            room -= len(blob)
    return texts


def _pull(session: Session) -> dict[str, Any]:
    pull = session.pull
    return {
        "title": pull.title,
        "body": pull.body,
        "base": pull.base_name,
        "head": pull.head_name,
        "files": [_file(file) for file in session.files],
    }


def _file(file: ChangedFile) -> dict[str, Any]:
    sizes = {"added": len(file.added_lines), "removed": len(file.removed_lines)}
    return ask.fields(file, "path", "old_path", "status", "skip") | sizes


def _unit(unit: Unit) -> dict[str, Any]:
    own = ask.fields(unit, "id", "path", "name", "start", "end", "side", "risk", "tokens", "text", "diff")
    rows = [
        ask.fields(reference, "path", "line", "text", "function", "test") | {"sure": reference.is_bound}
        for reference in unit.references
    ]
    return {**own, "tests": list(unit.tests), "references": rows}
