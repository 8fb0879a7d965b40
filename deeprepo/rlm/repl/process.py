"""Run blocks in the REPL, one at a time, in a child process that the kernel has locked (`child`).

A block can only affect the outside through the host functions. The child's messages are untrusted: frames have a maximum
size, are read with a deadline, and are decoded to plain values. A child that sends anything else is killed.
"""

import asyncio
import math
import os
import re
import resource
import signal
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from deeprepo.rlm.errors import DeepRepoError, ReplUnavailable, UsageError
from deeprepo.rlm.repl import frames, lock
from deeprepo.rlm.repl.frames import Value
from deeprepo.rlm.repl.output import PrintBuffer
from deeprepo.rlm.values import BlockOutcome, Limits, Observation

Async = Callable[..., Coroutine[Any, Any, Any]]
Frame = Mapping[str, Any]
Recorded = Callable[[Frame], Frame]  # maps a block's call to the one to carry out; raises ValueError
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"  # the version that runs blocks
ERROR_CHARS = 2_000  # maximum length of an error
PROCESSOR = 600  # maximum CPU seconds of a child, so that it ends even if its parent was killed
# What all calls of host functions in one block may take and return, without the time in which models are asked.
CALL_SECONDS, CALL_MEGABYTES = 600.0, 256
START_SECONDS = 20.0  # CPU seconds to start, or to receive a value
PATIENCE = 6  # a busy machine may need this many times the allowed CPU seconds before the child sends anything
SPARE_SECONDS = 2.0  # CPU seconds beyond a block's limit after which the host kills it, if the kernel has not
AT_ONCE, MOST_BEGUN = 256, 50_000  # calls of a block that are under way, and those whose results it has not collected
CUTS = 40  # number of outputs whose rest more() can return
CALL_LIMIT = (
    f"the functions called in this block have used {CALL_SECONDS:g} s or returned {CALL_MEGABYTES} MB, so they return nothing "
    "more before the next block. All names are still there"
)
RESTARTED = "\nThe REPL was restarted, so all names that you assigned are lost. The given names and last_batch() are still available."
ADDRESS = re.compile(r"(?<= at )0x[0-9a-f]{6,}")  # an object's address, which differs in each run
# The standard library comes first, so that no file next to this package hides one of its modules.
PROGRAM = "import sys; sys.path.append(sys.argv[1]); from deeprepo.rlm.repl import child; sys.path.pop(); child.main()"
ENVIRONMENT = {"PYTHONHASHSEED": "0", "PYTHONUTF8": "1", "TZ": "UTC"}
# macOS: only Python's own folders can be read, and nothing else is allowed.
PROFILE = """(version 1)(deny default)(allow process-exec (literal "{python}"))(allow sysctl-read)(allow mach-lookup)
(allow file-read-metadata)(allow file-read* (subpath "{base}")(subpath "/usr/lib")(subpath "/System")(subpath "{program}"))"""


class Ended(Exception):  # noqa: N818 - an outcome of a block
    """The child has ended or was killed."""

    def __init__(self, outcome: BlockOutcome, why: str) -> None:
        super().__init__(why)
        self.outcome: BlockOutcome = outcome


@dataclass(frozen=True, slots=True)
class Streamed:
    """A large value under these names: a text, or a list or mapping of `items`, each with its name and whether it is text or JSON.

    `texts` yields the size of each item in bytes, and an iterator of its pieces, so that the host never holds all of it.
    """

    names: Sequence[str]
    form: str
    items: Sequence[tuple[str, bool]]
    texts: Callable[[], Iterable[tuple[int, Iterable[bytes]]]]

    def order(self) -> Iterator[bytes]:
        """Yield the order to take it."""
        yield frames.packed({"give": self.names, "form": self.form, "items": self.items})
        for size, pieces in self.texts():
            yield size.to_bytes(frames.HEAD)
            yield from pieces


class Repl:
    """A locked child process, restarted after a crash or a reached limit, and killed at the end of `async with`.

    `seconds_left` returns the time until the run's deadline. `clock` measures the calls of the given functions. `setup` is code
    that runs at each start.
    """

    def __init__(
        self,
        variables: Mapping[str, Any],
        functions: Mapping[str, Async],
        limits: Limits,
        seconds_left: Callable[[], float | None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
        *,
        values: Iterable[Streamed] = (),
        setup: str = "",
    ) -> None:
        self._limits, self._variables, self._seconds_left, self._clock = limits, variables, seconds_left, clock
        self._values, self._setup = list(values), setup
        self._functions = {**functions, "more": self._more}
        self.names = frozenset({"FINAL_VAR", *functions})  # that a reply without marks calls if it is code
        self._cuts: dict[int, str] = {}  # left-out parts of earlier outputs, numbered over the whole run
        self._blocks = self._returned = 0
        self._call_seconds = 0.0  # of the running block
        self._recorded: Recorded | None = None  # for the running block
        self._begun: dict[int, asyncio.Task[Frame]] = {}  # calls whose results the block has not collected
        self._begun_bytes = 0
        self._child: Process | None = None

    async def __aenter__(self) -> Self:
        try:
            await self.start()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def run(self, code: str, recorded: Recorded | None = None) -> Observation:
        """Run one block, and return its output and error for the model. Cancellation kills the process."""
        self._blocks += 1
        self._returned, self._call_seconds = 0, 0.0
        self._recorded = recorded
        sink = PrintBuffer(self._limits.output_chars)
        outcome: BlockOutcome
        order = frames.packed({"run": code, "number": self._blocks})
        try:
            done = await self._converse([order], "done", self._limits.turn_seconds, sink)
            error = done.get("error")
            outcome = "error" if error else "ok"
        except Ended as ended:
            outcome, error = ended.outcome, f"{ended}{RESTARTED}"
        except asyncio.CancelledError:
            for task in self._begun.values():
                task.cancel()
            await self._wait_for_begun()
            raise
        await self._wait_for_begun()  # they are paid for
        self._begun.clear()
        if outcome in {"limit", "crash"}:
            await self.start()
        number = max(self._cuts, default=0) + 1
        output, omitted, cut = sink.finish(None if outcome in {"limit", "crash"} else number)
        known = next((number for number, text in self._cuts.items() if text == cut), None)
        if known is not None:  # the same output must have the same mark, or it would seem to be new
            number = known
            output, omitted, cut = sink.finish(number)
        if cut:
            self._cuts[number] = cut
            self._cuts.pop(number - CUTS, None)
        error = frames.both_ends(ADDRESS.sub("0x0", frames.sound(str(error))), ERROR_CHARS) if error else None
        return Observation(ADDRESS.sub("0x0", output), error, outcome, omitted)

    async def value(self, expression: str) -> Value:
        """Evaluate an expression in the REPL. Raises ValueError if it fails or its value is not plain data."""
        try:
            reply = await self._converse([frames.packed({"value": expression})], "value", START_SECONDS)
            if "error" in reply:
                raise ValueError(str(reply["error"]))
            return frames.decode(reply["value"])
        except Ended as ended:
            await self.start()
            raise ValueError(str(ended)) from None
        except (TypeError, KeyError, RecursionError) as error:
            raise ValueError(str(error)) from None

    async def give(self, value: Streamed) -> None:
        """Add a value for later blocks."""
        self._values.append(value)
        try:
            with _room_for_value(self._child):
                await self._converse(value.order(), "given", START_SECONDS)
        except (Ended, OSError):
            await self.start()

    async def close(self) -> int | None:
        """Kill the process and return its exit code."""
        child, self._child = self._child, None
        if child is None:
            return None
        if child.returncode is None:
            with suppress(ProcessLookupError):  # asyncio's own kill() may lose the exit code
                os.kill(child.pid, signal.SIGKILL)
        await child.communicate()
        return child.returncode

    async def start(self) -> None:
        """Start a new locked child with the variables. Raises ReplUnavailable."""
        await self.close()
        pipes: dict[str, Any] = {"stdin": PIPE, "stdout": PIPE, "stderr": DEVNULL, "limit": 1 << 20}
        try:
            self._child = await asyncio.create_subprocess_exec(
                *_command(), **pipes, env=ENVIRONMENT, cwd="/", start_new_session=True
            )
        except OSError as error:
            raise ReplUnavailable(f"the REPL did not start: {error}") from None
        try:
            encoded = await asyncio.to_thread(frames.encode, self._variables)
            for value in self._values:
                await self._converse(value.order(), "given", START_SECONDS)
            limits = {"memory": self._limits.memory << 20, "seconds": PROCESSOR}
            order = frames.packed({"variables": encoded, "functions": list(self._functions), **limits})
            report = await self._converse([order], "locked", START_SECONDS)
        except Ended as ended:
            report = {"why": f"its process ended while starting ({ended})"}
        possible = report.get("possible")
        if report.get("locked") is not True or possible != []:
            await self.close()
            listed = ", ".join(map(str, possible)) if isinstance(possible, list) else ""
            why = f"a block could {listed}" if listed else report.get("why") or "it did not answer"
            raise ReplUnavailable(f"the REPL cannot be locked on this machine: {why}")
        setup, self._setup = self._setup, ""  # it may restart the REPL
        if setup and (failure := (await self.run(setup)).error):
            raise UsageError(f"the setup failed: {failure}")
        self._setup = setup

    async def _converse(
        self, data: Iterable[bytes], end: str, seconds: float, sink: Callable[[str], None] = lambda _: None
    ) -> Mapping[str, Any]:
        """Send an order, and answer the child's calls until it sends the frame `end`. Raises Ended.

        The child may use `seconds` of CPU time. It may be silent for PATIENCE times as long, and take twice that in total,
        without the time of host functions. A block ends at the run's deadline.
        """
        child, patience = self._child, PATIENCE * seconds
        rest = 2 * patience
        if child is None or child.stdin is None or child.stdout is None:
            raise RuntimeError("the REPL is not open")
        used = _allow(child.pid, seconds)
        clock = asyncio.get_running_loop().time
        try:
            while True:
                left, began = self._seconds_left() if end == "done" else None, clock()
                until = began + (rest if left is None else min(rest, left))
                async with asyncio.timeout_at(min(until, began + patience)) as silence:
                    await _send(child.stdin, data)
                    while "print" in (frame := await frames.receive(child.stdout)):
                        sink(frames.sound(str(frame["print"])))
                        if _computed(child.pid) - used > seconds + SPARE_SECONDS:
                            raise TimeoutError
                        silence.reschedule(min(until, clock() + patience))
                rest -= clock() - began
                if end in frame:
                    return frame
                data = [frames.packed(answer) async for answer in self._carry_out(frame)]
                self._returned += sum(map(len, data))
        except asyncio.CancelledError:
            await self.close()
            raise
        except (OSError, EOFError) as error:
            if await self.close() == -signal.SIGXCPU or isinstance(error, TimeoutError):
                why = f"time limit: the block used {seconds:g} s of CPU time, or waited too long"
                raise Ended("limit", why) from None
            raise Ended("crash", "the REPL's process ended: unexpectedly") from None
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            await self.close()
            raise Ended("crash", f"the REPL's process ended: it sent an invalid message ({error})") from None

    async def _carry_out(self, frame: Frame) -> AsyncIterator[Frame]:
        """Yield the result of a call. A call with the number `begin` is only begun, and the frame `collect` waits for it.

        Any other call waits for all that were begun, so that its result doesn't depend on how long they take.
        """
        if "collect" in frame:
            yield await self._begun.pop(frame["collect"])
            return
        number = frame.get("begin")
        size = 0 if number is None else max(len(frames.packed(frame)), frames.FRAME // AT_ONCE)
        if number is None or self._begun_bytes + size > frames.FRAME:
            await self._wait_for_begun()
        made, refusal = self._prepared(frame)
        if number is None:
            yield await self._answer(made, refusal)
            return
        if number in self._begun or len(self._begun) > MOST_BEGUN:
            raise ValueError("it began a call twice, or too many")
        self._begun_bytes += size
        self._begun[number] = asyncio.create_task(self._answer(made, refusal))

    async def _wait_for_begun(self) -> None:
        """Wait until all calls have ended that were begun."""
        self._begun_bytes = 0
        await asyncio.gather(*self._begun.values(), return_exceptions=True)

    def _prepared(self, frame: Frame) -> tuple[Frame, str]:
        """Return the call to carry out, and why it is refused, or ""."""
        if self._call_seconds > CALL_SECONDS or self._returned > CALL_MEGABYTES << 20:
            return frame, f"{frame['call']}(): {CALL_LIMIT}"
        try:
            return frame if self._recorded is None else self._recorded(frame), ""
        except ValueError as error:
            return frame, str(error)

    async def _answer(self, frame: Frame, refusal: str) -> Frame:
        """Call a host function. Return its result, or the exception to raise in the block."""
        if refusal:
            return {"raise": "RuntimeError", "message": refusal}
        began = self._clock()
        try:
            return await self.call(frame)
        finally:
            self._call_seconds += max(0.0, self._clock() - began)

    async def call(self, frame: Mapping[str, Any]) -> Mapping[str, Any]:
        """Call a host function. Raises KeyError, TypeError or ValueError if the frame is not a valid call."""
        name, function = frame["call"], self._functions[frame["call"]]
        arguments, keywords = frames.decode(frame["arguments"]), frames.decode(frame["keywords"])
        try:
            return {"return": frames.encode(await function(*arguments, **keywords))}
        except TypeError as error:  # wrong arguments, which Python's message names
            return {"raise": "TypeError", "message": str(error)}
        except (ValueError, KeyError) as error:
            return {"raise": "ValueError", "message": f"{name}(): {error}"}
        except DeepRepoError as error:
            return {"raise": "RuntimeError", "message": f"{name}(): {error}"}
        except Exception as error:  # noqa: BLE001 - a fault in the host must not end the root's run
            return {"raise": "RuntimeError", "message": f"{name}() failed in the host: {type(error).__name__}"}

    async def _more(self, number: int) -> str:
        """Return the left-out part of an output. Raises ValueError with the valid numbers."""
        if number not in self._cuts:
            valid = ", ".join(map(str, self._cuts)) or "none"
            raise ValueError(f"there is no output {number}. Available: {valid}")
        return self._cuts[number]


def _allow(pid: int, seconds: float) -> float:
    """Let the kernel kill a process after this many further CPU seconds (rounded up). Return its CPU seconds so far."""
    used = _computed(pid)
    if sys.platform == "linux":
        with suppress(OSError):
            resource.prlimit(pid, resource.RLIMIT_CPU, (min(math.ceil(used + seconds), PROCESSOR), PROCESSOR))
    return used


@contextmanager
def _room_for_value(child: Process | None) -> Iterator[None]:
    """Let a process take a value. Its memory limit grows by the value and COPIES times as much."""
    if sys.platform != "linux" or child is None:
        yield
        return
    (most, hard), before = resource.prlimit(child.pid, resource.RLIMIT_AS), lock.address_space(child.pid)
    resource.prlimit(child.pid, resource.RLIMIT_AS, (hard, hard))
    yield
    more = (1 + frames.COPIES) * (lock.address_space(child.pid) - before)
    resource.prlimit(child.pid, resource.RLIMIT_AS, (most + more, hard))


def _computed(pid: int) -> float:
    """Return a process's CPU seconds, or 0.0 if the machine doesn't report them. Then only the clock counts."""
    if sys.platform == "linux":
        with suppress(OSError):
            return time.clock_gettime((~pid << 3) | 2)  # a process's clock id, as computed by the C library
    return 0.0


async def _send(pipe: asyncio.StreamWriter, data: Iterable[bytes]) -> None:
    for part in data:
        pipe.write(part)
        await pipe.drain()


def _command() -> list[str]:
    """Return the child's command: this interpreter without site packages, user folders or the current folder."""
    home = str(Path(frames.__file__).parents[3])
    command = [sys.executable, "-s", "-S", "-P", "-c", PROGRAM, home]
    if sys.platform != "darwin":
        return command
    profile = PROFILE.format(python=os.path.realpath(sys.executable), base=sys.base_prefix, program=home)
    return ["/usr/bin/sandbox-exec", "-p", profile, *command]
