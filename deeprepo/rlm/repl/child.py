"""The process that runs a root's code: CPython, locked by the kernel before it runs any of that code.

`main` imports what a block may need from the standard library, and then locks the process (`lock`). The parent trusts
nothing that it receives.
"""

import ast
import asyncio
import builtins
import codecs
import concurrent.futures.thread
import contextlib
import contextvars
import datetime as dt
import functools
import gc
import importlib
import inspect
import io
import json
import linecache
import os
import platform
import random
import re
import sys
import time
import traceback
import types
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Never

from deeprepo.rlm.repl import lock
from deeprepo.rlm.repl.frames import COPIES, FRAME, HEAD, MEMBERS, both_ends, decode, encode, has_too_many, packed

LINE = 4_000  # maximum characters of a line in an error
CHUNK = 65_536  # maximum characters of output in a frame
KINDS = {"TypeError": TypeError, "ValueError": ValueError}  # exceptions from host functions; others are RuntimeErrors
NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)  # the clock is fixed, so that a resumed run prints the same
# The folders of the standard library and of this package, which are removed from output.
FOLDERS = (f"{Path(os.__file__).parent}/", f"{Path(__file__).parents[3]}/")
FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
AWAITED, LATER = "__awaited__", "__later__"  # the names of `awaited` and `later` in a block
# Functions whose calls are sent before their results are waited for, and those of asyncio that take such calls.
PARALLEL = frozenset({"llm_query", "llm_batch", "llm_query_batched", "rlm_query", "rlm_query_batched"})
GATHERING = frozenset({"gather", "create_task", "ensure_future", "wait", "wait_for", "as_completed", "shield"})
SENT_IN_TURN = (
    "[note: models were asked one after the other, because the calls are inside a function. To ask them at once, await the call, pass "
    "llm_query itself to asyncio.to_thread or executor.map, or use llm_batch([...]).]"
)
RESTORED = "[note: {} belongs to the REPL, and its original value was restored. Use another name for your value.]"
# Modules that are available without an import, and others that can be imported. After the lock, no others can be loaded.
GIVEN = (
    "json re math collections itertools functools dataclasses datetime typing hashlib csv bisect decimal random time asyncio copy base64 "
    "unicodedata os textwrap difflib statistics string fnmatch shlex html heapq io operator enum pprint fractions"
)
READY = (
    "_strptime argparse array ast binascii calendar cmath codecs collections.abc concurrent.futures.thread configparser "
    "contextlib contextvars ctypes email email.header email.message email.parser email.policy email.utils gc getopt graphlib "
    "gzip hmac html.parser inspect ipaddress keyword linecache locale logging numbers optparse os.path pathlib pickle platform "
    "plistlib queue quopri reprlib secrets signal sqlite3 struct sys threading timeit tokenize tomllib traceback types "
    "urllib.parse uuid warnings weakref xml.etree.ElementTree zlib zoneinfo"
)
NAMES = "Counter OrderedDict defaultdict deque namedtuple"  # from collections, which models use without importing them


class InTurn:
    """Counts the calls of a block that could have been sent at once, and were sent in turn."""

    depth = calls = 0  # `depth`: how many executors are running a function of the block

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *_: object) -> None:
        self.depth -= 1

    def count(self) -> None:
        """Count a call that could have been sent together with others."""
        loop = asyncio._get_running_loop()  # noqa: SLF001 - unlike its public form, it raises nothing
        self.calls += bool(self.depth or (loop is not None and len(asyncio.all_tasks(loop)) > 1))


IN_TURN = InTurn()


class StillLoop(asyncio.BaseEventLoop):
    """An event loop that never waits. Sleeping only advances its own clock."""

    def __init__(self) -> None:
        super().__init__()
        self._clock, self._selector = 0.0, self

    def time(self) -> float:
        """Return the seconds that its tasks have slept."""
        return self._clock

    def select(self, timeout: float | None) -> list[Never]:
        """Advance the clock without waiting. Raises RuntimeError if every task waits for something else."""
        if timeout is None:
            raise RuntimeError("every task is waiting, and nothing can wake one")
        self._clock += timeout
        return []

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:  # type: ignore[override]  # noqa: ANN401
        """Send a call to a model, or run any other function now."""
        wait = begin(func, args, {})
        if wait is not None:
            return self.create_task(_result_of(wait))
        return super().run_in_executor(executor, func, *args)

    async def shutdown_default_executor(self, *_: object, **__: object) -> None:
        """Do nothing, because there are no threads."""

    def _process_events(self, event_list: object) -> None: ...

    def _write_to_self(self) -> None: ...


class Sent(concurrent.futures.Future[Any]):
    """A call to a model that was sent. It is waited for when anything is asked about its result."""

    def __init__(self, wait: Callable[[], Any]) -> None:
        super().__init__()
        self._wait: Callable[[], Any] | None = wait

    def done(self) -> bool:
        """Wait for the result."""
        wait, self._wait = self._wait, None
        if wait is not None:
            _finish(self, wait)
        return True

    def result(self, timeout: float | None = None) -> Any:  # noqa: ANN401 - any value
        """Return the result."""
        return super().result(timeout) if self.done() else None

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Return the error."""
        return super().exception(timeout) if self.done() else None

    def add_done_callback(self, fn: Callable[..., Any]) -> None:
        """Wait for the result and call the function."""
        self.done()
        super().add_done_callback(fn)

    def cancel(self) -> bool:
        """Do nothing, because the call was sent."""
        return False


class SameThread(concurrent.futures.Executor):
    """An executor without threads. It sends calls to models, and runs any other function immediately."""

    def __init__(self, *_: object, **__: object) -> None: ...

    def submit(self, fn: Callable[..., Any], /, *args: object, **kwargs: object) -> "concurrent.futures.Future[Any]":
        """Send a call or call the function now, and return its future."""
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        try:
            wait = begin(fn, args, kwargs)
        except (TypeError, ValueError) as error:  # the call can't be sent
            future.set_exception(error)
            return future
        if wait is not None:
            return Sent(wait)
        with IN_TURN:
            _finish(future, functools.partial(fn, *args, **kwargs))
        return future


def _finish(future: "concurrent.futures.Future[Any]", call: Callable[[], Any]) -> None:
    try:
        future.set_result(call())
    except Exception as error:  # noqa: BLE001 - any exception is the result
        future.set_exception(error)


def begin(fn: Any, args: Any, kwargs: Mapping[str, Any]) -> Callable[[], Any] | None:  # noqa: ANN401 - any function
    """Send a call to a model, and return a function that waits for its result. Return None for any other function."""
    while True:
        if isinstance(fn, functools.partial):
            fn, args, kwargs = fn.func, (*fn.args, *args), {**fn.keywords, **kwargs}
        elif isinstance(getattr(fn, "__self__", None), contextvars.Context):  # as asyncio.to_thread passes it
            fn, *args = args
        else:
            start: Callable[..., Callable[[], Any]] | None = getattr(fn, "begin", None)
            return start(*args, **kwargs) if fn.__class__ is types.FunctionType and start is not None else None


async def _result_of(wait: Callable[[], Any]) -> Any:  # noqa: ANN401 - any value
    return wait()


async def later(fn: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - any function
    """Send a call, let other tasks send theirs, and return its result."""
    wait = begin(fn, args, kwargs)
    if wait is None:
        return await awaited(fn(*args, **kwargs))
    await asyncio.sleep(0)
    return wait()


class LenientTransformer(ast.NodeTransformer):
    """Accepts synchronous calls where Python needs something awaitable. Those to models are sent before they are awaited."""

    def visit_Await(self, node: ast.Await) -> ast.AST:
        """Await a value only if it is awaitable."""
        self.generic_visit(node)
        call = _later(node.value)
        if call is node.value:
            call = ast.Call(ast.Name(AWAITED, ast.Load()), [node.value], [])
        return ast.copy_location(ast.Await(call), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Make calls in the arguments of `gather` and similar functions awaitable."""
        self.generic_visit(node)
        if getattr(node.func, "attr", getattr(node.func, "id", "")) in GATHERING:
            node.args = [_later(part) for part in node.args]
        return node


def _later(node: ast.expr) -> ast.expr:
    """Return an expression with its calls to models made awaitable, also those in lists and comprehensions."""
    match node:
        case ast.Call(func=ast.Name(id=name)) if name in PARALLEL:
            return ast.copy_location(
                ast.Call(ast.Name(LATER, ast.Load()), [node.func, *node.args], node.keywords), node
            )
        case ast.Starred(value=value):
            node.value = _later(value)
        case ast.GeneratorExp(elt=part) | ast.ListComp(elt=part):
            node.elt = _later(part)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            node.elts = [_later(part) for part in parts]
    return node


async def awaited(value: Any) -> Any:  # noqa: ANN401 - any value
    """Return a value, after awaiting it if it is awaitable."""
    return await value if inspect.isawaitable(value) else value


def freeze_clock() -> None:
    """Make the time, random numbers and facts about the process the same in every run."""
    seconds = NOW.timestamp()

    def now(kind: type[dt.datetime], tz: dt.tzinfo | None = None) -> dt.datetime:
        return kind.fromtimestamp(seconds, tz or dt.UTC).replace(tzinfo=tz)

    def today(kind: type[dt.date]) -> dt.date:
        return kind(NOW.year, NOW.month, NOW.day)

    # Each class keeps the name of the class that it replaces, because `repr` shows it.
    moments = {name: classmethod(now) for name in ("now", "utcnow", "today")}
    _put(dt, "datetime", type("datetime.datetime", (dt.datetime,), moments))
    _put(dt, "date", type("datetime.date", (dt.date,), {"today": classmethod(today)}))
    for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time", "clock_gettime"):
        _put(time, name, lambda *_: seconds)
        _put(time, f"{name}_ns", lambda *_: int(seconds * 1e9))
    _put(time, "sleep", lambda _: None)
    gmtime, strftime = time.gmtime, time.strftime
    for name in ("localtime", "gmtime"):
        _put(time, name, lambda moment=None: gmtime(seconds if moment is None else moment))
    _put(time, "strftime", lambda form, moment=None: strftime(form, moment or time.gmtime()))
    for module in (asyncio, asyncio.events):
        _put(module, "new_event_loop", StillLoop)
    _put(type(asyncio.get_event_loop_policy()), "_loop_factory", StillLoop)
    for module in (concurrent.futures, concurrent.futures.thread):
        _put(module, "ThreadPoolExecutor", SameThread)
    make_parallel()
    seed_randomness()
    freeze_process_facts()


def make_parallel() -> None:
    """Let the functions that wait for calls accept those to models, in the program's order."""
    gather, wait = asyncio.gather, concurrent.futures.wait

    def gathered(*values: Any, **options: Any) -> Any:  # noqa: ANN401 - as in the library
        plain = [not inspect.isawaitable(value) for value in values]
        IN_TURN.calls += sum(plain)
        return gather(
            *(awaited(value) if is_plain else value for value, is_plain in zip(values, plain, strict=True)), **options
        )

    def waited(fs: Any, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - as in the library
        return wait([one for one in fs if one.done()], *arguments, **options)

    def completed(fs: Any, timeout: float | None = None) -> Any:  # noqa: ANN401, ARG001 - as in the library
        return iter([one for one in dict.fromkeys(fs) if one.done()])

    for module in (asyncio, asyncio.tasks):
        _put(module, "gather", gathered)
    _put(concurrent.futures, "wait", waited)
    _put(concurrent.futures, "as_completed", completed)


def seed_randomness() -> None:
    """Seed every random generator. Generators without a seed get the next one from a fixed sequence."""
    chance, seeds = random.Random(11), random.Random(13)  # noqa: S311 - must be reproducible
    for module, name in ((os, "urandom"), (random, "_urandom")):
        _put(module, name, chance.randbytes)
    seed = random.Random.seed

    def seeded(self: random.Random, a: Any = None, version: int = 2) -> None:  # noqa: ANN401 - the library's signature
        seed(self, seeds.getrandbits(64) if a is None else a, version)

    _put(random.Random, "seed", seeded)
    random.seed(7)
    _put(uuid, "_generate_time_safe", None)  # it would use the machine's identity
    _put(uuid, "getnode", lambda: 0x020000000001)


def freeze_process_facts() -> None:
    """Return fixed facts about the process and the machine."""
    system = os.uname()
    for name, value in (
        ("getpid", 1),
        ("getppid", 0),
        ("cpu_count", 1),
        ("uname", os.uname_result((system.sysname, "repl", "", "", system.machine))),
    ):
        _put(os, name, lambda value=value: value)
    _put(platform, "_uname_cache", None)


def without_folder(path: str) -> str:
    """Return a path without the folder of the standard library or this package."""
    return next((path.removeprefix(folder) for folder in FOLDERS if path.startswith(folder)), path)


OWN_FILE = without_folder(__file__)


def hide_host() -> None:
    """Remove this machine's paths and names from everything that a block can print."""
    sys.argv, sys.orig_argv, sys.path = ["-c"], ["python"], []
    sys.path_importer_cache.clear()
    for name, value in list(vars(sys).items()):
        if isinstance(value, str) and value.startswith("/"):
            _put(sys, name, "")
    for module in list(sys.modules.values()):
        spec = getattr(module, "__spec__", None)
        for holder, name in ((module, "__file__"), (module, "__cached__"), (spec, "origin"), (spec, "cached")):
            path = getattr(holder, name, None)
            if isinstance(path, str):
                with contextlib.suppress(AttributeError, TypeError):
                    setattr(holder, name, without_folder(path))
        for holder, name in ((module, "__path__"), (spec, "submodule_search_locations")):
            if getattr(holder, name, None) is not None:
                setattr(holder, name, [])
    summary = traceback.FrameSummary.__init__

    def shown(self: traceback.FrameSummary, filename: str, *arguments: Any, **named: Any) -> None:  # noqa: ANN401
        summary(self, without_folder(filename), *arguments, **named)

    _put(traceback.FrameSummary, "__init__", shown)


def _put(module: types.ModuleType | type, name: str, value: object) -> None:
    setattr(module, name, value)


class Output(io.TextIOBase):
    """Sends a block's standard output to the parent in frames."""

    def __init__(self, send: Callable[[dict[str, Any]], None]) -> None:
        self._send, self._held, self._size = send, list[str](), 0

    def write(self, text: str) -> int:
        """Buffer a text, and send the buffer if it is large."""
        self._held.append(str(text))
        self._size += len(text)
        if self._size > CHUNK:
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Send the buffered text."""
        text, self._held, self._size = "".join(self._held), [], 0
        for at in range(0, len(text), CHUNK):
            self._send({"print": text[at : at + CHUNK]})


class Pipe:
    """Exchanges frames over standard input and output."""

    def __init__(self) -> None:
        self._incoming, self._outgoing = sys.stdin.buffer, sys.stdout.buffer

    def send(self, frame: dict[str, Any]) -> None:
        """Write one frame. Raises ValueError if the parent would reject it."""
        data = packed(frame)
        if len(data) > FRAME:
            raise ValueError(f"more than {FRAME:,} bytes in one call: pass less")
        if "call" in frame and has_too_many(data):
            raise ValueError(f"more than {MEMBERS:,} values in one call: pass less")
        self._outgoing.write(data)
        self._outgoing.flush()

    def receive(self) -> dict[str, Any]:
        """Read one frame. Ends the process if the parent has ended."""
        frame: dict[str, Any] = json.loads(self.read() or os._exit(0))
        return frame

    def read(self) -> bytes:
        """Read the next bytes, which their length precedes. Ends the process if the parent has ended."""
        size = int.from_bytes(self._incoming.read(HEAD), "big")
        data = self._incoming.read(size)
        return data if len(data) == size else os._exit(0)

    def load(self, form: str, items: list[tuple[str, bool]]) -> Any:  # noqa: ANN401 - plain data
        """Read a streamed value."""
        texts = ((self.read().decode(), is_text) for _, is_text in items)
        values = [text if is_text else json.loads(text) for text, is_text in texts]
        if form == "mapping":
            return dict(zip((name for name, _ in items), values, strict=True))
        return values if form == "list" else values[0]


class Blocks:
    """Runs a root's blocks, which share one set of names."""

    def __init__(self, pipe: Pipe) -> None:
        self.pipe, self.output = pipe, Output(pipe.send)
        self.names: dict[str, Any] = {"__name__": "__main__", "__builtins__": builtins}
        self.names |= {AWAITED: awaited, LATER: later, "exit": sys.exit, "quit": sys.exit}
        self._given, self._kept = dict[str, Any](), dict[str, Any]()
        self._begun, self._is_told = 0, False

    def give(self, variables: Mapping[str, Any], functions: list[str]) -> None:
        """Define the names for all blocks: modules, the given values, and a function for each host function."""
        self.names |= {name: sys.modules[name] for name in GIVEN.split()}
        self.names |= {name: getattr(sys.modules["collections"], name) for name in NAMES.split()}
        self.names |= variables
        self.names |= {name: self._function(name) for name in functions}
        if "set_answer" in functions:
            self.names["FINAL_VAR"] = self._final_var
        # A block may replace the answer. Every other given name is restored afterwards.
        self._kept |= {name: self.names[name] for name in (*variables, *functions) if name != "answer"}
        self.names["SHOW_VARS"] = lambda: f"assigned by your blocks: {', '.join(self._assigned()) or 'nothing yet'}"
        self.names["help"] = lambda *_: self.output.write(f"given names: {', '.join(self._kept)}\n")
        self._given, self._builtins = dict(self.names), dict(vars(builtins))
        sys.stdout = sys.stderr = self.output
        sys.stdin = io.StringIO()
        os.environ.clear()
        hide_host()

    def add(self, order: dict[str, Any]) -> dict[str, Any]:
        """Add a streamed value."""
        value = self.pipe.load(order["form"], order["items"])
        for names in (self.names, self._given, self._kept):
            names.update(dict.fromkeys(order["give"], value))
        return {"given": True}

    def run(self, code: str, number: int) -> dict[str, Any]:
        """Run one block and return its result."""
        name = f"<block {number}>"
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        error, IN_TURN.calls = None, 0
        try:
            waiting = eval(_program(code, name), self.names)  # noqa: S307 - the purpose of this process
            if inspect.iscoroutine(waiting):
                asyncio.run(waiting)
        except SystemExit as end:  # the block called exit()
            if end.code is not None:
                self.output.write(f"{end.code}\n")
        except BaseException as failure:  # noqa: BLE001 - any exception is reported
            error = self._with_hidden_names(_traceback_text(failure), failure)
        sys.stdout = sys.stderr = self.output
        overwritten = list[str]()
        for names, kept in ((self.names, self._kept), (vars(builtins), self._builtins)):
            overwritten += [name for name, value in kept.items() if names.get(name, self) is not value]
            names.update(kept)
        if IN_TURN.calls > 1 and not self._is_told:
            self._is_told = True
            self.output.write(f"{SENT_IN_TURN}\n")
        if overwritten:
            self.output.write(f"{RESTORED.format(', '.join(overwritten))}\n")
        self.output.flush()
        return {"done": True, "error": error}

    def value(self, expression: str) -> dict[str, Any]:
        """Return an expression's value, or the error."""
        try:
            return {"value": encode(eval(expression, self.names))}  # noqa: S307 - from the parent
        except BaseException as error:  # noqa: BLE001 - any exception is reported
            return {"value": None, "error": f"{type(error).__name__}: {error}"}

    def _final_var(self, name: str, **rest: Any) -> Any:  # noqa: ANN401 - the arguments and result of set_answer
        """Set the answer to the value of the variable with this name."""
        if str(name) not in self.names:
            raise ValueError(f"FINAL_VAR takes the name of a variable, but there is no variable {name!r}")
        return self.names["set_answer"](self.names[str(name)], **rest)

    def _assigned(self) -> list[str]:
        """Return the names that blocks have assigned."""
        return [name for name, value in self.names.items() if self._given.get(name, self) is not value]

    def _with_hidden_names(self, text: str, failure: BaseException) -> str:
        """Return the error, with the names of Python's own functions that variables hide."""
        hidden = [name for name in self._assigned() if hasattr(builtins, name)]
        if hidden and isinstance(failure, TypeError) and "not callable" in text:
            return f"{text}. Your variables hide Python's own {', '.join(hidden)}: to get it back, run del {', '.join(hidden)}"
        return text

    def _function(self, name: str) -> Callable[..., Any]:
        def send(arguments: tuple[Any, ...], keywords: dict[str, Any], **more: int) -> None:
            self.output.flush()
            try:
                frame = {"call": name, "arguments": encode(list(arguments)), "keywords": encode(keywords), **more}
                self.pipe.send(frame)
            except (TypeError, ValueError) as error:
                raise type(error)(f"{name}(): {error}") from None

        def call(*arguments: Any, **keywords: Any) -> Any:  # noqa: ANN401 - any arguments
            if name in PARALLEL:
                IN_TURN.count()
            send(arguments, keywords)
            return self._result()

        def start(*arguments: Any, **keywords: Any) -> Callable[[], Any]:  # noqa: ANN401 - any arguments
            self._begun += 1
            send(arguments, keywords, begin=self._begun)
            return functools.partial(self._result, self._begun)

        call.__name__ = call.__qualname__ = name
        if name in PARALLEL:
            call.begin = start  # type: ignore[attr-defined]
        return call

    def _result(self, begun: int = 0) -> Any:  # noqa: ANN401 - any value
        """Return the result of the last call, or of one that was begun."""
        if begun:
            self.output.flush()
            self.pipe.send({"collect": begun})
        reply = self.pipe.receive()
        if "raise" in reply:
            raise KINDS.get(reply["raise"], RuntimeError)(reply["message"])
        return decode(reply["return"])


def _program(code: str, name: str) -> Any:  # noqa: ANN401 - a code object
    tree = compile(code, name, "exec", ast.PyCF_ONLY_AST)
    return compile(ast.fix_missing_locations(LenientTransformer().visit(tree)), name, "exec", FLAGS)


def _traceback_text(failure: BaseException) -> str:
    """Return a block's traceback without frames from this file."""
    try:
        trace = failure.__traceback__
        while trace is not None and without_folder(trace.tb_frame.f_code.co_filename) == OWN_FILE:
            trace = trace.tb_next
        lines = traceback.format_exception(type(failure), failure, trace, limit=20)
        own = re.compile(rf'  File "{re.escape(OWN_FILE)}".*\n(?:    .*\n)*')
        text = own.sub("", "".join(both_ends(line, LINE) for line in lines))
        return re.sub(r'File "<(block \d+)>"', r"\1", text).rstrip("\n")
    except BaseException as error:  # noqa: BLE001 - the block may define an exception whose formatting fails
        return f"{type(failure).__name__}, which cannot be shown: {type(error).__name__}"


def main() -> None:
    """Lock the process, report what it can still do, and run the parent's blocks."""
    pipe = Pipe()
    blocks, before = Blocks(pipe), lock.address_space()
    while "give" in (order := pipe.receive()):
        pipe.send(blocks.add(order))
    given = lock.address_space() - before
    traceback.format_exception(ValueError("x"))  # load before the lock what is loaded on first use
    "é".encode("ascii", "backslashreplace").decode("utf-8-sig")
    for name in ("latin-1", "utf-16", "utf-32", "cp1252", "idna", "punycode", "rot13", "unicode_escape"):
        codecs.lookup(name)
    for name in f"{GIVEN} {READY}".split():
        importlib.import_module(name)
    freeze_clock()
    variables = decode(order["variables"])
    gc.collect()
    lock.limit(order["memory"] + COPIES * given, order["seconds"])
    try:
        if sys.platform == "linux":
            lock.lock_linux()
        pipe.send({"locked": True, "possible": lock.probe()})
    except (OSError, ValueError) as error:
        pipe.send({"locked": False, "why": f"{type(error).__name__}: {error}"})
        return
    blocks.give(variables, order["functions"])
    while True:
        frame = pipe.receive()
        try:
            if "give" in frame:
                pipe.send(blocks.add(frame))
            else:
                pipe.send(blocks.run(frame["run"], frame["number"]) if "run" in frame else blocks.value(frame["value"]))
        except (MemoryError, ValueError) as error:
            pipe.send({"done": True, "value": None, "error": f"{type(error).__name__}: {error}"})
