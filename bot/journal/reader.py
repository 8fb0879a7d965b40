"""What a journal already holds: earlier reviews of the change, and where the one that was cut off stands.

Each review in the file is a section. A section without its last line was cut off: the same command goes on in it, and every
request that it had finished gets the same outcome again, failures included. From older sections only replies are taken.
"""

import json
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot import errors
from bot.errors import BudgetSpent, DeepRepoError, PromptTooLong, ProviderError, RateLimited, UsageError
from bot.journal import codec
from bot.journal.codec import Row, Start
from bot.values import Completion, Usage


@dataclass(frozen=True, slots=True)
class Try:
    """One try that failed, and what the provider may bill for it."""

    usd: float | None  # 0, or None where the price is unknown
    usage: Usage
    rate_limited: bool  # turned away by a rate limit
    was_lost: bool = False  # its process ended before it came back: it counts as what was reserved for it


@dataclass(slots=True)
class RecordedCall:
    """One request as it went: the tries that failed, and its last word, None where the process ended before it."""

    role: str
    model: str
    at: str  # the run and turn that it was sent from
    tries: list[Try] = field(default_factory=list)
    reply: Completion | None = None
    usd: float | None = None  # of the reply; of an error: None where the model's price is unknown
    error: DeepRepoError | None = None


@dataclass(slots=True)
class Section:
    """One review in the file, or the lines before the first."""

    start: Row | None = None
    end: Row | None = None
    strategy: Row | None = None
    recorded_calls: dict[str, deque[RecordedCall]] = field(default_factory=lambda: defaultdict(deque))
    reused_keys: set[str] = field(default_factory=set)  # requests whose reply an earlier section holds
    requests: list[Row] = field(default_factory=list)
    open: dict[str, deque[Row]] = field(default_factory=lambda: defaultdict(deque))  # requests without an outcome
    turns: dict[tuple[str, int], Row] = field(default_factory=dict)
    tools: dict[tuple[str, str, str], deque[Row]] = field(
        default_factory=lambda: defaultdict(deque)
    )  # calls of a caller's own functions
    runs: dict[str, deque[Row]] = field(default_factory=lambda: defaultdict(deque))  # of tests in a sandbox
    rows: list[Row] = field(default_factory=list)  # everything but messages, in order


class Record:
    """The sections of a file, and what may be taken from them now."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.sections: list[Section] = []
        self.messages: dict[str, Row] = {}
        self.current: Section | None = None  # the one that is gone on with
        self._replies: dict[str, RecordedCall] = {}  # of all other sections
        self._last: dict[str, RecordedCall] = {}
        for row in rows:
            self._read(row)
        for section in self.sections:
            _lose(section)
        self._gather()

    def go_on(self, section: Section, earlier: Iterable[Section]) -> None:
        """From here on outcomes are taken from this section, and replies also from the earlier ones."""
        self.current = section
        self._replies.clear()
        self._gather(earlier)

    def take(self, key: str, at: str) -> RecordedCall | None:
        """How this request went before. A failure that several waited for at once is told to each of them."""
        waiting = self.current.recorded_calls.get(key) if self.current else None
        if waiting:
            self._last[key] = waiting.popleft()
            return self._last[key]
        last = self._last.get(key)
        if last is not None and last.error is not None and last.at == at:
            return RecordedCall(last.role, last.model, at, usd=last.usd, error=last.error)
        return self._replies.get(key)

    def knows(self, key: str) -> bool:
        """Whether this request was sent before, whatever came of it."""
        return key in self._replies or (self.current is not None and key in self.current.recorded_calls)

    def same_question(self, role: str, model: str, messages: Iterable[Row]) -> str:
        """The key of the next request that asked the same under instructions in other words: another version's; "" if there is no such one."""
        question = [_content(message) for message in messages if message["role"] != "system"]
        for row in self.current.requests if self.current else ():
            recorded = [self.messages[one] for one in row["messages"] if one in self.messages]
            rest = [_content(message) for message in recorded if message["role"] != "system"]
            waiting = self.current is not None and self.current.recorded_calls.get(row["key"])
            if waiting and (row["role"], row["model"], rest) == (role, model, question):
                return str(row["key"])
        return ""

    def foreign(self, key: str) -> bool:
        """Whether the reply to this request is in an earlier section only."""
        return self.current is None or (key not in self.current.recorded_calls and key not in self.current.reused_keys)

    def turn(self, run: str, number: int, code: str) -> Row | None:
        """This very turn, where it ran before."""
        row = self.current.turns.get((run, number)) if self.current else None
        return row if row is not None and row["code"] == code else None

    def tool(self, at: str, name: str, arguments: str) -> Row | None:
        """The next call of this very tool in this turn, where it was made before."""
        row = self.current.tools.get((at, name, arguments)) if self.current else None
        return row.popleft() if row else None

    def ran(self, key: str) -> Row | None:
        """The next run of this very test, where it was run before."""
        made = self.current.runs.get(key) if self.current else None
        return made.popleft() if made else None

    def _gather(self, sections: Iterable[Section] | None = None) -> None:
        for section in self.sections if sections is None else sections:
            for key, rows in section.recorded_calls.items():
                paid_rows = [row for row in rows if row.reply is not None]
                if paid_rows:
                    self._replies[key] = paid_rows[-1]

    def _read(self, row: Row) -> None:  # noqa: C901 - a case for each kind of line
        if row["kind"] == "message":
            self.messages[row["id"]] = row
            return
        if row["kind"] == "review" or not self.sections:
            self.sections.append(Section())
        section = self.sections[-1]
        section.rows.append(row)
        match row["kind"]:
            case "review":
                section.start = row
            case "end":
                section.end = row
            case "strategy":
                section.strategy = row
            case "request":
                section.requests.append(row)
                section.open[row["key"]].append(row)
            case "reused":
                section.reused_keys.add(row["key"])
            case "resumed":
                _lose(section)
            case "turn":
                section.turns[row["run"], row["number"]] = row
            case "tool":
                section.tools[row["at"], row["name"], row["arguments"]].append(row)
            case "run":
                section.runs[row["key"]].append(row)
            case "call" | "failed":
                _note(section, row)


def load(path: Path) -> Record:
    """Read a journal. Lines that a crash tore are left out: their calls are made again. Raises UsageError."""
    try:
        text = path.read_text("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"the journal {path} cannot be read: {error.strerror}") from error
    rows = list(_rows(text))
    if text.strip() and not rows:
        raise UsageError(f"{path} is not a journal of deeprepo: it was left as it is")
    newer = [row for row in rows if row["kind"] == "review" and row.get("format", 0) > codec.FORMAT]
    if newer:
        raise UsageError(f"{path} was written by deeprepo {newer[0].get('version')}, which is newer than this one")
    try:
        return Record(rows)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise UsageError(f"{path} is damaged: a line lacks what it needs ({error})") from error


def reviews(path: Path) -> tuple[Record, list[Section]]:
    """A journal and the reviews in it, one at least. Raises UsageError."""
    if not path.exists():
        raise UsageError(f"there is no journal {path}")
    record = load(path)
    reviews = [section for section in record.sections if section.start]
    if not reviews:
        raise UsageError(f"{path} holds no review: `deeprepo review --journal FILE` records one")
    return record, reviews


def start(section: Section) -> Start:
    """What a section was begun with. Raises UsageError where the file says none."""
    if section.start is None:
        raise UsageError("this journal does not record what was reviewed")
    try:
        return codec.start(section.start)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"this journal is damaged, or not deeprepo's own: {error}") from error


def _content(message: Row) -> Row:
    return {name: value for name, value in message.items() if name not in ("kind", "id")}


def _rows(text: str) -> Iterator[Row]:
    for line in text.split("\n"):
        try:
            row: Any = json.loads(line) if line.strip() else None
        except ValueError:
            continue
        if isinstance(row, dict) and row.get("kind") in codec.KINDS:
            yield row


def _note(section: Section, row: Row) -> None:
    """Put a try or a last word where it belongs: a new request begins after the last word of the one before."""
    calls, sends = section.recorded_calls[row["key"]], section.open[row["key"]]
    if row["kind"] == "call" and sends:
        sends.popleft()
    if not calls or calls[-1].reply is not None or calls[-1].error is not None:
        calls.append(RecordedCall(row["role"], row["model"], row.get("at", "")))
    last = calls[-1]
    if row["kind"] == "failed":
        last.error, last.usd = _error(row), row.get("usd", 0.0)
    elif "reply" in row:
        last.reply, last.usd = codec.completion(row), row["usd"]
    else:
        is_billed = bool(row.get("usage"))  # by a limit that was met after the model had begun
        rate_limited = not is_billed and str(row.get("error", "")).startswith(RateLimited.__name__)
        last.tries.append(Try(row.get("usd", 0.0), Usage(*row.get("usage", ())), rate_limited))


def _lose(section: Section) -> None:
    """What was in flight when a process was killed: it is asked again, and the provider may bill the first time too."""
    for key, rows in section.open.items():
        for row in rows:
            calls = section.recorded_calls[key]
            if not calls:
                calls.append(RecordedCall(row["role"], row["model"], row.get("at", "")))
            calls[0].tries.append(Try(row.get("reserved", 0.0), Usage(), rate_limited=False, was_lost=True))
    section.open.clear()


def _error(row: Row) -> DeepRepoError:
    kind = getattr(errors, row["error"], ProviderError)
    is_known = isinstance(kind, type) and issubclass(kind, (ProviderError, BudgetSpent))
    if kind is PromptTooLong:
        return PromptTooLong(row["text"], row.get("window"))
    return kind(row["text"]) if is_known else ProviderError(row["text"])
