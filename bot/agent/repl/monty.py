"""The REPL, on pydantic-monty. Nothing else knows that library.

The synchronous client is used, in one thread, because the asynchronous one can abort the process at exit. A block runs in a
process of its own, without files, network or clock; every power comes from the host functions that it is given.
"""

import os
import re
import signal
import sysconfig
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from bot.agent.repl import stdlib
from bot.agent.repl.output import END, NEXT, Cut, PrintBuffer
from bot.errors import DeepRepoError, ReplUnavailable
from bot.machine import extras
from bot.values import Limits, Observation

if TYPE_CHECKING:
    from pydantic_monty import ExternalModule, MontyError, MontySession

Outcome = Literal["ok", "error", "syntax", "limit", "crash"]
ERROR_CHARS = 2_000  # of an error text; a block can raise a message of 200 MB
ARGUMENT_CHARS = 2 << 20  # of the arguments of one host call
MEMORY = 192 << 20  # what a block raises or prints comes to the host, which holds it several times over
HOST_CALLS = 5_000  # of one checkout; the default of 1000 is too small
RECURSION = 500
_PATHS = Lock()  # Python fills its table of paths without one, and pydantic_monty looks there for its program
START_SECONDS = 20.0  # to get a worker process; without it a busy pool would wait for ever
CUTS = 40  # pieces of output that more() can return; the oldest go first
MODULES = (
    "json, re, math, collections, itertools, functools, dataclasses, datetime, typing, hashlib, csv, bisect, decimal, random, time, "
    "asyncio, copy, base64, unicodedata, os"
)
BEGIN = f"""import {MODULES}, {", ".join(stdlib.OFFERED)}
from collections import Counter, defaultdict, deque, namedtuple
from pathlib import Path
_print = print
def print(*values, sep=' ', end='\\n', file=None, flush=False):
    _print(*values, sep={NEXT!r} if sep == ' ' else sep, end=(end or '') + {END!r})
"""  # what models write without importing it, and a print() that marks where each of its texts ends
NOW = datetime(2026, 1, 1, tzinfo=UTC)  # the clock stands still in blocks, so that a replay prints the same

_PLACE = re.compile(r'File "<python-input-(\d+)>"')
LIMIT_SIGNS = ("feed time limit exceeded", "memory limit", "suspension limit")
GONE = "\nThe REPL was restarted: every name that you assigned is gone; the given names are there again, and last_batch() too."


class MontyRepl:
    """One worker process, opened again after a crash or a limit. Used from one thread; `kill` from any."""

    def __init__(
        self, variables: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]], limits: Limits
    ) -> None:
        self._limits = limits
        self._cuts: list[Cut] = []  # the pieces of earlier outputs, numbered over the whole run
        self._variables = dict(variables)
        self._functions = {name: self._guard(name, call) for name, call in functions.items()}
        self._functions["more"] = self._guard("more", self._more)
        self._stack, self._pid, self._killed = ExitStack(), 0, False
        self._fed, self._blocks = 0, 0  # what the process was given; how much of it the root wrote
        self._numbers: dict[int, int] = {}  # Monty counts all, the root counts its own
        self._session = self._open()

    def run(self, code: str) -> Observation:
        """Run one block. Its output, and the error as the model should read it."""
        import pydantic_monty

        self._blocks += 1
        self._numbers[self._fed] = self._blocks
        self._fed += 1
        sink = PrintBuffer(self._limits.output_chars)
        error: str | None = None
        outcome: Outcome = "ok"
        try:
            self._session.feed_run(code, external_lookup=self._functions, print_callback=sink)
        except pydantic_monty.MontyError as failure:
            text = _PLACE.sub(lambda at: f"block {self._numbers.get(int(at[1]), '?')}", _display(failure, code))
            error, outcome = _cut(text), _outcome(failure)
        has_ended = outcome in {"limit", "crash"}
        output = sink.finish(None if has_ended else self._cuts[-1].number + 1 if self._cuts else 1)
        self._cuts = [*self._cuts, *(() if has_ended else output.cuts)][-CUTS:]
        if has_ended and not self._killed:
            self._session = self._open()
            error = f"{error}{GONE}"
        return Observation(output.text, error, outcome, output.omitted_chars)

    def value(self, expression: str) -> stdlib.Value:
        """The value of an internal expression in the REPL, None if it fails."""
        import pydantic_monty

        self._fed += 1
        with suppress(pydantic_monty.MontyError):
            return self._session.feed_run(expression, print_callback=PrintBuffer(1))
        return None

    def kill(self) -> None:
        """End the running block now, from another thread: the process goes, and no other is started."""
        self._killed = True
        with suppress(ProcessLookupError):
            if self._pid:
                os.kill(self._pid, signal.SIGKILL)

    def close(self) -> None:
        """End the process. After it the REPL is not used again."""
        self._pid = 0
        self._stack.close()

    def _open(self) -> "MontySession":
        """A fresh process with the variables in it. The pool is ours alone and holds one worker."""
        try:
            import pydantic_monty
        except ImportError as error:
            raise ReplUnavailable(f"the REPL is not installed ({error}): {extras.install('models')}") from error
        self._stack.close()
        with _PATHS:
            sysconfig.get_config_vars()
        self._fed, self._numbers = 1, {}
        wait = max(30.0, self._limits.turn_seconds + 5)  # longer than the limit inside, which ends a block more gently
        try:
            pool = self._stack.enter_context(
                pydantic_monty.Monty(
                    request_timeout=wait, max_processes=1, max_checkouts_per_worker=1, checkout_timeout=START_SECONDS
                )
            )
            session = self._stack.enter_context(
                pool.checkout(
                    limits={
                        "max_feed_duration_secs": self._limits.turn_seconds,
                        "max_memory": MEMORY,
                        "max_suspensions": HOST_CALLS,
                        "max_recursion_depth": RECURSION,
                    },
                    os_policy={"sleep": "zero", "timezone": "utc", "datetime": NOW, "random_start": {"seed": 7}},
                    external_modules={name: partial(self._module, name) for name in stdlib.OFFERED},
                )
            )
            self._pid = session.worker_pid or 0  # it is None while a block runs
            session.feed_run(BEGIN, inputs=self._variables, external_lookup={})
        except (pydantic_monty.MontyError, OSError, RuntimeError) as error:
            self._stack.close()
            raise ReplUnavailable(f"the REPL did not start: {error}") from error
        return session

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

    def _module(self, name: str) -> "ExternalModule":
        import pydantic_monty

        return pydantic_monty.ExternalModule(stdlib.attributes(name, self._guard))

    def _guard(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """A host function at the boundary: whatever it raises becomes an ordinary exception in the block, with a sentence."""

        def guard(*arguments: stdlib.Value, **keywords: stdlib.Value) -> stdlib.Value:
            if stdlib.weight([*arguments, *keywords.values()]) > ARGUMENT_CHARS:
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


def _display(error: "MontyError", code: str) -> str:
    """The traceback with the failing line, and a caret where Monty draws none."""
    import pydantic_monty

    if isinstance(error, pydantic_monty.MontySyntaxError):
        lines, frames = code.split("\n"), error.traceback()
        if frames and frames[-1].line <= len(lines):
            at = frames[-1]
            caret = " " * (at.column - 1) + "^"
            return f"line {at.line}\n    {lines[at.line - 1]}\n    {caret}\n{error.display('type-msg')}"
    if isinstance(error, (pydantic_monty.MontySyntaxError, pydantic_monty.MontyRuntimeError)):
        return error.display()
    return f"the REPL's process ended: {error}" if isinstance(error, pydantic_monty.MontyCrashedError) else str(error)


def _outcome(error: "MontyError") -> Outcome:
    import pydantic_monty

    if isinstance(error, pydantic_monty.MontyCrashedError):
        return "limit" if error.timed_out else "crash"
    if isinstance(error, pydantic_monty.MontySyntaxError) or "monty syntax parser" in str(error)[:200]:
        return "syntax"
    return "limit" if any(sign in str(error)[:200] for sign in LIMIT_SIGNS) else "error"


def _cut(text: str) -> str:
    """Head and tail of a long error: the frames stand first, the message last."""
    if len(text) <= ERROR_CHARS:
        return text
    half = ERROR_CHARS // 2
    return f"{text[:half]}\n[... {len(text) - ERROR_CHARS:,} characters cut ...]\n{text[-half:]}"
