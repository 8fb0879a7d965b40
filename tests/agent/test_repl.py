import asyncio
import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Never

import pytest
from children import UNLOCKED
from waits import ended, gone, patience

from deeprepo.rlm.repl import lock
from deeprepo.rlm.repl.process import CALL_LIMIT, CALL_MEGABYTES, CALL_SECONDS, Repl
from deeprepo.rlm.values import Limits, Observation

LIMITS = Limits(turn_seconds=1.0, output_chars=400)


class Driven:
    """Runs a REPL from synchronous code."""

    def __init__(self, runner: asyncio.Runner, repl: Repl) -> None:
        self._runner, self._repl = runner, repl

    def run(self, code: str) -> Observation:
        return self._runner.run(self._repl.run(code))

    def value(self, expression: str) -> Any:  # noqa: ANN401
        return self._runner.run(self._repl.value(expression))


@contextmanager
def opened(
    variables: Mapping[str, Any],
    functions: Mapping[str, Callable[..., Any]],
    limits: Limits,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Driven]:
    def awaited(call: Callable[..., Any]) -> Callable[..., Any]:
        async def answer(*arguments: Any) -> Any:  # noqa: ANN401
            return call(*arguments)

        return answer

    with asyncio.Runner() as runner:
        asked = {name: awaited(call) for name, call in functions.items()}
        opening = Repl(variables, asked, limits, clock=clock)
        try:
            yield Driven(runner, runner.run(opening.__aenter__()))
        finally:
            runner.run(opening.__aexit__(None, None, None))


def one(code: str, functions: Mapping[str, Callable[..., Any]] | None = None, limits: Limits = LIMITS) -> Observation:
    with opened({"answer": {"ready": False}}, functions or {}, limits) as repl:
        return repl.run(code)


def test_traceback_shows_only_the_roots_blocks() -> None:
    """A traceback counts the root's own blocks and shows no path of the host."""
    with opened({}, {}, LIMITS) as repl:
        repl.run("def f():\n    return nothing")
        repl.value("1 + 1")
        error = repl.run("f()").error
    assert "block 2, line 1, in <module>" in error
    assert "block 1, line 2, in f" in error
    assert "/" not in error.split("NameError")[0]


def test_endless_loop_is_stopped() -> None:
    """An endless loop is stopped, and the model is told that its names are lost."""
    with opened({"given": 1}, {}, LIMITS) as repl:
        repl.run("mine = 1")
        seen = repl.run("while True: pass")
        assert seen.outcome == "limit"
        assert "all names that you assigned are lost" in seen.error
        assert "not defined" in repl.run("mine").error
        assert repl.run("print(given)").output == "1\n"


def test_memory_limit_raises_an_error_in_the_block() -> None:
    """Too much memory is refused, in one piece or in many, and names are kept."""
    with opened({}, {}, LIMITS) as repl:
        repl.run("mine = 1")
        for code in ("x = [0] * 10**9", "x = 'x' * 10**9", "xs = []\nwhile True: xs.append('y' * 10**6)"):
            assert "MemoryError" in repl.run(code).error
        assert repl.run("xs = x = None\nprint(mine)").output == "1\n"


@pytest.mark.parametrize("seconds", [0.0, CALL_SECONDS / 9], ids=["bytes", "time"])
def test_calls_beyond_the_limit_raise_an_error_in_the_block(seconds: float) -> None:
    """When the calls of a block have returned too much or taken too long, they raise an error, and names are kept."""
    size, clock = (1, itertools.count(0.0, seconds)) if seconds else (CALL_MEGABYTES << 16, itertools.repeat(0.0))
    with opened({}, {"f": lambda: "x" * size}, Limits(turn_seconds=60), lambda: next(clock)) as repl:
        seen = repl.run("count = 0\nwhile True:\n    count += bool(f())")
        assert (seen.outcome, seen.output) == ("error", "")
        assert f"RuntimeError: f(): {CALL_LIMIT}" in seen.error
        assert repl.value("count") == (10 if seconds else 16)
        assert repl.run("print(len(f()))").output == f"{size}\n"


def test_long_output_ends_after_a_whole_line() -> None:
    """Long output ends after a whole line, says how much was left out, and more() returns exactly the rest."""
    with opened({}, {}, LIMITS) as repl:
        seen = repl.run("for i in range(1000): print(i)")
        first, _, shown = seen.output.partition("\n")
        head, mark = shown.split("[...")
        rest = "".join(f"{i}\n" for i in range(1000)).removeprefix(head)
        assert first == "[This block prints 3,890 characters, which is too much: the first 400 follow.]"
        assert head.startswith("0\n1\n")
        assert head.endswith("\n")
        lines = rest.count("\n")
        assert mark == f" {lines} more lines, {seen.omitted:,} characters: print(more(1)) shows them]\n"
        repl.run("cut = more(1)")
        assert repl.value("cut") == rest


@pytest.mark.parametrize(
    "code",
    [
        "for i in range(3000): print('##', i); print('y' * 900)",
        "for i in range(100_000): print()",
        "print('[' * 100_000)",
        "print([[['x' * 50] * 50] * 50])",
        "print('\\x1e' * 100_000)",
        "for i in range(50): print('z' * (i * 97))",
    ],
)
def test_output_never_exceeds_its_limit(code: str) -> None:
    """Output never exceeds the limit, including the marks for cuts."""
    for size in (1, 50, 400, 20_000):
        assert len(one(code, limits=Limits(output_chars=size)).output) <= size


def test_host_error_is_an_exception_in_the_block() -> None:
    """A block can catch a host function's errors, which reveal nothing about the host."""

    def broken() -> Never:
        raise ZeroDivisionError(str(Path.cwd()))

    code = "try:\n    broken()\nexcept RuntimeError as error:\n    print(error)"
    assert one(code, {"broken": broken}).output == "broken() failed in the host: ZeroDivisionError\n"


def test_host_function_arguments_are_limited() -> None:
    """Arguments of a host function are limited to one frame."""
    assert (
        "ValueError: f(): more than 16,777,216 bytes in one call"
        in one("f('x' * 17_000_000)", {"f": lambda _: None}).error
    )


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        ("print(next((x for x in [1, 2] if x > 1), None))", "2"),
        ("def g():\n    yield from range(3)\nprint(list(g()))", "[0, 1, 2]"),
        ("import heapq, operator, io, enum, pprint\nprint(heapq.nlargest(2, [1, 5, 3]))", "[5, 3]"),
        ("class E(ValueError): pass\ntry:\n    raise E('x')\nexcept ValueError as e:\n    print('got', e)", "got x"),
        ("d = {'a': 1, 'b': 2}\ndel d['a']\nprint(max(d, key=d.get))", "b"),
        ("print(re.sub(r'\\d', lambda m: str(int(m[0]) + 1), 'a1'), round(2.675, 2))", "a2 2.67"),
        (
            "import asyncio\nasync def f():\n    await asyncio.sleep(3)\n    return 4\nprint(await f(), await len('ab'))",
            "4 2",
        ),
        (
            "from concurrent.futures import ThreadPoolExecutor\nprint(list(ThreadPoolExecutor(2).map(len, ['a', 'bb'])))",
            "[1, 2]",
        ),
        ("from datetime import datetime\nprint(datetime.strptime('March 3, 2027', '%B %d, %Y').date())", "2027-03-03"),
        ("print(1)\nexit()\nprint(2)", "1"),
    ],
)
def test_blocks_run_as_in_cpython(code: str, printed: str) -> None:
    """Code that models write runs as in CPython."""
    seen = one(code)
    assert (seen.output, seen.error) == (f"{printed}\n", None)


@pytest.mark.parametrize("action", ["signal.SIG_IGN", "lambda *_: None"])
def test_cpu_limit_cannot_be_ignored_or_handled(action: str) -> None:
    """A block can neither ignore nor handle the signal that ends it."""
    assert "PermissionError" in (one(f"import signal\nsignal.signal(signal.SIGXCPU, {action})").error or "")


def test_waiting_block_ends_at_the_run_deadline() -> None:
    """Output keeps a block alive only until the run's deadline."""
    deadline = [time.monotonic() + 1_000]
    waits = "lock = threading.Lock(); lock.acquire()\nwhile True: print('.', flush=True); lock.acquire(timeout=0.1)"

    async def go() -> Observation:
        async with Repl({}, {}, LIMITS, lambda: deadline[0] - time.monotonic()) as repl:
            deadline[0] = time.monotonic() + 1.5
            return await repl.run(f"import threading\n{waits}")

    assert asyncio.run(go()).outcome == "limit"


@pytest.mark.parametrize(
    "value",
    ["{n * (2**61 - 1): 1 for n in range(1, 9)}", "[[]] * 400_000"],
)
def test_colliding_keys_and_too_many_values_are_refused_in_the_block(value: str) -> None:
    """Colliding keys and too many values are refused inside the block, before they are sent."""

    async def take(_: object) -> str:
        return "taken"

    done = one(f"print(f({value}))", {"f": take}, Limits(turn_seconds=30))
    assert "cannot be a key here" in (done.error or "") or "values in one call" in (done.error or "")


def test_time_and_random_numbers_are_fixed() -> None:
    """Time and random numbers are fixed, so that a replay prints the same."""
    code = "import time, random, uuid, datetime\ntime.sleep(100)\n"
    code += "print(time.time(), random.random(), uuid.uuid4(), datetime.datetime.now(), object(), set('abcdef'), os.urandom(4))"
    assert one(code).output == one(code).output
    assert one(code).error is None


FLOOD = """
frame = json.dumps({"call": "f", "arguments": [], "keywords": {"d": []}}).encode()
while True:
    os.write(1, len(frame).to_bytes(4, "big") + frame)
"""
LIBC = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"


@pytest.mark.parametrize(
    "code",
    [
        "print(open('/etc/passwd').read())",
        "open('/var/tmp/x', 'w').write('x')",
        "print(os.listdir('/'))",
        "print(os.environ['HOME'])",
        "print(os.stat('/etc/passwd').st_size)",
        "print(Path('/proc/self/maps').read_text())",
        "import socket\nsocket.socket().connect(('127.0.0.1', 1))",
        "import subprocess\nsubprocess.run(['id'])",
        "import urllib.request",
        "os.fork()",
        "os.execv('/bin/sh', ['sh'])",
        "os.kill(os.getppid(), 9)",
        "os.kill(1, 0)",
        "import threading\nthreading.Thread(target=print).start()",
        "os.pipe()",
        "os.read(3, 1)",
        "os.write(2, b'x')",
        "import mmap",
        LIBC + "assert libc.system(b'true') == 0, 'refused'",
        *(
            LIBC + f"assert libc.{call} >= 0, 'refused'"
            for call in (
                "open(b'/etc/passwd', 0)",
                "socket(2, 1, 0)",
                "fork()",
                "ptrace(16, 1, 0, 0)",
                "kill(-1, 0)",
                "prctl(22, 0, 0)",
                "syscall(0x40000000 + 2, b'/etc/passwd', 0)",
                "syscall(425, 1, 0)",
                "personality(0x40000)",
                "memfd_create(b'x', 0)",
                "setrlimit(9, 0)",
            )
        ),
    ],
)
def test_host_machine_cannot_be_reached(code: str) -> None:
    """No file, environment, network, process or thread is accessible, from Python or from the C library."""
    seen = one(code, limits=Limits(turn_seconds=5))
    assert seen.outcome == "error", seen
    assert "refused" in seen.error or "Error" in seen.error


@pytest.mark.parametrize(
    "code",
    [
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "while True:\n    try:\n        os.fork()\n    except OSError: pass",
        "import ctypes\nctypes.string_at(1)",
        "os._exit(3)",
        "os.write(1, b'x' * 10_000)",
        "os.write(1, (10**9).to_bytes(4, 'big'))",
        "os.read(0, 1)",
        FLOOD,
    ],
)
def test_hostile_block_is_ended_and_the_host_continues(code: str) -> None:
    """The block is ended, the host goes on, and the next block runs in a new process."""
    with opened({"given": 1}, {"f": lambda: "y" * 1_000_000}, LIMITS) as repl:
        assert repl.run(code).outcome in {"limit", "crash"}
        assert repl.run("print(given)").output == "1\n"


def test_endless_recursion_ends_in_the_block() -> None:
    """Python 3.11 overflows its stack; 3.13 does not and fails for lack of memory."""
    with opened({"given": 1}, {}, LIMITS) as repl:
        assert repl.run("import sys\nsys.setrecursionlimit(10**7)\ndef f(): f()\nf()").outcome in {
            "limit",
            "crash",
            "error",
        }
        assert repl.run("print(given)").output == "1\n"


PRETENDING = (
    UNLOCKED
    + """
import asyncio
from deeprepo.rlm.repl.process import Repl
from deeprepo.rlm.values import Limits
try:
    asyncio.run(Repl({}, {}, Limits()).start())
except Exception as error:
    print(type(error).__name__, error)
"""
)


@pytest.mark.skipif(sys.platform != "linux", reason="the filter is Linux's")
def test_process_that_cannot_be_locked_runs_nothing() -> None:
    """The error says what a block could do, and no REPL starts."""
    assert {"read a file", "open a socket", "start a process"} <= set(lock.probe())
    done = subprocess.run(
        [sys.executable, "-c", PRETENDING], capture_output=True, text=True, check=True, timeout=patience()
    )
    assert done.stdout.startswith(
        "ReplUnavailable the REPL cannot be locked on this machine: a block could read a file, "
    )


def read_proc(pid: int, file: str) -> str:
    """Return a file of a process in /proc, or "" if the process has ended."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/{file}").read_text()
    return ""


def processes(host: int) -> list[int]:
    """Return the processes in which this host's blocks run."""
    pids = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    return [
        pid
        for pid in pids
        if f"\nPPid:\t{host}\n" in read_proc(pid, "status") and "deeprepo.rlm.repl" in read_proc(pid, "cmdline")
    ]


# A host whose block never ends.
HOST = """
import asyncio
from deeprepo.rlm.repl.process import Repl
from deeprepo.rlm.values import Limits
async def begun():
    print("begun", flush=True)
async def main():
    async with Repl({}, {"begun": begun}, Limits(turn_seconds=1.0)) as repl:
        await repl.run("begun()\\nwhile True:\\n    pass")
asyncio.run(main())
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the process in /proc")
def test_killed_host_leaves_no_block_running() -> None:
    """The block's process isn't notified that its host was killed, so its CPU limit ends it."""
    with ended(subprocess.Popen([sys.executable, "-c", HOST], stdout=subprocess.PIPE, text=True)) as host:
        assert host.stdout is not None
        assert host.stdout.readline() == "begun\n"
        (block,) = processes(host.pid)
    gone(block)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the process in /proc")
def test_next_block_runs_after_a_process_crash() -> None:
    """If its process dies during a block, the model is told, and the next block runs in a new one."""

    def die() -> None:
        for pid in processes(os.getpid()):
            os.kill(pid, signal.SIGKILL)

    with opened({"given": 1}, {"die": die}, LIMITS) as repl:
        seen = repl.run("mine = 1\ndie()\nprint('not reached')")
        assert seen.outcome == "crash"
        assert "The REPL was restarted" in seen.error
        assert repl.run("print(given)").output == "1\n"
