"""The journal of one review: a line per paid call and per turn, written and flushed before the reply is used.

A call is found again by the content of its request, so that after a crash no finished call is paid twice, and a review can
be replayed without a model. The file holds replies and costs; requests stand in it as hashes only, keys never.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from bot.errors import UsageError
from bot.rlm.budget import Role
from bot.values import Completion, Prompt, ToolCall, Turn, Usage


@dataclass(frozen=True, slots=True)
class Paid:
    """A finished call of an earlier run."""

    completion: Completion
    usd: float | None


class Journal:
    """Append-only JSON lines; without a path they are kept in memory."""

    def __init__(self, path: Path | None = None) -> None:
        self.lines: list[dict[str, Any]] = []  # of this run, where there is no file
        self._paid = _load(path) if path is not None and path.exists() else {}
        self._file = _append(path) if path is not None else None

    def take(self, key: str) -> Paid | None:
        """The reply that an earlier run paid for this request; each is given out once and then known to the caller."""
        return self._paid.pop(key, None)

    def call(self, key: str, role: Role, model: str, done: Completion | str, usd: float | None, seconds: float) -> None:
        """One request that was sent: its reply, or the sentence of its failure."""
        line: dict[str, Any] = {"kind": "call", "key": key, "role": role, "model": model, "seconds": round(seconds, 3)}
        if isinstance(done, str):
            self._write({**line, "error": done})
        else:
            self._write({**line, "usd": usd, "usage": _tokens(done.usage), "reply": _reply(done)})

    def turn(self, run: str, turn: Turn) -> None:
        """One turn of a root: the code that it wrote and what came back."""
        seen = turn.observation
        self._write(
            {
                "kind": "turn",
                "run": run,
                "number": turn.number,
                "said": turn.said,
                "code": turn.code,
                "output": seen.output,
                "error": seen.error,
                "outcome": seen.outcome,
            }
        )

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write(self, line: dict[str, Any]) -> None:
        if self._file is None:
            self.lines.append(line)
            return
        self._file.write(json.dumps(line, ensure_ascii=True) + "\n")
        self._file.flush()


def key(model: str, prompt: Prompt) -> tuple[str, int]:
    """The content key of a request, and the characters that it sends."""
    rows = [[m.role, m.text, [[c.id, c.name, dict(c.arguments)] for c in m.calls], m.call_id] for m in prompt.messages]
    schemas = [s and [s.name, s.description, s.parameters] for s in (prompt.answer, prompt.tool)]
    text = json.dumps([model, rows, schemas, prompt.max_tokens], sort_keys=True, default=dict)
    return hashlib.sha256(text.encode()).hexdigest(), len(text)


def _append(path: Path) -> TextIO:
    """The file, opened to append, for its owner only. A last line that a crash tore is ended, so that the next one is whole."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "a", encoding="utf-8")
        if path.stat().st_size and not path.read_bytes().endswith(b"\n"):
            file.write("\n")
            file.flush()
    except OSError as error:
        raise UsageError(f"the journal {path} cannot be written: {error.strerror}") from error
    return file


def _load(path: Path) -> dict[str, Paid]:
    found: dict[str, Paid] = {}
    try:
        lines = path.read_text("utf-8", "replace").split("\n")
    except OSError as error:
        raise UsageError(f"the journal {path} cannot be read: {error.strerror}") from error
    for line in lines:
        try:
            row = json.loads(line)
            if row["kind"] == "call" and "reply" in row:
                found[row["key"]] = Paid(_completion(row), row["usd"])
        except (ValueError, KeyError, TypeError):  # torn by a crash: the call is made again
            continue
    return found


def _tokens(usage: Usage) -> list[int]:
    return [usage.input, usage.output, usage.cache_read, usage.cache_write]


def _reply(done: Completion) -> dict[str, Any]:
    calls = [[call.id, call.name, dict(call.arguments)] for call in done.calls]
    return {"text": done.text, "stop": done.stop, "data": _plain(done.data), "calls": calls}


def _plain(data: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if data is None else dict(data)


def _completion(row: Mapping[str, Any]) -> Completion:
    reply = row["reply"]
    calls = tuple(ToolCall(id_, name, arguments) for id_, name, arguments in reply["calls"])
    return Completion(reply["text"], Usage(*row["usage"]), reply["stop"], reply["data"], calls)
