"""Read a journal: its reviews, the outcomes that a resumed run reuses, and their cost.

Each review in the file is a section. If it was cut off, every finished request gets its recorded outcome, including
failures. From older sections, only replies are reused.
"""

import json
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deeprepo.rlm.errors import UsageError
from deeprepo.rlm.journal.codec import JOURNAL_FORM, Row, Start

# The kinds of lines, with the fields by which an outcome is looked up.
KINDS: dict[str, tuple[str, ...]] = {
    "call": ("key",),
    "failed": ("key",),
    "tool": ("at", "name", "arguments"),
    "run": ("key",),
    **dict.fromkeys(("review", "resumed", "strategy", "message", "request", "host_call", "turn", "end"), ()),
}
Key = tuple[object, ...]


@dataclass(slots=True)
class Section:
    """The lines of one review in order, without messages."""

    rows: list[Row] = field(default_factory=list)

    @property
    def start(self) -> Row | None:
        """Its first line."""
        return self.rows[0] if self.rows and self.rows[0]["kind"] == "review" else None

    @property
    def end(self) -> Row | None:
        """Its last line, or None if the run was interrupted."""
        return next((row for row in reversed(self.rows) if row["kind"] == "end"), None)

    def of(self, kind: str) -> list[Row]:
        """Return its lines with this kind."""
        return [row for row in self.rows if row["kind"] == kind]

    @property
    def turns(self) -> list[Row]:
        """The latest line of each turn."""
        return [*{(row["run"], row["number"]): row for row in self.of("turn")}.values()]


class Record:
    """The sections of a file, and the messages that they share."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.sections: list[Section] = []
        self.messages: dict[str, Row] = {}
        for row in rows:
            if row["kind"] == "message":
                self.messages[row["id"]] = row
                continue
            if row["kind"] == "review" or not self.sections:
                self.sections.append(Section())
            self.sections[-1].rows.append(row)


class Outcomes:
    """The outcomes that a resumed section provides, and the replies of older sections."""

    def __init__(self, section: Section | None = None, older: Iterable[Section] = ()) -> None:
        self.section = section
        self._waiting: dict[tuple[str, Key], deque[list[Row]]] = defaultdict(deque)
        self._replies = {(row["key"],): row for one in older for row in one.of("call") if "reply" in row}
        self._turns = {(row["run"], row["number"]): row for row in section.of("turn")} if section else {}
        self._host_calls: dict[tuple[str, int], list[Row]] = defaultdict(list)
        for row in section.of("host_call") if section else ():
            calls = self._host_calls[row["run"], row["turn"]]
            calls[row["number"] :] = [row]  # a resumed block may make other calls from here on
        for kind, key, rows in _outcomes(section.rows if section else ()):
            self._waiting[kind, key].append(rows)

    def take(self, kind: str, key: Key) -> list[Row]:
        """Take the lines of the next outcome. Return an empty list if the journal has no more.

        A final failure is returned to every later request.
        """
        waiting = self._waiting.get((kind, key))
        if waiting:
            rows = waiting.popleft()
            if not waiting and rows[-1]["kind"] == "failed":
                waiting.append(rows[-1:])
            return rows
        return [self._replies[key]] if kind == "call" and key in self._replies else []

    def knows(self, key: str) -> bool:
        """Return whether this request was sent before, with any outcome."""
        return (key,) in self._replies or ("call", (key,)) in self._waiting

    def host_calls(self, run: str, turn: int) -> list[Row]:
        """Return the host calls of this turn's block, in order."""
        return self._host_calls.get((run, turn), [])

    def turn(self, run: str, number: int) -> Row | None:
        """Return this turn if an earlier run finished it, else None."""
        return self._turns.get((run, number))


def _outcomes(rows: Iterable[Row]) -> Iterator[tuple[str, Key, list[Row]]]:
    """Yield each outcome with its lines, in order. A call's last line is its reply or final failure, if it has one."""
    tries = defaultdict[str, list[Row]](list)
    for row in settled(rows):
        kind = row["kind"]
        if kind in {"tool", "run"}:
            yield kind, tuple(row[name] for name in KINDS[kind]), [row]
        elif kind in {"call", "failed", "lost"}:
            tries[row["key"]].append(row)
            if kind == "failed" or "reply" in row:
                yield "call", (row["key"],), tries.pop(row["key"])
    yield from (("call", (key,), rows) for key, rows in tries.items())


def settled(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the lines, with the amount reserved for each call.

    A request that was in flight when the process was killed gets the kind `lost`. It is sent again, and the
    provider may bill both.
    """
    open_ = defaultdict[str, list[Row]](list)
    for row in (*rows, {"kind": "resumed"}):
        if row["kind"] == "request":
            usd = row.get("reserved", 0.0)
            open_[row["key"]].append({**row, "kind": "lost", "usd": usd, "reserved": usd})
        elif row["kind"] == "resumed":
            yield from (one for waiting in open_.values() for one in waiting)
            open_.clear()
        waiting = open_[row["key"]] if row["kind"] == "call" else []
        yield {**row, "reserved": waiting.pop(0)["reserved"]} if waiting else row


def load(path: Path) -> Record:
    """Read a journal. A line that a crash cut off is skipped, and its call is made again.

    Raises UsageError if the file is not a journal, or is damaged.
    """
    try:
        text = path.read_text("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"the journal {path} cannot be read: {error.strerror}") from error
    rows = list(rows_of(text.split("\n")))
    if text.strip() and not rows:
        raise UsageError(f"{path} is not a journal recorded by `deeprepo review --journal`")
    try:
        record = Record(rows)
        for section in record.sections:
            Outcomes(section)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise UsageError(f"{path} is damaged: a line is incomplete ({error})") from error
    return record


def other_build(section: Section, version: str) -> str:
    """Return the version of the build that wrote a section, or "" if it is this build or unknown."""
    name = str((section.start or {}).get("version") or "")
    return "" if name == version else name


def start(section: Section, version: str) -> Start:
    """Return a section's inputs. Raises UsageError if they cannot be read. `version` is this build's version."""
    row = section.start
    if row is None:
        raise UsageError("this journal does not say what was asked")
    if row.get("form") != JOURNAL_FORM:
        raise unusable(section, version, f"its format is not {JOURNAL_FORM}")
    try:
        begun = Start(row["pull"], row["brief"], row["root"], row["worker"], row["version"])
        is_named = begun.ids != (None, None)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise unusable(section, version, str(error)) from error
    if not is_named:
        raise unusable(section, version, "it names no commit")
    return begun


def unusable(section: Section, version: str, why: str) -> UsageError:
    """Return the error for a section that is damaged, or that another build wrote in another format."""
    other = other_build(section, version)
    if other:
        return UsageError(
            f"another build (deeprepo {other}) wrote this journal, and this one ({version}) cannot read it"
        )
    return UsageError(f"this journal is damaged, or not deeprepo's own: {why}")


def rows_of(lines: Iterable[str | bytes]) -> Iterator[Row]:
    """Yield the readable lines. Lines that are damaged or cut off by a crash are skipped."""
    for line in lines:
        try:
            row: Any = json.loads(line) if line.strip() else None
        except ValueError:
            continue
        if isinstance(row, dict) and row.get("kind") in KINDS:
            yield row
