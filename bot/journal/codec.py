"""The lines of a journal, from values and back. Pure; docs/trace.md is the schema for readers.

A message is in the file once, under the hash of its content: a dialogue that grows by two messages a turn would otherwise
be written again with every turn.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from bot import brief
from bot.errors import DeepRepoError
from bot.values import Completion, Cost, Message, Prompt, PullRequest, Review, ToolCall, Turn, Usage
from rlm import errors
from rlm.errors import BudgetSpent, PromptTooLong, ProviderError

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Start:
    """What a review begins with: enough to do it again without asking anybody. No key and no address is part of it.

    `brief`: what decides, as JSON: of a review its `Brief` and what it found of consumers, of a question about a text that question.
    """

    pull: PullRequest
    brief: Mapping[str, Any]
    root: str | None
    worker: str | None
    version: str
    own: tuple[str, ...] = ()  # providers that are called at an address of the user's own


def review(start: Start) -> Row:
    """The first line of a review."""
    values = {one.name: getattr(start, one.name) for one in fields(Start)}
    return {"kind": "review", **values, "pull": asdict(start.pull)}


def start(row: Row) -> Start:
    """The same, back as values."""
    values = {one.name: row[one.name] for one in fields(Start)}
    return Start(**values | {"pull": brief.restore_pull(row["pull"]), "own": tuple(row["own"])})


def key(model: str, prompt: Prompt) -> tuple[str, int]:
    """The content key of a request, and the characters that it sends."""
    rows = [asdict(message) for message in prompt.messages]
    schemas = [s and [s.name, s.description, s.parameters] for s in (prompt.answer, prompt.tool)]
    # What was really sent as the cap on the reply depends on the money that was left: it is no part of the key.
    text = json.dumps([model, rows, schemas, prompt.max_tokens, prompt.effort], sort_keys=True, default=dict)
    return hashlib.sha256(text.encode()).hexdigest(), len(text)


def message(message: Message) -> Row:
    """One message under the hash of its content."""
    row = asdict(message)
    text = json.dumps(row, sort_keys=True, default=dict)
    return {"kind": "message", "id": hashlib.sha256(text.encode()).hexdigest()[:16], **row}


def usage(usage: Usage) -> list[int]:
    """Tokens as a line has them."""
    return [usage.input, usage.output, usage.cache_read, usage.cache_write]


def reply(reply: Completion) -> Row:
    """What a model has answered."""
    return {name: value for name, value in asdict(reply).items() if name != "usage"}


def completion(row: Row) -> Completion:
    """The reply of a call's line."""
    calls = tuple(ToolCall(**call) for call in row["reply"]["calls"])
    return Completion(**row["reply"] | {"usage": Usage(*row["usage"]), "calls": calls})


def failure(error: DeepRepoError) -> Row:
    """The last word on a request without a reply."""
    window = {"window": error.window} if isinstance(error, PromptTooLong) else {}
    return {"error": type(error).__name__, "text": str(error), **window}


def error(row: Row) -> DeepRepoError:
    """The same, back as the error."""
    kind = getattr(errors, row["error"], ProviderError)
    if kind is PromptTooLong:
        return PromptTooLong(row["text"], row.get("window"))
    is_known = isinstance(kind, type) and issubclass(kind, (ProviderError, BudgetSpent))
    return kind(row["text"]) if is_known else ProviderError(row["text"])


def turn(run: str, turn: Turn, seconds: float) -> Row:
    """One turn of a root: what it said and wrote, and what came back."""
    observation = turn.observation
    return {
        "kind": "turn",
        "run": run,
        "number": turn.number,
        "seconds": round(seconds, 3),
        "said": turn.said,
        "code": turn.code,
        "output": observation.output,
        "error": observation.error,
        "outcome": observation.outcome,
        "omitted": observation.omitted,
    }


def end(review: Review) -> Row:
    """The last line: what the review came to, in short, and a digest of each part, so that a replay can be compared."""
    finding_fields = ("path", "start", "severity", "title", "verdict", "source")
    findings = [{name: getattr(p.finding, name) for name in finding_fields} for p in review.reported]
    coverage = {
        kind: {state: review.coverage.count(kind, state) for state in ("reviewed", "reused", "skipped", "unread")}
        for kind in ("unit", "use", "dependent")
    }
    return {
        "kind": "end",
        "seconds": review.seconds,
        "fault": review.cut.fault,
        "partial": review.cut.partial,
        "findings": findings,
        "coverage": coverage,
        "cost": asdict(review.cost),
        "notes": list(review.notes),
        "digests": digests(review),
    }


def answer(outcome: str, answer: str, cost: Cost, seconds: float, notes: Sequence[str]) -> Row:
    """The last line of a question about a text."""
    return {
        "kind": "end",
        "seconds": round(seconds, 3),
        "fault": "" if outcome == "answered" else outcome,
        "answer": answer,
        "findings": [],
        "coverage": {},
        "cost": asdict(cost),
        "notes": list(notes),
        "digests": {},
    }


def digests(review: Review) -> dict[str, str]:
    """A short hash of each part of a review that its outputs show; not of where the repository lies."""
    files = [
        (f.path, f.old_path, f.status, len(f.added_lines), len(f.removed_lines), f.skip, f.note) for f in review.files
    ]  # without their hunks: a change of 30,000 lines is normal
    parts = asdict(replace(review, files=())) | {"files": files}
    parts["pull"] = {k: v for k, v in parts["pull"].items() if k not in {"git_dir", "object_dir"}}
    parts["read"] = [(mark.id, mark.digest, mark.by) for mark in review.round.read]
    texts = {name: json.dumps(part, sort_keys=True, default=sorted) for name, part in parts.items()}
    return {name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in texts.items()}
