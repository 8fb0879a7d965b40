"""Write the journal of a run: requests, replies and times.

Each line is written before its content is used, and handed to the operating system immediately, so no finished call is
paid twice after kill -9. The file is synced to disk only at the end. Only its owner can read it (0600), because it
contains the requests. docs/contributing/journal.md describes the lines.
"""

import fcntl
import json
import os
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, TextIO

from deeprepo.rlm.errors import JournalInUse, UsageError
from deeprepo.rlm.journal import codec, reader
from deeprepo.rlm.journal.codec import Row, Start
from deeprepo.rlm.journal.reader import Outcomes, Record, Section
from deeprepo.rlm.values import Prompt

INCIDENTAL = ("today", "request", "warnings")  # inputs in a brief that don't affect the review
OTHER_SETTINGS = (
    "The journal contains an earlier run with other settings ({}). "
    "Identical calls are reused; all others are made again."
)
OTHER_BUILD = (
    "Another build (deeprepo {}) began this run in the journal. A call is reused if this build sends an identical request, "
    "everything else is asked again."
)
Watch = Callable[[Row], None]  # called with each written line, and finally with a line of kind "closed"


class Keep(Protocol):
    """Storage for the lines on another machine. The file is updated from it before it is opened."""

    def put(self, text: str) -> None:
        """Accept a line without blocking."""

    async def wait_stored(self) -> None:
        """Wait until every accepted line is on disk there."""


def open_private(path: Path) -> TextIO:
    """Open a private file for appending, and create its folders. Raises UsageError."""
    try:
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.fdopen(os.open(path, flags, 0o600), "a+", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"the journal {path} cannot be written: {error.strerror}") from error


class Journal:
    """Append-only JSON lines, kept in memory if there is no path.

    - `fresh`: replace an older file without using it
    - `keep`: where new lines are also stored
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        fresh: bool = False,
        watch: Watch | None = None,
        keep: Keep | None = None,
        open_file: Callable[[Path], TextIO] = open_private,
    ) -> None:
        self.lines: list[Row] = []  # lines of this run if there is no file
        self._path, self._watch, self._keep = path, watch, keep
        self._file = _locked(path, open_file) if path is not None else None
        self._record = Record()
        if path is not None and self._file is not None:
            try:
                self._record = reader.load(path)
            except UsageError:
                self.close()
                raise
            if fresh:
                self._file.truncate(0)
                self._record = Record()
            elif path.stat().st_size and not path.read_bytes().endswith(b"\n"):  # a crash cut off the last line
                self._file.write("\n")
        self._written = set(self._record.messages)
        self.outcomes = Outcomes(older=self._record.sections)
        self._answers = 0

    @property
    def is_read(self) -> bool:
        """Whether anybody but this run reads the lines."""
        return bool(self._file or self._watch)

    def begin(self, start: Start) -> tuple[str, ...]:
        """Start a review, or resume it if it was cut off, and return notes for the user.

        Raises UsageError if the file contains a review of another change.
        """
        section = next((one for one in reversed(self._record.sections) if one.start), None)
        notes: tuple[str, ...] = ()
        if section is not None:
            last, other = self._last(section, start), reader.other_build(section, start.version)
            if last is None or (
                last.is_question and other and last.ids != start.ids
            ):  # it may tell texts apart otherwise
                notes = (OTHER_BUILD.format(reader.other_build(section, start.version)),)
                self.put(**codec.first(start), time=_now(), notes=list(notes))
                return notes
            if last.ids != start.ids:
                held = "question about another context" if last.is_question else "review of another change"
                raise UsageError(f"the journal {self._path} contains a {held}. Use another file, or delete this one")
            ours, theirs = _asked_for(start), _asked_for(last)
            differing = [name for name in ours if ours[name] != theirs.get(name)]
            if not differing and (section.end is None or last.is_question):  # a finished answer is reused
                self.outcomes = Outcomes(section, [one for one in self._record.sections if one is not section])
                self.put("resumed", time=_now())
                return ()
            reason = OTHER_BUILD.format(other) if other else OTHER_SETTINGS.format(", ".join(differing))
            notes = (reason,) if differing else ()
        self.put(**codec.first(start), time=_now(), notes=list(notes))
        return notes

    @staticmethod
    def _last(section: Section, start: Start) -> Start | None:
        """Return the last section's inputs, or None if another build wrote them in an unreadable format."""
        try:
            return reader.start(section, start.version)
        except UsageError:
            if reader.other_build(section, start.version):
                return None
            raise

    def calls(self, key: str) -> list[Row]:
        """Return an earlier run's lines about an identical request: its attempts, and its outcome if it has one."""
        return self.outcomes.take("call", (key,))

    def get(self, kind: str, *key: object) -> Row | None:
        """Return an earlier run's line for the same turn, tool or run, so that it is not repeated."""
        rows = self.outcomes.take(kind, key)
        return rows[-1] if rows else None

    def put(self, kind: str, **fields: Any) -> None:  # noqa: ANN401 - any JSON value
        """Write a line."""
        row = {"kind": kind, **fields}
        if self._watch is not None:
            self._watch(row)
        if self._file is None:
            self.lines.append(row)
            return
        text = json.dumps(row, ensure_ascii=True, default=dict)
        self._file.write(f"{text}\n")
        self._file.flush()
        if self._keep is not None:
            self._keep.put(text)

    def request(self, prompt: Prompt, **fields: Any) -> None:  # noqa: ANN401 - any JSON value
        """Record that a request is about to be sent, so that after a crash it is known to have been in flight."""
        messages = [codec.message(message) for message in prompt.messages] if self._file else []
        for row in messages:
            if row["id"] not in self._written:
                self._written.add(row["id"])
                self.put(**row)
        self.put(
            "request",
            **fields,
            messages=[row["id"] for row in messages],
            answer=prompt.answer.name if prompt.answer else None,
            tool=prompt.tool.name if prompt.tool else None,
            max_tokens=prompt.max_tokens,
            effort=prompt.effort,
        )

    def turn(self, row: Row) -> None:
        """Write one turn of a root (see `codec.turn`), unless an earlier run recorded the same turn."""
        recorded = self.outcomes.turn(row["run"], row["number"])
        if recorded is None or {**recorded, "seconds": 0} != {**row, "seconds": 0}:
            self.put(**row)

    def answer(self, row: Row) -> None:
        """Write the last line of a question about a text, answered or not, once per question."""
        self._answers += 1
        section = self.outcomes.section
        if section is None or len(section.of("end")) < self._answers:
            self.put(**row)

    def end(self, row: Callable[[], Row]) -> None:
        """Write the last line of a run. `row` is only called if someone reads the line."""
        if self.is_read:
            self.put(**row())
        if self._file is not None:
            with suppress(OSError):  # pipes and devices cannot be synced
                os.fsync(self._file.fileno())

    async def wait_stored(self) -> None:
        """Wait until all lines are stored on another machine, if they should be. Awaited before a reply is used."""
        if self._keep is not None:
            await self._keep.wait_stored()

    def close(self) -> None:
        """Close the file, which also releases its lock."""
        watch, self._watch = self._watch, None
        if watch is not None:
            watch({"kind": "closed"})
        if self._file is not None:
            self._file.close()
            self._file = None


def _locked(path: Path, open_file: Callable[[Path], TextIO]) -> TextIO:
    """Open the file for appending and lock it for this process. Raises JournalInUse."""
    file = open_file(path)
    try:  # the operating system releases the lock when the process ends
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        raise JournalInUse(
            f"the journal {path} is used by another run. Wait until it ends, or use another file"
        ) from error
    return file


def _asked_for(start: Start) -> Row:
    """Return all inputs that can affect a review."""
    inputs: Row = json.loads(json.dumps(start.brief, default=dict))  # as the reader returns them
    inputs = {name: value for name, value in inputs.items() if name not in INCIDENTAL}
    settings = inputs.pop("settings", {})
    return {**settings, **inputs, "root": start.root, "worker": start.worker, "version": start.version}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
