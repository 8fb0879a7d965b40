"""The lines of a journal, from values and back. Pure; docs/trace.md is the schema for readers.

A message is in the file once, under the hash of its content: a dialogue that grows by two messages a turn would otherwise
be written again with every turn.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from bot.values import (
    Completion,
    Cost,
    LinkedIssue,
    Message,
    Prompt,
    PullRequest,
    Review,
    ReviewRequest,
    Source,
    ToolCall,
    Turn,
    Usage,
)

FORMAT = 1  # rises when an older reader would misread the file
KINDS = frozenset(
    ["review", "resumed", "strategy", "message", "request", "call", "reused", "failed", "turn", "tool", "run", "end"]
)
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Start:
    """What a review begins with: enough to do it again without asking anybody. No key and no address is part of it."""

    pull: PullRequest
    settings: Mapping[str, Any]
    root: str | None
    worker: str | None
    version: str
    request: ReviewRequest | None = None
    given: Mapping[str, Any] = field(default_factory=dict)  # what else came from outside: the day, the round before


def review(start: Start) -> Row:
    """The first line of a review."""
    request = asdict(start.request) if start.request else None
    return {
        "kind": "review",
        "format": FORMAT,
        "version": start.version,
        "request": request,
        "pull": asdict(start.pull),
        "settings": dict(start.settings),
        "given": dict(start.given),
        "root": start.root,
        "worker": start.worker,
    }


def start(row: Row) -> Start:
    """The same, back as values. Fields of a pull request that this version does not know are left out."""
    settings = {name: freeze(value) for name, value in row["settings"].items()}
    request = ReviewRequest(**row["request"]) if row["request"] else None
    known_fields = PullRequest.__dataclass_fields__
    pull = PullRequest(**{name: value for name, value in row["pull"].items() if name in known_fields})
    pull = replace(pull, issues=tuple(LinkedIssue(**issue) for issue in row["pull"].get("issues", ())))
    return Start(pull, settings, row["root"], row["worker"], row["version"], request, row.get("given", {}))


def freeze(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """A setting as it was before it was written: its lists are tuples."""
    return tuple(map(freeze, value)) if isinstance(value, list | tuple) else value


def as_text(data: bytes | None) -> str | None:
    """A file from outside as it is in a line; it need not be text."""
    return None if data is None else data.decode("utf-8", "surrogateescape")


def as_bytes(text: str | None) -> bytes | None:
    """The same, back as it was."""
    return None if text is None else text.encode("utf-8", "surrogateescape")


def key(model: str, prompt: Prompt) -> tuple[str, int]:
    """The content key of a request, and the characters that it sends."""
    rows = [[m.role, m.text, _call_rows(m.calls), m.call_id, *_extras(m).values()] for m in prompt.messages]
    schemas = [s and [s.name, s.description, s.parameters] for s in (prompt.answer, prompt.tool)]
    # What was really sent as the cap on the reply depends on the money that was left: it is no part of the key.
    key_parts = [model, rows, schemas, prompt.max_tokens] + ([prompt.effort] if prompt.effort else [])
    text = json.dumps(key_parts, sort_keys=True, default=dict)
    return hashlib.sha256(text.encode()).hexdigest(), len(text)


def message(message: Message) -> Row:
    """One message under the hash of its content."""
    row: Row = {
        "role": message.role,
        "text": message.text,
        "calls": _call_rows(message.calls),
        "call_id": message.call_id,
    }
    row |= _extras(message)
    text = json.dumps(row, sort_keys=True, default=dict)
    return {"kind": "message", "id": hashlib.sha256(text.encode()).hexdigest()[:16], **row}


def call(outcome: Completion | str, usd: float | None, billed_usage: Usage | None = None) -> Row:
    """What one try came to: a reply, or the sentence of its failure and what may be billed for it."""
    if isinstance(outcome, str):
        return {"usd": usd, "error": outcome} | (
            {"usage": _tokens(billed_usage)} if billed_usage and billed_usage != Usage() else {}
        )
    tokens = _tokens(outcome.usage)
    data = None if outcome.data is None else dict(outcome.data)
    reply = {
        "text": outcome.text,
        "stop": outcome.stop,
        "data": data,
        "calls": _call_rows(outcome.calls),
        **_extras(outcome),
    }
    return {"usd": usd, "usage": tokens, "reply": reply}


def completion(row: Row) -> Completion:
    """The reply of a call's line."""
    reply = row["reply"]
    extras = reply.get("call_extras") or [None] * len(reply["calls"])
    calls = tuple(
        replace(ToolCall(*arguments), extra=extra) for arguments, extra in zip(reply["calls"], extras, strict=True)
    )
    return Completion(reply["text"], Usage(*row["usage"]), reply["stop"], reply["data"], calls, reply.get("extra"))


def turn(run: str, turn: Turn, seconds: float, *, tight: bool) -> Row:
    """One turn of a root: what it said and wrote, what came back, and whether the clock had run down by then."""
    observation = turn.observation
    return {
        "kind": "turn",
        "run": run,
        "number": turn.number,
        "seconds": seconds,
        "said": turn.said,
        "code": turn.code,
        "output": observation.output,
        "error": observation.error,
        "outcome": observation.outcome,
        "omitted": observation.omitted,
        "tight": tight,
    }


def end(review: Review) -> Row:
    """The last line: what the review came to, in short, and a digest of each part, so that a replay can be compared."""
    finding_fields = ("path", "start", "severity", "title", "verdict", "source")
    findings = [{name: getattr(p.finding, name) for name in finding_fields} for p in review.findings]
    coverage = {
        kind: {state: review.coverage.count(kind, state) for state in ("reviewed", "reused", "skipped", "unread")}
        for kind in ("unit", "use", "dependent")
    }
    return {
        "kind": "end",
        "seconds": review.seconds,
        "fault": review.fault,
        "partial": review.partial,
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


ADDED = frozenset(
    {
        "allowlisted",
        "commit",
        "consumer",
        "consumer_id",
        "missing_history",
        "reproduction",
        "repository",
        "several_bases",
        "symbol",
    }
)  # fields of a change, a finding and its evidence that older journals do not have: left out if they say nothing


DERIVED = frozenset({"rewrites"})  # what code makes of a finding and its tree: no part of what a replay compares


def digests(review: Review) -> dict[str, str]:
    """A short hash of each part of a review that its outputs show; not of where the repository lies."""
    files = [
        (f.path, f.old_path, f.status, len(f.added_lines), len(f.removed_lines), f.skip, f.note) for f in review.files
    ]
    parts = asdict(replace(review, files=())) | {
        "files": files
    }  # without their hunks: a change of 30,000 lines is normal
    parts["archive"] = [asdict(row) for row in review.archive if not row.finding.proven or row.finding.has_model]
    parts["pull"] = {k: v for k, v in parts["pull"].items() if k not in {"git_dir", "object_dir"}}
    parts["read"] = [(mark.id, mark.digest, mark.by) for mark in review.read]
    texts = {name: json.dumps(_as_recorded(part), sort_keys=True, default=sorted) for name, part in parts.items()}
    return {name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in texts.items()}


def _as_recorded(part: Any) -> Any:  # noqa: ANN401 - any value that `asdict` makes
    """A part with each finding's sources in words, as journals have always had them, and without what later versions added to it."""
    if isinstance(part, Mapping):
        fields = {
            name: value
            for name, value in part.items()
            if name not in {"sources"} | DERIVED and (value or name not in ADDED)
        }
        plain = {name: _as_recorded(value) for name, value in fields.items()}
        rows = part.get("sources")
        return (
            plain if rows is None else plain | {"source": " + ".join(dict.fromkeys(str(Source(**row)) for row in rows))}
        )
    return [_as_recorded(one) for one in part] if isinstance(part, list | tuple) else part


def _tokens(usage: Usage) -> list[int]:
    return [usage.input, usage.output, usage.cache_read, usage.cache_write]


def _call_rows(calls: tuple[ToolCall, ...]) -> list[list[Any]]:
    return [[c.id, c.name, dict(c.arguments), c.unparsed_arguments] for c in calls]


def _extras(item: Message | Completion) -> Row:
    """What a provider wants back. Fields of their own, and only where there is any: keys and readers of older journals hold."""
    extras: Row = {"extra": dict(item.extra)} if item.extra else {}
    if any(call.extra for call in item.calls):
        extras["call_extras"] = [call.extra and dict(call.extra) for call in item.calls]
    return extras
