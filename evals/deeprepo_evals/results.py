"""The form that every experiment keeps its results in: JSON lines, one for each finished item, and how a run is resumed.

An item says in plain JSON all that makes its result what it is (task, method, models, seed, round); its key is the hash of that.
So the same command, given again, does only what is left, and files of several runs can be put together with `cat`.
"""

import asyncio
import fcntl
import hashlib
import json
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from bot import __version__
from bot.errors import UsageError
from deeprepo.rlm.errors import BudgetSpent, ProviderError

FORMAT = 1  # rises when an older reader would misread the file
Item = Mapping[str, Any]
Result = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """One finished item, as it is in a line."""

    experiment: str  # "context", "roots", "reviews"
    key: str
    item: Item
    result: Result
    version: str = __version__
    time: str = ""
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run went on. What failed was no fault of the model's answer and is left for the next time."""

    failures: tuple[tuple[Item, str], ...] = ()  # with the sentence that says why

    @property
    def why(self) -> tuple[str, ...]:
        """The sentences, each once."""
        return tuple(dict.fromkeys(sentence for _, sentence in self.failures))


def key(experiment: str, item: Item) -> str:
    """By what an item is found again."""
    return hashlib.sha256(json.dumps([experiment, item], sort_keys=True).encode()).hexdigest()[:24]


class Run:
    """The results of one experiment: a file that grows, or memory where there is none. A context manager."""

    def __init__(self, path: Path | None, experiment: str) -> None:
        self.experiment = experiment
        self._file = _open(path) if path is not None else None
        self._rows: dict[str, Row] = {}
        try:
            known = read([path]) if path is not None else []
        except UsageError:
            self.close()
            raise
        self._rows = {row.key: row for row in known if row.experiment == experiment}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        self.close()

    def left(self, items: Iterable[Item]) -> list[Item]:
        """The items that have no result yet."""
        return [item for item in items if key(self.experiment, item) not in self._rows]

    def keep(self, item: Item, result: Result) -> Row:
        """An item is finished: its line is handed to the operating system before anything else happens."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        row = Row(self.experiment, key(self.experiment, item), item, result, time=now)
        if self._file is not None:
            self._file.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")
            self._file.flush()
        self._rows[row.key] = row
        return row

    def rows(self, items: Iterable[Item]) -> list[Row]:
        """The finished ones of these items, in their order."""
        keys = (key(self.experiment, item) for item in items)
        return [self._rows[found] for found in keys if found in self._rows]

    def close(self) -> None:
        """Close the file, which gives it free for another process."""
        if self._file is not None:
            self._file.close()
            self._file = None


async def carry_out(
    run: Run,
    items: Sequence[Item],
    do: Callable[[Item], Awaitable[Result]],
    *,
    at_once: int = 1,
    say: Callable[[str], None] = lambda _: None,
) -> Outcome:
    """Do what is left of these items, each kept as soon as it is finished; cancelling loses only those in flight.

    Where a provider fails (ProviderError) the item stays open and the others go on; any other error ends the run.
    """
    left = iter(run.left(items))
    total, done = len(items), len(run.rows(items))
    failed: list[tuple[Item, str]] = []

    async def lane() -> None:
        nonlocal done
        for item in left:
            try:
                run.keep(item, await do(item))
            except ProviderError as error:
                failed.append((item, str(error)))
                continue
            done += 1
            say(f"{done} of {total}")

    lanes = [asyncio.create_task(lane()) for _ in range(max(1, at_once))]
    try:
        await asyncio.wait(lanes, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in lanes:
            task.cancel()
        ended = await asyncio.gather(*lanes, return_exceptions=True)
    for error in ended:
        if isinstance(error, Exception):  # not the cancelling of the other lanes
            raise error
    return Outcome(tuple(failed))


@dataclass(frozen=True, slots=True)
class Ended:
    """What there is of a run that a person may break off, and why the rest is not there."""

    rows: tuple[Row, ...]
    left: int
    why: tuple[str, ...] = ()
    was_interrupted: bool = False


async def finish(run: Run, items: Sequence[Item], do: Callable[[Item], Awaitable[Result]]) -> Ended:
    """Do what is left, one item after the other. The run's cap ends it, and so may a person; what is finished is kept."""
    why: tuple[str, ...] = ()
    interrupted = False
    try:
        why = (await carry_out(run, items, do)).why
    except BudgetSpent as error:
        why = (str(error),)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.uncancel():
            raise
        interrupted = True
    return Ended(tuple(run.rows(items)), len(run.left(items)), why, interrupted)


def read(paths: Iterable[Path]) -> list[Row]:
    """The rows of finished runs, the newest where an item is there twice. Raises UsageError with the file and line."""
    found: dict[str, Row] = {}
    for path in paths:
        try:
            lines = path.read_text("utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"the results {path} cannot be read: {_why(error)}") from error
        lines.pop()  # behind the last line break: nothing, or what a killed process left; that item is done again
        for number, line in enumerate(lines, 1):
            if line.strip():
                row = _row(line, f"{path}, line {number}")
                found[row.key] = row
    return list(found.values())


def _row(line: str, where: str) -> Row:
    try:
        given = json.loads(line)
        row = Row(**{name: given[name] for name in Row.__dataclass_fields__})
    except (ValueError, TypeError, KeyError):
        raise UsageError(
            f"{where} is not a result of `deeprepo eval`: name another file, or take the line out"
        ) from None
    if row.format != FORMAT:
        raise UsageError(f"{where} was written by another version of deeprepo ({row.version})")
    return row


def _open(path: Path) -> TextIO:
    """The file, to append, for this process only; a line that a killed process left half written is taken out."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600), "a", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"the results {path} cannot be written: {_why(error)}") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        raise UsageError(
            f"the results {path} are being written by another run: wait for its end, or name another"
        ) from error
    data = path.read_bytes()
    file.truncate(data.rfind(b"\n") + 1)
    return file


def _why(error: OSError | UnicodeDecodeError) -> str:
    return "it is not text" if isinstance(error, UnicodeDecodeError) else error.strerror or str(error)
