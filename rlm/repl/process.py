"""The REPL as the host sees it: a child that the kernel has locked (`child`), one block at a time.

Every power of a block comes from the host functions that it is given. What the child says is data of a stranger: frames of a bounded
size, read with a deadline, decoded to plain values; a child that says anything else is ended.
"""

import json
import os
import re
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Literal

from rlm.errors import DeepRepoError, ReplUnavailable
from rlm.repl import frames
from rlm.repl.frames import Value
from rlm.repl.output import Cut, PrintBuffer
from rlm.values import Limits, Observation

Outcome = Literal["ok", "error", "syntax", "limit", "crash"]
ERROR_CHARS = 2_000  # of an error text; a block can raise a message of 100 MB
ARGUMENT_CHARS = 2 << 20  # of the arguments of one host call
FRAME = 64 << 20  # bytes of a frame from the child
MEGABYTE = 1 << 20
PROCESSOR = 3_600  # seconds of a processor in the life of a child: one whose parent was killed ends by itself
HOST_CALLS = 5_000  # of one child
START_SECONDS = 20.0  # to be ready
PATIENCE = (
    6  # times the seconds that a block may compute: how long the host waits for a sign of it, on a machine that is busy
)
CUTS = 40  # pieces of output that more() can return; the oldest go first
GONE = "\nThe REPL was restarted: every name that you assigned is gone; the given names are there again, and last_batch() too."
ADDRESS = re.compile(r"(?<= at )0x[0-9a-f]{6,}")  # of an object: another one in each run
# The standard library comes first, so that nothing beside this package takes the place of a module of it.
PROGRAM = "import sys; sys.path.append(sys.argv[1]); from rlm.repl import child; sys.path.pop(); child.main()"
# macOS: nothing but Python's own folders can be read, and nothing else be done.
PROFILE = """(version 1)(deny default)(allow process-exec (literal "{python}"))(allow sysctl-read)(allow mach-lookup)
(allow file-read-metadata)(allow file-read* (subpath "{base}")(subpath "/usr/lib")(subpath "/System")(subpath "{program}"))"""


class Ended(Exception):  # noqa: N818 - an outcome of a block
    """The child has ended, or was ended."""

    def __init__(self, outcome: Outcome, why: str) -> None:
        super().__init__(why)
        self.outcome: Outcome = outcome


class Child:
    """A process with two pipes."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            _command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PYTHONHASHSEED": "0", "PYTHONUTF8": "1"},
            cwd="/",
            start_new_session=True,
            bufsize=0,
        )
        if self.process.stdin is None or self.process.stdout is None:
            raise OSError("no pipes")
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        os.set_blocking(self.stdin.fileno(), False)  # who does not read what it asked for holds up nobody

    def seconds(self) -> float:
        """The seconds of a processor that it has used; 0 where the machine does not say."""
        try:
            return time.clock_gettime(
                (~self.process.pid << 3) | 2
            )  # the clock of a process, as the C library numbers it
        except OSError:
            return 0.0

    def end(self) -> int:
        """End it now; its exit code."""
        self.process.kill()
        code = self.process.wait()
        for pipe in (self.stdin, self.stdout):
            with suppress(OSError):
                pipe.close()
        return code


class PythonRepl:
    """One locked child, started again after a crash or a limit. Used from one thread; `kill` from any.

    Raises ReplUnavailable where no child can be locked on this machine.
    """

    def __init__(
        self, variables: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]], limits: Limits
    ) -> None:
        self._limits = limits
        self._cuts: list[Cut] = []  # the pieces of earlier outputs, numbered over the whole run
        self._variables = frames.encode(dict(variables))
        self._functions = {name: self._guard(name, call) for name, call in functions.items()}
        self._functions["more"] = self._guard("more", self._more)
        self._blocks = self._calls = 0
        self._spent = START_SECONDS  # seconds of a processor at which the child has used up its time
        self._is_killed = False
        self._start()

    def run(self, code: str) -> Observation:
        """Run one block. Its output, and the error as the model should read it."""
        self._blocks += 1
        sink = PrintBuffer(self._limits.output_chars)
        try:
            done = self._converse({"run": code, "number": self._blocks}, sink, "done")
            outcome, error = _outcome(done.get("done")), done.get("error")
        except Ended as ended:
            outcome, error = ended.outcome, str(ended)
        has_ended = outcome in {"limit", "crash"}
        output = sink.finish(None if has_ended else self._cuts[-1].number + 1 if self._cuts else 1)
        self._cuts = [*self._cuts, *(() if has_ended else output.cuts)][-CUTS:]
        error = _cut(ADDRESS.sub("0x0", str(error))) if error else None
        if has_ended and not self._is_killed:
            self._restart()
            error = f"{error}{GONE}"
        return Observation(ADDRESS.sub("0x0", output.text), error, outcome, output.omitted_chars)

    def value(self, expression: str) -> Value:
        """The value of an internal expression in the REPL, None if it fails."""
        try:
            return frames.decode(self._converse({"value": expression}, PrintBuffer(1), "value")["value"])
        except Ended:
            if not self._is_killed:
                self._restart()
        except (TypeError, ValueError, KeyError, RecursionError):  # no plain value
            return None
        return None

    def kill(self) -> None:
        """End the running block now, from another thread: the process goes, and no other is started."""
        self._is_killed = True
        self._child.process.kill()

    def close(self) -> None:
        """End the process. After it the REPL is not used again."""
        self._child.end()

    def _restart(self) -> None:
        self.close()
        self._start()

    def _start(self) -> None:
        """A fresh locked child with the variables in it."""
        self._calls = 0
        try:
            self._child = Child()
        except OSError as error:
            raise ReplUnavailable(f"the REPL did not start: {error}") from None
        order = {
            "variables": self._variables,
            "functions": list(self._functions),
            "memory": self._limits.memory * MEGABYTE,
            "seconds": PROCESSOR,
        }
        try:
            self._spent = START_SECONDS
            self._send(order)
            told = self._receive(time.monotonic() + START_SECONDS)
        except Ended as ended:
            told = {"why": f"its process ended at the start ({ended})"}
        possible = told.get("possible")
        if told.get("locked") is not True or possible != []:
            self.close()
            listed = ", ".join(map(str, possible)) if isinstance(possible, list) else ""
            why = f"a block could {listed}" if listed else told.get("why") or "it did not answer"
            raise ReplUnavailable(f"the REPL cannot be locked on this machine: {why}")

    # --- one conversation ---------------------------------------------------------------------------------------------

    def _converse(self, order: Mapping[str, Any], sink: PrintBuffer, end: str) -> Mapping[str, Any]:
        """Send an order and serve what the block asks for, up to the frame that ends it. Only what the child computes is its time."""
        self._spent = self._child.seconds() + (self._limits.turn_seconds if "run" in order else START_SECONDS)
        self._send(order)
        while True:
            frame = self._receive(time.monotonic() + PATIENCE * self._limits.turn_seconds)
            if end in frame:
                return frame
            if "print" in frame:
                sink(str(frame["print"]), _count(frame.get("lost")))
            elif "call" in frame:
                self._send(self._answer(frame))
            else:
                raise self._end("crash", "it said something that is no part of the conversation")

    def _answer(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        """What a host function returns, or the exception that it raises in the block."""
        self._calls += 1
        if self._calls > HOST_CALLS:
            raise self._end("limit", f"call limit: more than {HOST_CALLS:,} calls of given functions in one run")
        try:
            function = self._functions[frame["call"]]
            arguments, keywords = frames.decode(frame["arguments"]), frames.decode(frame["keywords"])
            return {"return": frames.encode(function(*arguments, **keywords))}
        except (TypeError, ValueError, RuntimeError) as error:
            kind = next(kind for kind in frames.KINDS.values() if isinstance(error, kind))
            return {"raise": kind.__name__, "message": str(error)}
        except (KeyError, RecursionError):
            raise self._end("crash", "it asked for something that is not there") from None

    def _send(self, frame: Mapping[str, Any]) -> None:
        data = json.dumps(frame).encode()
        view, deadline = memoryview(struct.pack(">I", len(data)) + data), time.monotonic() + START_SECONDS
        try:
            while view:
                self._wait(self._child.stdin, select.POLLOUT, deadline)
                view = view[self._child.stdin.write(view) or 0 :]
        except OSError:
            raise self._end("crash", "its process has ended") from None

    def _receive(self, deadline: float) -> dict[str, Any]:
        (size,) = struct.unpack(">I", self._exactly(4, deadline))
        if size > FRAME:
            raise self._end("crash", "it said more than a frame holds")
        try:
            frame = json.loads(self._exactly(size, deadline))
        except (ValueError, RecursionError):
            frame = None
        if not isinstance(frame, dict):
            raise self._end("crash", "it said something that is no part of the conversation")
        return frame

    def _exactly(self, size: int, deadline: float) -> bytes:
        parts = []
        while size:
            self._wait(self._child.stdout, select.POLLIN, deadline)
            part = os.read(self._child.stdout.fileno(), min(size, 1 << 20))
            if not part:
                raise self._end("crash", "its process has ended")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _wait(self, pipe: IO[bytes], event: int, deadline: float) -> None:
        """Wait until the pipe is ready, the child has computed for its whole time, or the deadline has come."""
        waiting = select.poll()
        waiting.register(pipe, event)
        while not waiting.poll(max(10.0, 1000 * min(deadline - time.monotonic(), self._spent - self._child.seconds()))):
            if time.monotonic() >= deadline or self._child.seconds() >= self._spent:
                raise self._end("limit", f"time limit: the block computed for {self._limits.turn_seconds:g} s")

    def _end(self, outcome: Outcome, why: str) -> Ended:
        """End the child; what to raise for it."""
        code = self._child.end()
        if outcome == "crash" and code == -signal.SIGXCPU:
            return Ended("limit", "time limit: all blocks together computed for too long")
        return Ended(outcome, why if outcome == "limit" else f"the REPL's process ended: {why}")

    # --- host functions -----------------------------------------------------------------------------------------------

    def _more(self, number: int | None = None) -> str:
        """What was cut out of one piece of output; without a number, of the only one, or which ones there are."""
        cuts_by_number = {cut.number: str(cut) for cut in self._cuts}
        if number is None and len(cuts_by_number) == 1:
            return next(iter(cuts_by_number.values()))
        if number is not None and number in cuts_by_number:
            return cuts_by_number[number]
        rows = [
            f"more({c.number}): {len(c.text):,} characters of the piece that begins {c.title!r}" for c in self._cuts
        ]
        text = "\n".join(rows) or "nothing was cut so far"
        if number is not None:
            raise ValueError(f"there is no cut piece {number}. {text}")
        return f"[{text}]"

    def _guard(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """A host function at the boundary: whatever it raises becomes an ordinary exception in the block, with a sentence."""

        def guard(*arguments: Value, **keywords: Value) -> Value:
            if frames.weight([*arguments, *keywords.values()]) > ARGUMENT_CHARS:
                raise ValueError(f"{name}() takes at most {ARGUMENT_CHARS:,} characters: pass less at once")
            try:
                return call(*arguments, **keywords)
            except DeepRepoError as error:
                raise RuntimeError(f"{name}(): {error}") from None
            except TypeError as error:  # arguments that do not fit: Python's own words say which
                raise TypeError(str(error)) from None
            except (ValueError, KeyError) as error:
                raise ValueError(f"{name}(): {error}") from None
            except Exception as error:  # noqa: BLE001 - the boundary: a fault of the host may not end the root's work
                raise RuntimeError(f"{name}() failed in the host: {type(error).__name__}") from None

        return guard


def _command() -> list[str]:
    """The program of a child: this interpreter without site packages, user's folders or the current one in its path."""
    home = str(Path(frames.__file__).parents[2])
    command = [sys.executable, "-s", "-S", "-P", "-c", PROGRAM, home]
    if sys.platform != "darwin":
        return command
    profile = PROFILE.format(python=os.path.realpath(sys.executable), base=sys.base_prefix, program=home)
    return ["/usr/bin/sandbox-exec", "-p", profile, *command]


def _outcome(said: object) -> Outcome:
    return "ok" if said == "ok" else "syntax" if said == "syntax" else "error"


def _count(said: object) -> int:
    return said if isinstance(said, int) and said >= 0 else 0


def _cut(text: str) -> str:
    """Head and tail of a long error: the frames stand first, the message last."""
    if len(text) <= ERROR_CHARS:
        return text
    half = ERROR_CHARS // 2
    return f"{text[:half]}\n[... {len(text) - ERROR_CHARS:,} characters cut ...]\n{text[-half:]}"
