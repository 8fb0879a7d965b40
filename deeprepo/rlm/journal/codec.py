"""Convert journal lines from and to values.

Pure. docs/contributing/trace.md documents the format. A message is in the file once, under the hash of its
content. Otherwise, every turn would write the whole dialogue again.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from deeprepo.rlm import errors
from deeprepo.rlm.errors import BudgetSpent, DeepRepoError, PromptTooLong, ProviderError
from deeprepo.rlm.values import Completion, Cost, Message, Model, Prompt, ToolCall, Turn, Usage

Row = dict[str, Any]
JOURNAL_FORM = 2  # of the lines; raise it if a key's meaning changes. Builds before 0.2.0 wrote none: that is form 1.


@dataclass(frozen=True, slots=True)
class Start:
    """The inputs of a run: enough to repeat it without asking for anything else.

    They contain no key and no address.

    `subject` is the text under review as JSON: a change, or the commit of a text. Its `base` and `head`
    identify it. `brief` is what decides the result, as JSON: for a review, its settings and facts about
    earlier reviews; for a question about a text, that question.
    """

    subject: Mapping[str, Any]
    brief: Mapping[str, Any]
    root: str | None
    worker: str | None
    version: str
    own: tuple[str, ...] = ()  # providers that are called at an address of the user's own

    @property
    def ids(self) -> tuple[str | None, str | None]:
        """The commit ids that identify the subject."""
        return self.subject.get("base"), self.subject.get("head")

    @property
    def is_question(self) -> bool:
        """Whether it is about a text."""
        return "question" in self.brief


def first(start: Start) -> Row:
    """Return the first line of a run."""
    who = {"root": start.root, "worker": start.worker, "version": start.version, "own": start.own}
    return {"kind": "review", "form": JOURNAL_FORM, "pull": start.subject, "brief": start.brief, **who}


def key(model: Model, prompt: Prompt) -> tuple[str, int]:
    """Return the content key of a request, and the characters that it sends. Who is sampled otherwise (`variant`) replies otherwise."""
    rows = [_fields(message) for message in prompt.messages]
    schemas = [s and [s.name, s.description, s.parameters] for s in (prompt.answer, prompt.tool)]
    again = [prompt.number] if prompt.number > 1 else []
    # What was really sent as the cap on the reply depends on the money that was left: it is no part of the key.
    text = json.dumps(
        [f"{model.name}{getattr(model, 'variant', '')}", rows, schemas, prompt.max_tokens, prompt.effort, *again],
        sort_keys=True,
        default=dict,
    )
    return hashlib.sha256(text.encode()).hexdigest(), len(text)


def message(message: Message) -> Row:
    """Return one message under the hash of its content."""
    row = _fields(message)
    text = json.dumps(row, sort_keys=True, default=dict)
    return {"kind": "message", "id": hashlib.sha256(text.encode()).hexdigest()[:16], **row}


def _fields(value: Message | ToolCall) -> Row:
    """Return the fields like `asdict`, without a deep copy. Each request writes its whole dialogue."""
    row = {one.name: getattr(value, one.name) for one in fields(value)}
    return {**row, "calls": [_fields(call) for call in value.calls]} if isinstance(value, Message) else row


def reply(reply: Completion) -> Row:
    """Return what a model has answered."""
    return {name: value for name, value in asdict(reply).items() if name not in ("usage", "usd")}


def completion(row: Row) -> Completion:
    """Return the reply of a call's line."""
    calls = tuple(ToolCall(**call) for call in row["reply"]["calls"])
    return Completion(**row["reply"] | {"usage": Usage(*row["usage"]), "calls": calls})


def failure(error: DeepRepoError) -> Row:
    """Return the last word on a request without a reply."""
    window = {"window": error.window} if isinstance(error, PromptTooLong) else {}
    return {"error": type(error).__name__, "text": str(error), **window}


def error(row: Row) -> DeepRepoError:
    """Restore an error from its journal row."""
    kind = getattr(errors, row["error"], ProviderError)
    if kind is PromptTooLong:
        return PromptTooLong(row["text"], row.get("window"))
    is_known = isinstance(kind, type) and issubclass(kind, (ProviderError, BudgetSpent))
    return kind(row["text"]) if is_known else ProviderError(row["text"])


def turn(run: str, turn: Turn, seconds: float) -> Row:
    """Return one turn of a root: what it said and wrote, and what came back."""
    about = {"kind": "turn", "run": run, "number": turn.number, "seconds": round(seconds, 3)}
    return {**about, "said": turn.said, "code": turn.code, **asdict(turn.observation)}


def answer(outcome: str, answer: str, cost: Cost, seconds: float, notes: Sequence[str]) -> Row:
    """Return the last line of a question about a text."""
    about = {"kind": "end", "seconds": round(seconds, 3), "fault": "" if outcome == "answered" else outcome}
    of_a_review: Row = {"findings": [], "coverage": {}, "digests": {}}
    return {**about, "answer": answer, **of_a_review, "cost": asdict(cost), "notes": list(notes)}
