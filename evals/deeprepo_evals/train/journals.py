"""Journals of the product as data to train on: whole dialogues of roots, and single calls of workers, in the chat format.

A line is one example: `messages` (with `tool_calls` as the API has them), `tools`, and `meta`, which says how that review ended, so
that the person who trains can choose. Journals hold the code that was reviewed: so does what is written here.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.agent.repl import extraction
from bot.errors import UsageError
from bot.journal import codec, reader
from bot.journal.codec import Row
from bot.journal.reader import Record, Section
from bot.values import Completion

ROLES = ("root", "worker", "verify")


@dataclass(frozen=True, slots=True)
class ExampleFilter:
    """Which examples."""

    roles: tuple[str, ...] = ("root",)
    whole: bool = True  # only reviews that came to their end and were not cut short
    coverage: float = 0.0  # of the units, at least


@dataclass(frozen=True, slots=True)
class ExampleCounts:
    """What came of it."""

    examples: int
    reviews: int
    left_out: int  # reviews that were not wanted


def export(paths: Sequence[Path], out: Path, example_filter: ExampleFilter) -> ExampleCounts:
    """Write the examples of these journals. Raises UsageError where a journal cannot be read or the file not be written."""
    examples = reviews = left_out = 0
    with _open(out) as file:
        for path in paths:
            recorded, sections = reader.reviews(path)
            for section in sections:
                if not _fits(section, example_filter):
                    left_out += 1
                    continue
                reviews += 1
                for example in _examples(recorded, section, example_filter.roles):
                    file.write(json.dumps(example, ensure_ascii=False) + "\n")
                    examples += 1
    return ExampleCounts(examples, reviews, left_out)


def _open(out: Path) -> Any:  # noqa: ANN401 - a text file
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        return os.fdopen(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror}") from error


def _fits(section: Section, example_filter: ExampleFilter) -> bool:
    if section.end is None:
        return not example_filter.whole and not example_filter.coverage
    cut_short = section.end["partial"] or section.end["fault"]
    return not (example_filter.whole and cut_short) and _coverage(section.end) >= example_filter.coverage


def _coverage(end: Row) -> float:
    counts = end["coverage"]["unit"]
    every = sum(counts.values())
    return (counts["reviewed"] + counts["reused"]) / every if every else 1.0


def _examples(record: Record, section: Section, roles: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Of a root's run its last request holds all before it; of everybody else each request is a dialogue of its own."""
    last: dict[str, Row] = {}
    for request in section.of("request"):
        if request["role"] not in roles or _reply(section, request) is None:
            continue
        run = request["at"].rpartition(":")[0] if request["role"] == "root" and request["tool"] else ""
        last[run or request["key"]] = request
    for request in last.values():
        reply = _reply(section, request)
        known = [record.messages[name] for name in request["messages"] if name in record.messages]
        if reply is not None and len(known) == len(request["messages"]):
            yield _example(section, request, known, reply)


def _reply(section: Section, request: Row) -> Completion | None:
    rows = (row for row in section.of("call") if row["key"] == request["key"] and "reply" in row)
    return next(map(codec.completion, rows), None)


def _example(section: Section, request: Row, messages: Iterable[Row], reply: Completion) -> dict[str, Any]:
    end = section.end or {}
    calls = [[call.id, call.name, dict(call.arguments), call.unparsed_arguments] for call in reply.calls]
    said = {"role": "assistant", "text": reply.text, "calls": calls, "call_id": ""}
    return {
        "messages": [_message(row) for row in (*messages, said)],
        "tools": [_tool()] if request["tool"] == extraction.TOOL.name else [],
        "meta": {
            "role": request["role"],
            "model": request["model"],
            "run": request["at"],
            "version": (section.start or {}).get("version"),
            "strategy": next((row["name"] for row in section.of("strategy")), None),
            "finished": section.end is not None,
            "partial": end.get("partial"),
            "coverage": _coverage(section.end) if section.end else None,
            "findings": [[f["path"], f["start"], f["verdict"]] for f in end.get("findings", ())],
        },
    }


def _message(row: Mapping[str, Any]) -> dict[str, Any]:
    """As the chat API has it."""
    told: dict[str, Any] = {"role": row["role"], "content": row["text"]}
    if row["calls"]:
        told["tool_calls"] = [_call(*call) for call in row["calls"]]
    if row["role"] == "tool":
        told["tool_call_id"] = row["call_id"]
    return told


def _call(name_of_call: str, name: str, arguments: Mapping[str, Any], unparsed_text: str = "") -> dict[str, Any]:
    return {
        "id": name_of_call,
        "type": "function",
        "function": {"name": name, "arguments": unparsed_text or json.dumps(dict(arguments), ensure_ascii=False)},
    }


def _tool() -> dict[str, Any]:
    schema = extraction.TOOL
    function = {"name": schema.name, "description": schema.description, "parameters": dict(schema.parameters)}
    return {"type": "function", "function": function}
