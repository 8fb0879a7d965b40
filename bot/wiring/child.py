"""Work in a process of its own, with limits: nothing that a repository holds can stop the process that answers everybody.

`run` and `call` carry out a coroutine function of a module in a child and hand back what it returned. On Linux the child is
forked by a server process of the standard library (`multiprocessing`), which has loaded the pipeline: it begins within some
milliseconds and shares its memory with the others. Elsewhere it is started again. What it says on its way comes through a pipe:
progress, lines of the journal, of the log. It ends with its parent, and with it ends all that it has started.
"""

import asyncio
import fcntl
import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from multiprocessing import connection, forkserver
from multiprocessing.context import ForkServerContext, SpawnContext
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from bot.errors import DeepRepoError, OverLimit
from bot.machine import limits
from bot.machine.limits import ProcessLimits
from bot.values.progress import Reading

if TYPE_CHECKING:
    from bot.journal.writer import Keep

LOOK = 0.2  # seconds between two looks at a child
GENTLE = 3.0  # seconds for a child that is told to leave, until it is killed
TURN = 1.0  # seconds between two signs that the child's event loop turns
SAFE_PATH = "PYTHONSAFEPATH"
SERVERS_OWN = ("PRIVATE_KEY", "WEBHOOK_SECRET", "DATABASE_URL")
LEFT_OUT = 3  # times that one review begins again without what could not be read
MOST_AT_ONCE = 512  # children of one process; the jobs' own limits are far below
PRELOADED = ("__main__", "bot.wiring.preload")
Result = TypeVar("Result")


class ChildEnded(OverLimit):
    """A limit or a fault ended a child. `path`: the file that it had in hand, "" where there was none; `why`: what happened.

    `also`: other files that share the blame.
    """

    def __init__(self, path: str, why: str, also: tuple[str, ...] = ()) -> None:
        super().__init__(f"reading `{path}` {why}" if path else f"the work {why}")
        self.path, self.why, self.also = path, why, also


class Fault(Exception):  # noqa: N818 - carries another process's exception
    """A child failed with an exception from outside `bot.errors`; the text is its traceback."""


@dataclass(frozen=True, slots=True)
class Hooks:
    """What the parent does with what a child says."""

    say: Callable[[str | Reading], None] = lambda _: None
    put: Callable[[str], None] = lambda _: None
    wait_stored: Callable[[], None] = lambda: None


class ChildPipe:
    """The child's end of the pipe. What it says reaches the parent's `Hooks`."""

    def __init__(self, pipe: "connection.Connection[Any, Any]") -> None:
        self._pipe = pipe
        self._sending, self._asking = threading.Lock(), asyncio.Lock()

    def send(self, *message: object) -> None:
        """Tell the parent."""
        with self._sending:
            self._pipe.send(message)

    def say(self, text: str) -> None:
        """Progress, one short line."""
        self.send("say", text)

    def tell(self, reading: Reading) -> None:
        """What the review reads and has found by code."""
        self.send("say", reading)

    def deadline(self, seconds: float | None) -> None:
        """How long the work may take from now on; None: as long as it needs."""
        self.send("deadline", seconds)

    def room(self, memory: int, seconds: int) -> None:
        """How many more bytes, and seconds of computing, the work may use from now on: of what it starts apart from itself."""
        self.send("room", memory, seconds)

    def put(self, text: str) -> None:
        """A line of the journal."""
        self.send("put", text)

    async def wait_stored(self) -> None:
        """Return once the parent has stored every line that was put."""
        async with self._asking:
            self.send("stored")
            failure = await asyncio.to_thread(self._pipe.recv)
        if failure is not None:
            raise failure


Watching = AbstractContextManager[Callable[[str], None]]  # what is told a person at a terminal
Task = Callable[..., Coroutine[Any, Any, Result]]  # called with a Line and the arguments


async def run(
    task: Task[Result],
    *arguments: object,
    caps: ProcessLimits,
    say: Callable[[str | Reading], None] = lambda _: None,
    keep: "Keep | None" = None,
) -> Result:
    """Await the work of a child. Who is cancelled here ends it there, and leaves when it has ended.

    Raises Ended where a limit or a fault ended it, and DeepRepoError's kinds as they were raised there.
    """
    here, leave = asyncio.get_running_loop(), threading.Event()
    hooks = Hooks(say=lambda message: _soon(here, say, message))
    if keep is not None:
        wait_stored = keep.wait_stored
        hooks = Hooks(hooks.say, keep.put, lambda: asyncio.run_coroutine_threadsafe(wait_stored(), here).result())
    doing = here.run_in_executor(_threads(), partial(call, task, *arguments, caps=caps, hooks=hooks, leave=leave))
    try:
        return await asyncio.shield(doing)
    except asyncio.CancelledError:
        leave.set()
        while not doing.done():
            with suppress(asyncio.CancelledError, Exception):
                await asyncio.shield(doing)
        doing.exception()
        raise


def call(
    task: Task[Result],
    *arguments: object,
    caps: ProcessLimits,
    hooks: Hooks = Hooks(),
    leave: threading.Event | None = None,
) -> Result:
    """The same for a thread that may wait. Once `leave` is set the child is told to leave, and its last word counts."""
    child = _Child(task, arguments, caps)
    try:
        outcome: Result = child.watch(hooks, leave or threading.Event())
    finally:
        child.end()
    return outcome


def begin() -> None:
    """Have the fork server load what children need before the first of them is started. Returns at once."""

    def start() -> None:
        if isinstance(_context(), ForkServerContext):
            with _LOCK, _safe_path():
                forkserver.ensure_running()

    _threads().submit(start)


async def leaving_out(
    attempt: Callable[[Mapping[str, str]], Awaitable[Result]],
    known_files: Mapping[str, str] = MappingProxyType({}),
    remember: Callable[[Mapping[str, str]], None] = lambda _: None,
) -> Result:
    """Attempt it again without the file that a child had in hand when it was ended: its path and the reason are handed on.

    Raises Ended where no file can be left out, or too many would have to be. `known_files`: what earlier runs have left out.
    """
    left_out = dict(known_files)
    for left in range(LEFT_OUT, -1, -1):
        try:
            return await attempt(left_out)
        except ChildEnded as error:
            left_out = _and(left_out, error, left)
            await asyncio.to_thread(remember, left_out)
    raise AssertionError  # the last attempt returns or raises


def alone(task: Task[Result], *arguments: object, caps: ProcessLimits, watching: Callable[[], Watching]) -> Result:
    """The same for a command that does nothing else: `task` is given the arguments and what is left out.

    Its child is forked from it, which costs some milliseconds; `watching` may start threads, so it is begun after that.
    An interruption is handed to the child, whose last word counts.
    """
    left_out: dict[str, str] = {}
    for left in range(LEFT_OUT, -1, -1):
        child, leave = _Child(task, (*arguments, left_out), caps, fork=True), threading.Event()
        try:
            with watching() as say:
                outcome: Result = _interruptible(
                    child, Hooks(say=lambda message: say(message) if isinstance(message, str) else None), leave
                )
        except ChildEnded as error:
            if leave.is_set():
                raise KeyboardInterrupt from error
            left_out = _and(left_out, error, left)
        else:
            return outcome
        finally:
            child.end()
    raise AssertionError  # the last attempt returns or raises


def _interruptible(child: "_Child", hooks: Hooks, leave: threading.Event) -> Any:  # noqa: ANN401 - of the task
    try:
        return child.watch(hooks, leave)
    except KeyboardInterrupt:
        leave.set()
        return child.watch(hooks, leave)


def _and(left_out: Mapping[str, str], error: ChildEnded, left: int) -> dict[str, str]:
    """The files to leave out now; the same error where there is none, or no attempt is `left`."""
    if not left or not error.path or error.path in left_out:
        raise error
    return {**left_out, **dict.fromkeys((error.path, *error.also), f"reading it {error.why}")}


class _Child:
    """One process, seen by its parent."""

    def __init__(
        self, task: Task[Any], arguments: tuple[object, ...], caps: ProcessLimits, *, fork: bool = False
    ) -> None:
        context = multiprocessing.get_context("fork") if fork else _context()
        self._pipe, theirs = context.Pipe()
        alive, self._alive = context.Pipe(duplex=False)  # nothing is written: it closes when this process ends
        self._note = context.RawArray("c", limits.SIZE)  # memory that both see
        self._caps, self._deadline = caps, time.monotonic() + caps.wall
        # Seconds of computing, and those by the file in hand.
        self._used, self._shares = (0.0, defaultdict[str, float](float))
        ends = (self._pipe, self._alive) if fork else ()
        child_arguments = (theirs, alive, task, arguments, caps, self._note, _environment(), _here(), ends)
        with _LOCK, _safe_path():
            try:
                self._process = context.Process(target=_main, args=child_arguments, daemon=True)
                self._process.start()
            except (OSError, EOFError):  # somebody has ended the fork server: the next one is started by the next try
                self._process = context.Process(target=_main, args=child_arguments, daemon=True)
                self._process.start()
        theirs.close()
        alive.close()
        self._pid = self._process.pid or 0

    def watch(self, hooks: Hooks, leave: threading.Event) -> Any:  # noqa: ANN401 - whatever the task returns
        """Hear the child out to its last word."""
        told_at, looked_at = 0.0, 0.0  # when it was told to leave, and looked after
        while True:
            if leave.is_set() and not told_at:
                told_at = time.monotonic()
                self._signal(signal.SIGTERM)
            try:
                if self._pipe.poll(LOOK):
                    kind, *words = self._pipe.recv()
                    if kind == "done":
                        return words[0]
                    self._hear(hooks, kind, *words)
            except (EOFError, OSError):
                raise self._end_reason() from None
            if (now := time.monotonic()) - looked_at < LOOK:
                continue
            looked_at = now
            if told_at and now - told_at > GENTLE:
                raise ChildEnded("", "was ended because it did not stop when asked")
            if now > self._deadline:
                raise ChildEnded(self._path(), "went over the time that a review may take")
            if limits.memory(self._pid) > self._caps.memory:
                raise self._out_of_memory()
            self._weigh()

    def _weigh(self) -> None:
        """Count its seconds of computing. Raises Ended where they are too many in all."""
        used_seconds, before = limits.cpu_seconds(self._pid), self._used
        self._used = max(used_seconds, before)
        self._shares[self._path()] += self._used - before
        if self._used > self._caps.total:
            path, *also = self._heaviest() or [""]
            raise ChildEnded(
                path, f"took too long for a review of {self._caps.total:,} seconds of computing", tuple(also)
            )

    def _heaviest(self) -> list[str]:
        """The files without which the rest takes half of the time that a review has."""
        files, rest = sorted(self._shares, key=self._shares.__getitem__, reverse=True), self._used
        heavy = []
        for path in filter(None, files):
            if rest <= self._caps.total / 2:
                break
            heavy.append(path)
            rest -= self._shares[path]
        return heavy

    def end(self) -> None:
        """Nothing of it stays, whatever it has started. A child that has said its last word is gone already."""
        for kill, number in ((os.killpg, self._pid), (os.kill, self._pid)):  # it may have no group of its own yet
            with suppress(ProcessLookupError, PermissionError):
                kill(number, signal.SIGKILL)
        connection.wait([self._process.sentinel], GENTLE)
        with _LOCK:
            self._process.join(GENTLE)
        self._pipe.close()
        self._alive.close()

    def _hear(self, hooks: Hooks, kind: str, *words: Any) -> None:  # noqa: ANN401, C901 - of the child's words, a case for each kind
        match kind:
            case "say":
                hooks.say(*words)
            case "deadline":
                (seconds,) = words
                self._deadline = float("inf") if seconds is None else time.monotonic() + seconds
            case "room":
                memory, more = words
                caps = self._caps
                self._caps = replace(caps, memory=caps.memory + memory, many=caps.many + more // caps.cpu + 1)
            case "put":
                hooks.put(*words)
            case "stored":
                self._pipe.send(_try(hooks.wait_stored))
            case "log":
                name, level, text, facts = words
                logging.getLogger(name).log(level, text, extra={"facts": facts})
            case "memory":
                raise self._out_of_memory()
            case "left":
                raise ChildEnded("", "was ended, as it was told to")
            case "deep" if path := self._path():
                raise ChildEnded(path, "failed, as it is nested too deeply")
            case "failed" | "deep":
                error, trace = words
                raise error from (None if isinstance(error, DeepRepoError) else Fault(trace))

    def _out_of_memory(self) -> ChildEnded:
        return ChildEnded(self._file_to_blame(), f"went over the limit of {self._caps.memory >> 20:,} MB of memory")

    def _end_reason(self) -> ChildEnded:
        """Why it is gone without a word."""
        connection.wait([self._process.sentinel], GENTLE)
        with _LOCK:
            self._process.join(GENTLE)
        code = self._process.exitcode
        if code == -signal.SIGXCPU:
            return ChildEnded(self._file_to_blame(), f"went over the limit of {self._caps.cpu} seconds of computing")
        if code is not None and code < 0:
            return ChildEnded(self._file_to_blame(), f"ended its process ({signal.Signals(-code).name})")
        return ChildEnded(self._file_to_blame(), f"ended its process (status {code})")

    def _file_to_blame(self) -> str:
        """The file in hand; else the one that most of the computing went into so far, "" before any."""
        shares = {path: share for path, share in self._shares.items() if path}
        return self._path() or max(shares, key=shares.__getitem__, default="")

    def _path(self) -> str:
        return limits.last_note(bytes(memoryview(self._note)))

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(self._pid, number)


@contextmanager
def _safe_path() -> Iterator[None]:
    """Let the fork server, which Python starts by `-c` in the folder we are in, import no module of that folder.

    It is often the reviewed repository. What else this process starts keeps the environment as it is.
    """
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before


_LOCK = threading.Lock()  # the library looks after all its children whenever one is started


def _environment() -> dict[str, str]:
    """The environment of now, without what a server alone needs."""
    own = [f"DEEPREPO_{name}{end}" for name in SERVERS_OWN for end in ("", "_FILE")]
    return {name: value for name, value in os.environ.items() if name not in own}


def _here() -> str:
    with suppress(OSError):
        return os.getcwd()  # noqa: PTH109 - a text
    return "/"


def _try(wait_stored: Callable[[], None]) -> Exception | None:
    """What went wrong on disk is the child's to answer: it asks again, or ends."""
    try:
        wait_stored()
    except DeepRepoError as error:
        return error
    return None


def _soon(loop: asyncio.AbstractEventLoop, do: Callable[[str | Reading], None], message: str | Reading) -> None:
    with suppress(RuntimeError):  # the loop is gone, and who listened with it
        loop.call_soon_threadsafe(do, message)


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(MOST_AT_ONCE, "children")


@cache
def _context() -> SpawnContext | ForkServerContext:
    """How children begin. A process with threads must not be forked, so one without any is asked to fork."""
    if sys.platform != "linux":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(PRELOADED))
    return context


def _main(
    pipe: "connection.Connection[Any, Any]",
    alive: "connection.Connection[Any, Any]",
    task: Task[Any],
    arguments: tuple[object, ...],
    caps: ProcessLimits,
    note: Any,  # noqa: ANN401 - a ctypes array
    environment: dict[str, str],
    folder: str,
    ends: tuple["connection.Connection[Any, Any]", ...],
) -> None:
    """The child. `ends`: those of the parent, where a forked child holds them too."""
    for end in ends:
        end.close()
    with suppress(OSError):  # it is gone
        os.chdir(folder)
    # A group of its own: a key that ends the parent does not end it, and it is ended with what it started.
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with(alive)
    os.environ.clear()
    os.environ.update(environment)  # the fork server's is as old as the server
    os.nice(caps.nice)
    limits.arm(memoryview(note).cast("B"), caps)
    line = ChildPipe(pipe)
    logging.getLogger().handlers[:] = [_Log(line)]
    try:
        last: tuple[object, ...] = ("done", asyncio.run(_turning(task(line, *arguments))))
    except MemoryError:
        last = ("memory",)
    except asyncio.CancelledError:
        last = ("left",)
    except RecursionError as error:
        last = ("deep", *_sendable(error)[1:])
    except BaseException as error:  # noqa: BLE001 - the boundary of the process: the parent raises it again
        last = _sendable(error)
    with suppress(BrokenPipeError):
        line.send(*last)


async def _turning(work: Coroutine[Any, Any, Result]) -> Result:
    """The work, ended gently by SIGTERM. As long as the event loop turns the limit of CPU begins anew."""
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, _cancel, asyncio.current_task())

    async def turn() -> None:
        while True:
            await asyncio.sleep(TURN)
            limits.renew()

    turning = asyncio.create_task(turn())
    try:
        return await work
    finally:
        turning.cancel()


def _cancel(task: "asyncio.Task[Any] | None") -> None:
    if task is not None:
        task.cancel()


def _sendable(error: BaseException) -> tuple[object, ...]:
    """Our own errors travel as themselves, others as words: their classes may not be known over there, or not be sent."""
    trace_text = "".join(traceback.format_exception(error))
    if isinstance(error, DeepRepoError):
        return "failed", error, trace_text
    return "failed", RuntimeError(f"{type(error).__name__}: {error}"), trace_text


def _end_with(alive: "connection.Connection[Any, Any]") -> None:
    """End this process and what it started when the parent ends, however that ends.

    On Linux the kernel does it, by a signal for the pipe's end: a thread would wait for the interpreter's lock.
    """
    if hasattr(fcntl, "F_SETSIG"):
        fcntl.fcntl(alive, fcntl.F_SETOWN, -os.getpid())
        fcntl.fcntl(alive, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(alive, fcntl.F_SETFL, fcntl.fcntl(alive, fcntl.F_GETFL) | os.O_ASYNC)

    def wait() -> None:
        with suppress(EOFError, OSError):
            alive.recv_bytes()
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=wait, name="parent", daemon=True).start()


class _Log(logging.Handler):
    """Hands records to the parent, which hides secrets and knows the form."""

    def __init__(self, line: ChildPipe) -> None:
        super().__init__()
        self._line = line

    def emit(self, record: logging.LogRecord) -> None:
        """Send one."""
        facts = dict(getattr(record, "facts", {}))
        text = record.getMessage()
        if record.exc_info:
            text += "\n" + logging.Formatter().formatException(record.exc_info)
        with suppress(Exception):  # facts of any kind; a pipe that is closed
            self._line.send("log", record.name, record.levelno, text, facts)
