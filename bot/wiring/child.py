"""Run work in a child process with limits, so that no repository content can stop the main process.

`run` and `call` run a coroutine function in a child and return its result. On Linux, the child is forked by
`multiprocessing`'s fork server, which has loaded the pipeline. So the child starts within milliseconds, and
shares memory with other children. On other systems, a new interpreter is started. The child sends progress,
journal lines and log records through a pipe. If the parent ends, the child and its descendants are killed.
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
from bot.machine import processes
from bot.machine.processes import ProcessLimits
from bot.values.consumer import TOO_MUCH, label
from bot.values.progress import ProgressCallback, Reading
from deeprepo.impact.consumers.overlay import mount_of

if TYPE_CHECKING:
    from bot.brief import Brief
    from deeprepo.rlm.journal.writer import Keep

POLL_SECONDS = 0.2  # between two checks of a child
STOP_SECONDS = 3.0  # after which a child that was asked to stop is killed
RENEW_SECONDS = 1.0  # how often a child restarts its CPU limit while its event loop is running
APP_SECRETS = ("PRIVATE_KEY", "WEBHOOK_SECRET", "CLIENT_SECRET", "DATABASE_URL")
GITHUB_TOKENS = ("GITHUB_TOKEN", "GH_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GH_ENTERPRISE_TOKEN")
# Prefixes of environment variables that contain a runner's tokens, or the inputs of the Action
WORKFLOW_PREFIXES = ("ACTIONS_", "DEEPREPO_ACTION_")
MAX_CHILDREN = 512  # of this process; jobs have much lower limits of their own
MAX_LEFT_OUT = 20  # files that a review can leave out
GRACE_SECONDS = 120.0  # in addition to a review's time budget, for finishing and rendering
PRELOADED = ("__main__", "bot.wiring.preload")
Result = TypeVar("Result")
Task = Callable[..., Coroutine[Any, Any, Result]]  # called with a ChildPipe and the arguments


class ChildEnded(OverLimit):
    """Raised if a limit or a crash ended a child. `path` is the file that it was working on, or ""."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"reading `{path}` {why}" if path else f"the work {why}")
        self.path, self.why = path, why


class ChildPipe:
    """The child's end of the pipe to its parent."""

    def __init__(self, pipe: "connection.Connection[Any, Any]") -> None:
        self._pipe = pipe
        self._send_lock, self._wait_lock = threading.Lock(), asyncio.Lock()

    def send(self, *message: object) -> None:
        """Send a message to the parent."""
        with self._send_lock:
            self._pipe.send(message)

    def say(self, text: str | Reading) -> None:
        """Report progress: a short line of text, or the coverage and the findings of static checks."""
        self.send("say", text)

    def put(self, text: str) -> None:
        """Send a journal line to the parent, which stores it."""
        self.send("put", text)

    async def wait_stored(self) -> None:
        """Wait until the parent has stored all lines. Raises the parent's exception if it failed."""
        async with self._wait_lock:
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
    """Run a function in a child, and return its result. If this is canceled, wait until the child has ended.

    `say` gets the child's progress, and `keep` stores its journal lines. Raises ChildEnded if a limit or a
    crash ended the child, and DeepRepoError if the function raises it in the child.
    """
    loop, stop = asyncio.get_running_loop(), threading.Event()

    def on_message(kind: str, *values: Any) -> None:  # noqa: ANN401 - values from the child
        if kind == "say":
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(say, *values)
        elif keep is not None and kind == "put":
            keep.put(*values)
        elif keep is not None:
            asyncio.run_coroutine_threadsafe(keep.wait_stored(), loop).result()

    running = loop.run_in_executor(
        _threads(), partial(call, task, *arguments, caps=caps, on_message=on_message, stop=stop)
    )
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        stop.set()
        while not running.done():
            with suppress(asyncio.CancelledError, DeepRepoError, RuntimeError):
                await asyncio.shield(running)
        running.exception()
        raise


def call(
    task: Task[Result],
    *arguments: object,
    caps: ProcessLimits,
    on_message: Callable[..., None] = lambda *_: None,
    stop: threading.Event | None = None,
) -> Result:
    """Run a function in a child, and block until it ends. Return its result. Raises like `run`.

    `on_message` is called with the child's messages. Setting `stop` asks the child to stop.
    """
    context = _context()
    pipe, child_pipe = context.Pipe()
    alive, parent_alive = context.Pipe(duplex=False)  # carries no data, but closes when this process ends
    note = context.RawArray("c", processes.NOTE_BYTES)  # shared memory
    given = child_pipe, alive, task, arguments, caps, note, _environment()
    process: Any = context.Process(target=_main, args=given, daemon=True)
    with _LOCK:
        process.start()
    child_pipe.close()
    alive.close()
    try:
        outcome: Result = _wait_for_result(process, pipe, note, caps, on_message, stop or threading.Event())
    finally:
        _kill(process)
        pipe.close()
        parent_alive.close()
    return outcome


def for_review(caps: ProcessLimits, brief: "Brief | None") -> ProcessLimits:
    """Return limits for a review: add the review's time budget, and the memory that its features need."""
    if brief is None:
        return caps
    from bot.review.reproduction import memory

    settings = brief.settings
    extra_memory = memory(brief) if settings.run else 0
    return replace(caps, wall=caps.wall + settings.seconds + GRACE_SECONDS, memory=caps.memory + extra_memory)


def start_fork_server() -> None:
    """Start the fork server in the background, so that it is ready for the first child."""

    def start() -> None:
        if isinstance(_context(), ForkServerContext):
            with _LOCK:
                forkserver.ensure_running()

    _threads().submit(start)


async def run_with_fallbacks(
    attempt: Callable[[Mapping[str, str], str], Awaitable[Result]], *, by_model: bool
) -> Result:
    """Run an attempt. If its child ends early, try again without models, and then without problematic files.

    So neither models nor unusual files can prevent static checks from reporting their findings. `attempt` is
    called with the files to leave out, each with the reason, and with the reason why models must not be used
    ("" if they may). `by_model`: whether the first attempt uses models. Raises ChildEnded if no attempt
    succeeds.
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
        if not ended.path or ended.path in left_out or len(left_out) >= MAX_LEFT_OUT:
            raise ended
        left_out[ended.path] = f"reading it {ended.why}"


def by_code(brief: "Brief", lost: str) -> "Brief":
    """Return the brief for a static review that replaces a review with models.

    `lost`: why that review ended.
    """
    return replace(brief, settings=brief.settings.with_flags(strategy="offline"), lost=lost)


def without(brief: "Brief", left_out: Mapping[str, str], lost: str = "") -> "Brief":
    """Return the brief without the files in `left_out`, which maps paths to reasons.

    If such a file belongs to a consumer, the whole consumer is omitted, because its paths may be private.
    `lost` is why models are not used either, or "" if they are.
    """
    brief = by_code(brief, lost) if lost else brief
    rows = brief.consumers.named
    prefixes = {
        consumer.name: (mount_of(consumer.name), label(consumer.name, "")) for consumer in rows if not consumer.problem
    }
    theirs = {path for path in left_out for names in prefixes.values() if path.startswith(names)}
    marked = tuple(
        replace(consumer, problem=TOO_MUCH)
        if any(path.startswith(prefixes.get(consumer.name, ())) for path in theirs)
        else consumer
        for consumer in rows
    )
    of_product = {path: why for path, why in left_out.items() if path not in theirs}
    return replace(brief, consumers=replace(brief.consumers, named=marked), left_out=of_product)


def _wait_for_result(  # noqa: C901, PLR0912 - each way in which a child can end
    process: Any,  # noqa: ANN401 - a process of either context
    pipe: "connection.Connection[Any, Any]",
    note: Any,  # noqa: ANN401 - a ctypes array
    caps: ProcessLimits,
    on_message: Callable[..., None],
    stop: threading.Event,
) -> Any:  # noqa: ANN401 - whatever the task returns
    """Handle the child's messages until its result. Raises ChildEnded or the child's error."""
    deadline, kill_at, checked_at = time.monotonic() + caps.wall, 0.0, 0.0
    while True:
        now = time.monotonic()
        if stop.is_set() and not kill_at:
            kill_at = now + STOP_SECONDS
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGTERM)
        if kill_at and now > kill_at:
            raise ChildEnded("", "was killed because it did not stop when asked")
        if now > deadline:
            raise ChildEnded(_last_file(note), "exceeded the time limit of a review")
        if now - checked_at >= POLL_SECONDS:
            checked_at = now
            if processes.memory_of(process.pid) > caps.memory:
                raise _out_of_memory(_last_file(note), caps)
        try:
            if not pipe.poll(POLL_SECONDS):
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
                    on_message("stored")
                except DeepRepoError as error:  # the child handles the error: it tries again, or ends
                    failure = error
                pipe.send(failure)
            case "log":
                name, level, text, facts = words
                logging.getLogger(name).log(level, text, extra={"facts": facts})
            case _:
                on_message(kind, *words)


def _last_file(note: Any) -> str:  # noqa: ANN401 - a ctypes array
    return processes.last_note(bytes(memoryview(note)))


def _out_of_memory(path: str, caps: ProcessLimits) -> ChildEnded:
    return ChildEnded(path, f"exceeded the memory limit of {caps.memory >> 20:,} MB")


def _end_reason(process: Any, path: str, caps: ProcessLimits) -> ChildEnded:  # noqa: ANN401 - a process of either context
    connection.wait([process.sentinel], STOP_SECONDS)
    with _LOCK:
        process.join(STOP_SECONDS)
    code = process.exitcode
    if code == -signal.SIGXCPU:
        return ChildEnded(path, f"exceeded the limit of {caps.cpu} seconds of CPU time")
    how = signal.Signals(-code).name if code is not None and code < 0 else f"status {code}"
    return ChildEnded(path, f"crashed ({how})")


def _kill(process: Any) -> None:  # noqa: ANN401 - a process of either context
    """Kill a child and its descendants, and wait until it has ended."""
    for kill in (os.killpg, os.kill):  # the child may not have its own process group yet
        with suppress(ProcessLookupError, PermissionError):
            kill(process.pid, signal.SIGKILL)
    connection.wait([process.sentinel], STOP_SECONDS)
    with _LOCK:
        process.join(STOP_SECONDS)


# multiprocessing checks all children whenever it starts one, which is not safe in several threads.
_LOCK = threading.Lock()


def _environment() -> dict[str, str]:
    """Return the current environment without secrets that only the parent needs. See docs/security.md."""
    left_out = {*GITHUB_TOKENS, *(f"DEEPREPO_{name}{end}" for name in APP_SECRETS for end in ("", "_FILE"))}
    return {
        name: value
        for name, value in os.environ.items()
        if name.upper() not in left_out and not name.upper().startswith(WORKFLOW_PREFIXES)
    }


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(MAX_CHILDREN, "children")


@cache
def _context() -> SpawnContext | ForkServerContext:
    """A process with threads must not be forked, so a separate server process forks.

    Python starts this server with `-c` in the current folder, which is often the reviewed repository.
    PYTHONSAFEPATH keeps Python from importing modules from there.
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
    # In its own process group, the child isn't ended by Ctrl-C in the parent, and can be killed with its
    # descendants.
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _kill_with_parent(alive)
    os.environ.clear()
    os.environ.update(environment)  # the fork server's environment may be outdated
    os.nice(caps.nice)
    processes.limit_this_process(memoryview(note).cast("B"), caps)
    line = ChildPipe(pipe)
    logging.getLogger().handlers[:] = [_PipeHandler(line)]
    try:
        last: tuple[object, ...] = "done", asyncio.run(_run_renewing_limit(task(line, *arguments)))
    except BaseException as error:  # noqa: BLE001 - the boundary of the process
        last = "failed", *_failure(error, _last_file(note), caps)
    with suppress(BrokenPipeError):
        line.send(*last)


def _failure(error: BaseException, path: str, caps: ProcessLimits) -> tuple[Exception, Exception | None]:
    """Exceptions of other classes may not be importable in the parent, so they become a RuntimeError with the traceback."""
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

    async def renew() -> None:
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            processes.renew_limits()

    renewing = asyncio.create_task(renew())
    try:
        return await work_task
    finally:
        renewing.cancel()


def _kill_with_parent(alive: "connection.Connection[Any, Any]") -> None:
    def wait() -> None:
        with suppress(EOFError, OSError):
            alive.recv_bytes()
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=wait, name="parent", daemon=True).start()


class _PipeHandler(logging.Handler):
    def __init__(self, line: ChildPipe) -> None:
        super().__init__()
        self._line = line

    def emit(self, record: logging.LogRecord) -> None:
        facts = dict(getattr(record, "facts", {}))
        text = record.getMessage()
        if record.exc_info:
            text += "\n" + logging.Formatter().formatException(record.exc_info)
        with suppress(Exception):  # facts can have any type, and the pipe may be closed
            self._line.send("log", record.name, record.levelno, text, facts)
