"""Convert values to journal lines and back. Pure functions.

docs/contributing/journal.md documents the format. Each message is written once, under the hash of its content.
Otherwise, every turn would write the whole dialogue again.
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
JOURNAL_FORM = 2  # version of the format; raise it if a key's meaning changes.


@dataclass(frozen=True, slots=True)
class Start:
    """The inputs of a run, which are enough to repeat it.

    They contain no key and no address.

    `subject` is the reviewed change, or the commit with a text, as JSON. Its `base` and `head` identify it.
    `brief` contains the other inputs as JSON: for a review, the settings and facts about earlier reviews; for a
    question about a text, the question.
    """

    subject: Mapping[str, Any]
    brief: Mapping[str, Any]
    root: str | None
    worker: str | None
    version: str

    @property
    def ids(self) -> tuple[str | None, str | None]:
        """The commit ids that identify the subject."""
        return self.subject.get("base"), self.subject.get("head")

    @property
    def is_question(self) -> bool:
        """Whether the run answers a question about a text."""
        return "question" in self.brief


def first(start: Start) -> Row:
    """Return the first line of a run."""
    who = {"root": start.root, "worker": start.worker, "version": start.version}
    return {"kind": "review", "form": JOURNAL_FORM, "pull": start.subject, "brief": start.brief, **who}


def key(model: Model, prompt: Prompt) -> tuple[str, int]:
    """Return the hash of a request's content, and its length in characters. Sampling options (`variant`) count too."""
    rows = [_fields(message) for message in prompt.messages]
    schemas = [s and [s.name, s.description, s.parameters] for s in (prompt.answer, prompt.tool)]
    again: list[object] = [prompt.run] if prompt.run else []
    again += [prompt.number] if prompt.number > 1 else []
    # The cap on the reply that was actually sent is not part of the key, because it depends on the remaining budget.
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
    """Return the fields like `asdict`, without its deep copy, which is slow for long dialogues."""
    row = {one.name: getattr(value, one.name) for one in fields(value)}
    return {**row, "calls": [_fields(call) for call in value.calls]} if isinstance(value, Message) else row


def reply(reply: Completion) -> Row:
    """Return a model's reply, without its cost."""
    return {name: value for name, value in asdict(reply).items() if name not in ("usage", "usd")}


def completion(row: Row) -> Completion:
    """Restore a model's reply from the line of its call."""
    calls = tuple(ToolCall(**call) for call in row["reply"]["calls"])
    return Completion(**row["reply"] | {"usage": Usage(*row["usage"]), "calls": calls})


def failure(error: DeepRepoError) -> Row:
    """Return the final error of a request."""
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
    """Return one turn of a root: its text, its code, and the code's output."""
    about = {"kind": "turn", "run": run, "number": turn.number, "seconds": round(seconds, 3)}
    return {**about, "said": turn.said, "code": turn.code, **asdict(turn.observation)}


def answer(outcome: str, answer: str, cost: Cost, seconds: float, notes: Sequence[str]) -> Row:
    """Return the last line of a question about a text."""
    about = {"kind": "end", "seconds": round(seconds, 3), "fault": "" if outcome == "answered" else outcome}
    of_a_review: Row = {"findings": [], "coverage": {}}
    return {**about, "answer": answer, **of_a_review, "cost": asdict(cost), "notes": list(notes)}
