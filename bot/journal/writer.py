"""The journal of one review: what was asked, what came back, what the clock said; each line on disk before it is used.

A call is found again by the content of its request, so that after kill -9 no finished call is paid twice, and a review can be
replayed without a model. The same file is the trace: docs/trace.md describes its lines.

Requests are in it, and so the code under review: the file is its owner's alone (0600). Keys and addresses never do.
Every line is handed to the operating system at once (kill -9 loses nothing); the disk is asked to keep it (fsync) at the
end, so after a power cut the last calls may have to be made again.
"""

import fcntl
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from bot.errors import DeepRepoError, JournalInUse, PromptTooLong, UsageError
from bot.journal import codec, reader
from bot.journal.codec import Row, Start
from bot.journal.listeners import Keep, Watch
from bot.journal.reader import Record, RecordedCall
from bot.machine import files
from bot.values import Completion, Cost, Prompt, Purpose, Review, Turn, Usage

LONGEST = 60  # characters of a setting that is told


class Journal:
    """Append-only JSON lines; without a path they are kept in memory. With `fresh`, an older file is replaced, not read.

    With `keep`, the lines of the file are in a second place too; not those that were in it before.
    """

    replays = False  # whether every outcome comes from the record

    def __init__(
        self, path: Path | None = None, *, fresh: bool = False, watch: Watch | None = None, keep: Keep | None = None
    ) -> None:
        self.lines: list[Row] = []  # of this run, where there is no file
        self._path, self._watch, self._keep = path, watch, keep
        self._file = _open(path) if path is not None else None
        self._record = Record()
        self._written: set[str] = set()  # messages in the file
        if path is not None and self._file is not None:
            try:
                self._record = reader.load(path)
            except UsageError:
                self.close()
                raise
            self._record = self._empty_record() if fresh else self._record
            self._written = set(self._record.messages)
            self._end_torn_line(path)

    def begin(self, start: Start) -> tuple[str, ...]:
        """The review starts: goes on where the same one was cut off, else in a new section. Sentences for its reader.

        Raises UsageError where the file holds the review of another change.
        """
        starts = [(section, reader.start(section)) for section in self._record.sections if section.start]
        other = next(
            (start_of_other for _, start_of_other in starts if _change(start_of_other) != _change(start)), None
        )
        if other is not None:
            if "question" in other.given:
                raise UsageError(
                    f"the journal {self._path} holds a question about another context: name another file, or delete this one"
                )
            raise UsageError(
                f"the journal {self._path} holds the review of another change ({_label(other)}; this is {_label(start)}): "
                "name another file, or delete this one"
            )
        notes: tuple[str, ...] = ()
        if starts:
            section, start_of_other = starts[-1]
            differing = _differing(start_of_other, start)
            if (
                section.end is None or "question" in start_of_other.given
            ) and not differing:  # an answer is read from its record
                self._record.go_on(section, [s for s in self._record.sections if s is not section])
                self._write({"kind": "resumed", "time": _now()})
                return ()
            notes = (_note(differing),) if differing else ()
        self._write({**codec.review(start), "time": _now(), "notes": list(notes)})
        return notes

    def take(self, key: str, at: str, prompt: Prompt, role: Purpose, model: str) -> RecordedCall | None:  # noqa: ARG002 - a replay explains itself with them
        """How an earlier run of this review got on with this very request, None where it is a new one."""
        recording = self._record.take(key, at)
        if recording is not None and recording.reply is not None and self._record.foreign(key):
            usage = codec.call(recording.reply, recording.usd)["usage"]
            facts = {"key": key, "role": role, "model": model, "at": at, "usd": recording.usd, "usage": usage}
            self._write({"kind": "reused", **facts})  # the reply itself stands further up
        return recording

    def knows(self, key: str) -> bool:
        """Whether an earlier run of this review has sent this very request."""
        return self._record.knows(key)

    def knows_question(self, role: Purpose, model: str, prompt: Prompt) -> bool:
        """Whether an earlier run of this review has asked the same, also under instructions in other words."""
        messages = [codec.message(message) for message in prompt.messages]
        return bool(self._record.same_question(role, model, messages))

    def request(
        self,
        key: str,
        prompt: Prompt,
        role: Purpose,
        model: str,
        at: str,
        attempt: int,
        reserved_usd: float | None = None,
    ) -> None:
        """A request is about to be sent: said first, so that what was in flight at a crash is known."""
        messages = [codec.message(message) for message in prompt.messages] if self._file is not None else []
        for row in messages:
            if row["id"] not in self._written:
                self._written.add(row["id"])
                self._write(row)
        self._write(
            {
                "kind": "request",
                "key": key,
                "role": role,
                "model": model,
                "at": at,
                "try": attempt,
                "messages": [row["id"] for row in messages],
                "answer": prompt.answer.name if prompt.answer else None,
                "tool": prompt.tool.name if prompt.tool else None,
                "max_tokens": prompt.max_tokens,
                **({} if reserved_usd is None else {"reserved": reserved_usd}),
                "effort": prompt.effort,
            }
        )

    def call(
        self,
        key: str,
        role: Purpose,
        model: str,
        at: str,
        outcome: Completion | str,
        usd: float | None,
        seconds: float,
        billed_usage: Usage | None = None,
    ) -> None:
        """What a request that was sent came to: its reply, or the sentence of its failure with what may be billed for it."""
        facts = {"key": key, "role": role, "model": model, "at": at, "seconds": round(seconds, 3)}
        self._write({"kind": "call", **facts, **codec.call(outcome, usd, billed_usage)})

    def fail(self, key: str, role: Purpose, model: str, at: str, error: DeepRepoError, usd: float | None) -> None:
        """The last word on a request without a reply: its tries are used up, or a cap stood in the way."""
        facts = {"key": key, "role": role, "model": model, "at": at, "usd": usd}
        window = {"window": error.window} if isinstance(error, PromptTooLong) else {}
        self._write({"kind": "failed", **facts, "error": type(error).__name__, "text": str(error), **window})

    def strategy(self, name: str, reason: str) -> None:
        """How the change is read, and why."""
        self._write({"kind": "strategy", "name": name, "reason": reason})

    def recording(self, run: str, number: int, code: str) -> Row | None:
        """The line of this very turn, where an earlier run of this review had it."""
        return self._record.turn(run, number, code)

    def turn(self, run: str, turn: Turn, seconds: float = 0.0, *, tight: bool = False) -> None:
        """One turn of a root: the code that it wrote and what came back."""
        row = codec.turn(run, turn, round(seconds, 3), tight=tight)
        recording = self.recording(run, turn.number, turn.code)
        if recording is None or {**recording, "seconds": 0} != {**row, "seconds": 0}:
            self._write(row)

    def tool_result(self, at: str, name: str, arguments: str) -> Row | None:
        """What an earlier run got from this very call of a caller's own function: it is not called a second time."""
        return self._record.tool(at, name, arguments)

    def tool(self, at: str, name: str, arguments: str, outcome: Row) -> None:
        """What a caller's own function has returned ("result") or failed with ("error")."""
        self._write({"kind": "tool", "at": at, "name": name, "arguments": arguments, **outcome})

    def ran(self, key: str, about: str) -> Row | None:  # noqa: ARG002 - a replay explains itself with it
        """What an earlier run of this review got from this very test in a sandbox: it is not run again."""
        return self._record.ran(key)

    def run(self, key: str, about: str, outcome: Row) -> None:
        """What a sandbox has reported, the result of its probe first, or why nothing was run."""
        self._write({"kind": "run", "key": key, "about": about, **outcome})

    def answer(self, outcome: str, answer: str, cost: Cost, seconds: float, notes: Sequence[str]) -> None:
        """The question about a text is answered, or its run has ended otherwise: the last line, once."""
        if self._record.current is None or self._record.current.end is None:
            self._write(codec.answer(outcome, answer, cost, seconds, notes))

    def end(self, review: Review) -> Review:
        """The review is done: its last line. What is handed on is the review."""
        if self._file is not None or self._watch is not None:
            self._write(codec.end(review))
        if self._file is not None:
            with suppress(OSError):  # a pipe or a device has no disk to wait for
                os.fsync(self._file.fileno())
        return review

    async def wait_stored(self) -> None:
        """Return once what was written survives this machine too. Awaited between a reply and its use."""
        if self._keep is not None:
            await self._keep.wait_stored()

    def close(self) -> None:
        """Close the file, which gives it free for another process."""
        if self._watch is not None:
            self._watch.close()
            self._watch = None
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write(self, line: Mapping[str, Any]) -> None:
        row = dict(line)
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

    def _empty_record(self) -> Record:
        if self._file is not None:
            self._file.truncate(0)
        return Record()

    def _end_torn_line(self, path: Path) -> None:
        if self._file is not None and path.stat().st_size and not path.read_bytes().endswith(b"\n"):
            self._file.write("\n")
            self._file.flush()


def _open(path: Path) -> TextIO:
    """The file, to append, for its owner and for this process only."""
    file = files.append(path, label="the journal ", private=True, folders=True)
    try:
        fcntl.flock(
            file, fcntl.LOCK_EX | fcntl.LOCK_NB
        )  # the system gives it free when the process ends, however it ends
    except OSError as error:
        file.close()
        raise JournalInUse(
            f"the journal {path} is in use by another review: wait for its end, or name another"
        ) from error
    return file


def _change(start: Start) -> tuple[str, str]:
    return start.pull.base, start.pull.head


def _label(start: Start) -> str:
    """A change as a person would call it, with its ids."""
    pull = start.pull
    return f"{pull.base_name}..{pull.head_name}, {pull.base[:10]}..{pull.head[:10]}"


def _differing(earlier: Start, start: Start) -> list[str]:
    """What is set otherwise than in the earlier review, as words."""
    ours, theirs = _asked_for(start), _asked_for(earlier)
    names = [name for name in ours if ours[name] != theirs.get(name)]
    return [f"{name} was {_text(theirs.get(name))}, is {_text(ours[name])}" for name in names]


def _asked_for(start: Start) -> dict[str, Any]:
    """Everything from outside that can make a review another one; the day alone does not."""
    settings = {name: codec.freeze(value) for name, value in start.settings.items()}
    inputs = {name: value for name, value in start.given.items() if name != "today"}
    return {**settings, **inputs, "root": start.root, "worker": start.worker, "version": start.version}


def _text(value: object) -> str:
    text = ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _note(differing: list[str]) -> str:
    return (
        f"The journal holds an earlier review of this change with other settings ({'; '.join(differing)}): "
        "a call is reused if the request is identical, everything else is asked again."
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
