"""The process in which the host's modules work for blocks: its memory, and the time of each call, are limited.

The sandbox lacks these modules, and in the server's own process a call that a model wrote (`statistics.quantiles(n=10**8)`, a
`difflib` of two long lists) could take all memory or hold the interpreter's lock. The process is started by the first call and ended
with the REPL. Both sides speak marshal, which holds plain values only.
"""

import marshal
import os
import selectors
import struct
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

CALL_SECONDS = 5.0  # of one call
BLOCK_SECONDS = 20.0  # of all calls of one block
MEMORY = 512 << 20
ANSWER_BYTES = 4 << 20
START_SECONDS = 10.0  # what a slow machine takes to start the process; no call is charged for it

WORKER = """
import importlib, marshal, struct, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
except (ImportError, OSError, ValueError):
    pass
source, target = sys.stdin.buffer, sys.stdout.buffer
def say(answer):
    target.write(struct.pack("<I", len(answer)) + answer)
    target.flush()
say(marshal.dumps(("ready", None)))
while head := source.read(4):
    module, name, arguments, named, as_list = marshal.loads(source.read(struct.unpack("<I", head)[0]))
    try:
        result = getattr(importlib.import_module(module), name)(*arguments, **named)
        answer = marshal.dumps(("done", list(result) if as_list else result))
        if len(answer) > ANSWER_BYTES:
            raise ValueError("its result is too large: ask for less at once")
    except MemoryError:
        answer = marshal.dumps(("ValueError", "it needs too much memory: ask for less at once"))
    except TypeError as error:
        answer = marshal.dumps(("TypeError", str(error)[:500]))
    except Exception as error:
        answer = marshal.dumps(("ValueError", str(error)[:500] or type(error).__name__))
    result = None
    say(answer)
"""


class Apart:
    """One process at most. Used from one thread; `close` from any."""

    def __init__(self, call_seconds: float = CALL_SECONDS, block_seconds: float = BLOCK_SECONDS) -> None:
        self._call_seconds, self._block_seconds = call_seconds, block_seconds
        self._left = block_seconds
        self._process: subprocess.Popen[bytes] | None = None

    def begin(self) -> None:
        """A new block: its calls have their time again."""
        self._left = self._block_seconds

    def call(
        self, module: str, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any], *, as_list: bool
    ) -> Any:  # noqa: ANN401 - a plain value
        """What a function of a module comes to. Raises TypeError and ValueError with a sentence."""
        try:
            call = marshal.dumps((module, name, arguments, keywords, as_list))
        except ValueError:
            raise TypeError("it takes plain values only: numbers, text, lists, tuples, dicts, sets") from None
        if self._left <= 0:
            raise ValueError(
                f"the calls of this block took {self._block_seconds:g} s together: end the block, then go on"
            )
        process = self._start()
        start = time.monotonic()
        end = start + min(self._call_seconds, self._left)
        try:
            if process.stdin is not None:
                process.stdin.write(struct.pack("<I", len(call)) + call)
                process.stdin.flush()
            kind, value = self._answer(process, end)
        except TimeoutError:
            self.close()
            raise ValueError(f"it took longer than {end - start:.0f} s and was ended: pass less") from None
        except (OSError, EOFError, ValueError):
            self.close()
            raise ValueError("it ended its process, most likely for want of memory: pass less") from None
        finally:
            self._left -= time.monotonic() - start
        if kind == "TypeError":
            raise TypeError(value)
        if kind != "done":
            raise ValueError(value)
        return value

    def close(self) -> None:
        """End the process; a later call starts another one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(OSError):
                process.communicate(timeout=1)

    def _start(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            code = (
                WORKER.replace("MEMORY,", f"{MEMORY},")
                .replace("MEMORY)", f"{MEMORY})")
                .replace("ANSWER_BYTES", str(ANSWER_BYTES))
            )
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", code],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={}, cwd=os.sep,
            )  # fmt: skip
            self._answer(self._process, time.monotonic() + START_SECONDS)
        return self._process

    @staticmethod
    def _answer(process: subprocess.Popen[bytes], end: float) -> tuple[str, Any]:
        """The next answer. Raises TimeoutError, and EOFError when the process is gone."""
        if process.stdout is None:
            raise EOFError
        answer = b""
        with selectors.DefaultSelector() as waiting:
            waiting.register(process.stdout, selectors.EVENT_READ)
            while len(answer) < 4 or len(answer) < 4 + struct.unpack("<I", answer[:4])[0]:  # noqa: PLR2004 - the length before the answer
                if not waiting.select(max(0.0, end - time.monotonic())):
                    raise TimeoutError
                part = os.read(process.stdout.fileno(), 1 << 20)
                if not part:
                    raise EOFError
                answer += part
        kind, value = marshal.loads(answer[4:])  # noqa: S302 - written by the lines above
        return kind, value
