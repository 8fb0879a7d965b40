"""Run work in a separate process with limits, so that no repository content can stop the main process.

`run` and `call` run a coroutine function in a child and return its result. On Linux the child is forked by a
server process of the standard library (`multiprocessing`) that has loaded the pipeline, so it starts within
milliseconds and shares memory with other children. Elsewhere it is started from scratch. Messages come
through a pipe: progress, journal lines and log records. The child ends with its parent, and its descendants
end with it.
"""

import asyncio
import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from multiprocessing import connection, forkserver
from multiprocessing.context import ForkServerContext, SpawnContext
from typing import TYPE_CHECKING, Any, TypeVar

from bot.errors import DeepRepoError, OverLimit
from bot.machine import limits
from bot.machine.limits import ProcessLimits
from bot.values.progress import ProgressCallback, ReviewProgress

if TYPE_CHECKING:
    from bot.brief import Brief
    from deeprepo.rlm.journal.writer import Keep

CHILD_LOOK_SECONDS = 0.2  # seconds between two checks of a child
GENTLE = 3.0  # seconds after which a child that was asked to stop is killed
TURN = 1.0  # seconds between two signs of life from the child's event loop
APP_SECRETS = ("PRIVATE_KEY", "WEBHOOK_SECRET", "CLIENT_SECRET", "DATABASE_URL")
GITHUB_TOKENS = ("GITHUB_TOKEN", "GH_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GH_ENTERPRISE_TOKEN")
# Prefixes of variables with a runner's tokens or inputs of the Action's step.
OF_WORKFLOWS = ("ACTIONS_", "DEEPREPO_ACTION_")
MOST_AT_ONCE = 512  # children of one process; the jobs' own limits are far lower
MOST_LEFT_OUT = 20  # files that a review can leave out
GRACE = 120.0  # seconds beyond a review's budget, for its end and rendering
PRELOADED = ("__main__", "bot.wiring.preload")
Result = TypeVar("Result")
Task = Callable[..., Coroutine[Any, Any, Result]]  # called with a ChildPipe and the arguments


class ChildEnded(OverLimit):
    """A limit or fault ended a child. `path` is the file it was working on, or ""; `why` is what happened."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"reading `{path}` {why}" if path else f"the work {why}")
        self.path, self.why = path, why


class ChildPipe:
    """The child's end of the pipe, whose messages the parent receives (`run`)."""

    def __init__(self, pipe: "connection.Connection[Any, Any]") -> None:
        self._pipe = pipe
        self._sending, self._asking = threading.Lock(), asyncio.Lock()

    def send(self, *message: object) -> None:
        """Send a message to the parent."""
        with self._sending:
            self._pipe.send(message)

    def say(self, text: str | ReviewProgress) -> None:
        """Report progress: one short line, or the coverage with the static findings."""
        self.send("say", text)

    def put(self, text: str) -> None:
        """Store a journal line."""
        self.send("put", text)

    async def wait_stored(self) -> None:
        """Wait until the parent has stored every line."""
        async with self._asking:
            self.send("stored")
            failure = await asyncio.to_thread(self._pipe.recv)
        if failure is not None:
            raise failure


async def run(
    task: Task[Result],
    *arguments: object,
    caps: ProcessLimits,
    say: ProgressCallback = lambda _: None,
    keep: "Keep | None" = None,
) -> Result:
    """Run a function in a child. Canceling ends the child first.

    Raises ChildEnded if a limit or fault ended it, and subclasses of DeepRepoError as raised in the child.
    """
    loop, leave = asyncio.get_running_loop(), threading.Event()

    def hear(kind: str, *words: Any) -> None:  # noqa: ANN401 - the child's words
        if kind == "say":
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(say, *words)
        elif keep is not None and kind == "put":
            keep.put(*words)
        elif keep is not None:
            asyncio.run_coroutine_threadsafe(keep.wait_stored(), loop).result()

    doing = loop.run_in_executor(_threads(), partial(call, task, *arguments, caps=caps, hear=hear, leave=leave))
    try:
        return await asyncio.shield(doing)
    except asyncio.CancelledError:
        leave.set()
        while not doing.done():
            with suppress(asyncio.CancelledError, DeepRepoError, RuntimeError):
                await asyncio.shield(doing)
        doing.exception()
        raise


def call(
    task: Task[Result],
    *arguments: object,
    caps: ProcessLimits,
    hear: Callable[..., None] = lambda *_: None,
    leave: threading.Event | None = None,
) -> Result:
    """Run a function in a child, for a thread that may wait.

    `hear` gets the child's messages. Setting `leave` asks the child to stop.
    """
    context = _context()
    pipe, theirs = context.Pipe()
    alive, ours = context.Pipe(duplex=False)  # nothing is written; it closes when this process ends
    note = context.RawArray("c", limits.SIZE)  # shared memory
    given = theirs, alive, task, arguments, caps, note, _environment()
    process: Any = context.Process(target=_main, args=given, daemon=True)
    with _LOCK:
        process.start()
    theirs.close()
    alive.close()
    try:
        outcome: Result = _last_word(process, pipe, note, caps, hear, leave or threading.Event())
    finally:
        _end(process)
        pipe.close()
        ours.close()
    return outcome


def for_review(caps: ProcessLimits, brief: "Brief | None") -> ProcessLimits:
    """Return the limits extended by a review's budget in seconds and its features' memory."""
    if brief is None:
        return caps
    from bot.review.hooks import hooks

    seconds, beside = brief.settings.seconds, sum(hook.memory(brief) for hook in hooks())
    wall = float("inf") if seconds is None else caps.wall + seconds + GRACE
    return replace(caps, wall=wall, memory=caps.memory + beside)


def begin() -> None:
    """Make the fork server load what children need, without waiting for it."""

    def start() -> None:
        if isinstance(_context(), ForkServerContext):
            with _LOCK:
                forkserver.ensure_running()

    _threads().submit(start)


async def run_with_fallbacks(
    attempt: Callable[[Mapping[str, str], str], Awaitable[Result]], *, by_model: bool
) -> Result:
    """Try, and if a child ends, try without models, then without each file that a child was reading.

    So nothing that models or files do to a child costs a statically proven finding. `by_model` says whether
    there are models. The path of a file that exceeds the limits is passed on with the reason. Raises
    ChildEnded if nothing helps.
    """
    left_out: dict[str, str] = {}
    while True:
        try:
            return await attempt(left_out, "")
        except ChildEnded as error:
            ended = error
        if by_model:
            try:
                return await attempt(left_out, f"it {ended.why}")
            except ChildEnded as error:
                ended = error
        if not ended.path or ended.path in left_out or len(left_out) >= MOST_LEFT_OUT:
            raise ended
        left_out[ended.path] = f"reading it {ended.why}"


def _last_word(  # noqa: C901, PLR0912 - each way in which a child can end
    process: Any,  # noqa: ANN401 - a process of either context
    pipe: "connection.Connection[Any, Any]",
    note: Any,  # noqa: ANN401 - a ctypes array
    caps: ProcessLimits,
    hear: Callable[..., None],
    leave: threading.Event,
) -> Any:  # noqa: ANN401 - whatever the task returns
    """Handle the child's messages until its last one, and return the result."""
    deadline, killed_at, looked_at = time.monotonic() + caps.wall, 0.0, 0.0
    while True:
        now = time.monotonic()
        if leave.is_set() and not killed_at:
            killed_at = now + GENTLE
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGTERM)
        if killed_at and now > killed_at:
            raise ChildEnded("", "was killed because it did not stop when asked")
        if now > deadline:
            raise ChildEnded(_last_file(note), "exceeded the time limit of a review")
        if now - looked_at >= CHILD_LOOK_SECONDS:
            looked_at = now
            if limits.memory(process.pid) > caps.memory:
                raise _out_of_memory(_last_file(note), caps)
        try:
            if not pipe.poll(CHILD_LOOK_SECONDS):
                continue
            kind, *words = pipe.recv()
        except (EOFError, OSError):
            raise _end_reason(process, _last_file(note), caps) from None
        match kind:
            case "done":
                return words[0]
            case "failed":
                error, error.__cause__ = words
                raise error
            case "stored":
                failure = None
                try:
                    hear("stored")
                except DeepRepoError as error:  # the child handles it: it asks again, or ends
                    failure = error
                pipe.send(failure)
            case "log":
                name, level, text, facts = words
                logging.getLogger(name).log(level, text, extra={"facts": facts})
            case _:
                hear(kind, *words)


def _last_file(note: Any) -> str:  # noqa: ANN401 - a ctypes array
    return limits.last_note(bytes(memoryview(note)))


def _out_of_memory(path: str, caps: ProcessLimits) -> ChildEnded:
    return ChildEnded(path, f"exceeded the memory limit of {caps.memory >> 20:,} MB")


def _end_reason(process: Any, path: str, caps: ProcessLimits) -> ChildEnded:  # noqa: ANN401 - a process of either context
    """Return why the child ended without a message."""
    connection.wait([process.sentinel], GENTLE)
    with _LOCK:
        process.join(GENTLE)
    code = process.exitcode
    if code == -signal.SIGXCPU:
        return ChildEnded(path, f"exceeded the limit of {caps.cpu} seconds of CPU time")
    how = signal.Signals(-code).name if code is not None and code < 0 else f"status {code}"
    return ChildEnded(path, f"crashed ({how})")


def _end(process: Any) -> None:  # noqa: ANN401 - a process of either context
    """Kill the child and its descendants. A child that sent its last message has already ended."""
    for kill in (os.killpg, os.kill):  # it may not have its own group yet
        with suppress(ProcessLookupError, PermissionError):
            kill(process.pid, signal.SIGKILL)
    connection.wait([process.sentinel], GENTLE)
    with _LOCK:
        process.join(GENTLE)


_LOCK = threading.Lock()  # the library checks all its children whenever one is started


def _environment() -> dict[str, str]:
    """Return the current environment without secrets that only the parent needs; see docs/security.md."""
    left_out = {*GITHUB_TOKENS, *(f"DEEPREPO_{name}{end}" for name in APP_SECRETS for end in ("", "_FILE"))}
    return {
        name: value
        for name, value in os.environ.items()
        if name.upper() not in left_out and not name.upper().startswith(OF_WORKFLOWS)
    }


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(MOST_AT_ONCE, "children")


@cache
def _context() -> SpawnContext | ForkServerContext:
    """Return how children are started. A process with threads must not be forked, so a server process forks.

    Python starts the server with `-c` in the current folder, often the reviewed repository, and must not
    import modules from it.
    """
    os.environ["PYTHONSAFEPATH"] = "1"
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
) -> None:
    """Run in the child."""
    # A separate group, so that Ctrl-C in the parent does not end it, and it can be ended with its
    # descendants.
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with(alive)
    os.environ.clear()
    os.environ.update(environment)  # the fork server's environment is outdated
    os.nice(caps.nice)
    limits.arm(memoryview(note).cast("B"), caps)
    line = ChildPipe(pipe)
    logging.getLogger().handlers[:] = [_Log(line)]
    try:
        last: tuple[object, ...] = "done", asyncio.run(_run_renewing_limit(task(line, *arguments)))
    except BaseException as error:  # noqa: BLE001 - the boundary of the process
        last = "failed", *_failure(error, _last_file(note), caps)
    with suppress(BrokenPipeError):
        line.send(*last)


def _failure(error: BaseException, path: str, caps: ProcessLimits) -> tuple[Exception, Exception | None]:
    """Return the error for the parent and its cause.

    Unknown classes are passed as text with the traceback.
    """
    match error:
        case DeepRepoError():
            return error, None
        case MemoryError():
            return _out_of_memory(path, caps), None
        case RecursionError() if path:
            return ChildEnded(path, "failed because the file is nested too deeply"), None
        case asyncio.CancelledError():
            return ChildEnded("", "was stopped on request"), None
    text = f"{type(error).__name__}: {error}"
    return RuntimeError(text), RuntimeError("".join(traceback.format_exception(error)))


async def _run_renewing_limit(work: Coroutine[Any, Any, Result]) -> Result:
    """Run the work, cancel it on SIGTERM, and restart the CPU limit while the event loop is running."""
    work_task = asyncio.ensure_future(work)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, work_task.cancel)

    async def turn() -> None:
        while True:
            await asyncio.sleep(TURN)
            limits.renew()

    turning = asyncio.create_task(turn())
    try:
        return await work_task
    finally:
        turning.cancel()


def _end_with(alive: "connection.Connection[Any, Any]") -> None:
    """End this process and its descendants when the parent ends."""

    def wait() -> None:
        with suppress(EOFError, OSError):
            alive.recv_bytes()
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=wait, name="parent", daemon=True).start()


class _Log(logging.Handler):
    """Sends records to the parent, which hides secrets and formats them."""

    def __init__(self, line: ChildPipe) -> None:
        super().__init__()
        self._line = line

    def emit(self, record: logging.LogRecord) -> None:
        """Send a record."""
        facts = dict(getattr(record, "facts", {}))
        text = record.getMessage()
        if record.exc_info:
            text += "\n" + logging.Formatter().formatException(record.exc_info)
        with suppress(Exception):  # facts can have any type, and the pipe may be closed
            self._line.send("log", record.name, record.levelno, text, facts)
