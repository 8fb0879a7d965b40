"""Models without an API: a command of this machine (`exec:claude -p`), and a function of the caller's own program.

They are asked in the plainest form: one list of messages, no tools, a structured answer as JSON in the text. Their cost is
unknown: a command uses the subscription of the person who is signed in to it.
"""

import asyncio
import inspect
import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from rlm.errors import ProviderDown, ProviderRefused, TimedOut, UsageError
from rlm.models.answers import JSON_ONLY, Stop, estimate, json_object, parse, sendable, without_thinking
from rlm.models.written_calls import calls_in
from rlm.values import COMMAND, FUNCTION, Completion, Prompt, Usage

Messages = list[dict[str, str]]  # {"role": "system" | "user" | "assistant", "content": ...}
Function = Callable[[Messages], Any]  # returns a text, or an awaitable of one
LIFT = """import os, resource, sys
for kind in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_DATA):
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (hard, hard))
os.execv(sys.argv[1], sys.argv[1:])"""
AT_ONCE = 64  # calls of a command; the gate lets fewer through
NO_TOOL = "No tool can be called here: write the code in your reply, as one ```python block."
NEXT = "The conversation follows, oldest message first. Write the next message of the assistant, and nothing else.\n\n"
TEXTS = (
    "result",
    "response",
)  # fields of a report that hold the reply: of `claude --output-format json`, of `gemini -o json`
INPUTS = ("input_tokens", "prompt_tokens", "prompt", "cache_read_input_tokens", "cache_creation_input_tokens")
OUTPUTS = ("output_tokens", "completion_tokens", "candidates", "thoughts")


class LocalModel(ABC):
    """What a command and a function have in common. Satisfies `values.Model`."""

    def __init__(self, name: str, threads: int) -> None:
        self.name = name
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @abstractmethod
    async def say(self, messages: Messages) -> tuple[str, Usage | None]:
        """Return the reply, and its tokens if they are known."""

    async def complete(self, prompt: Prompt) -> Completion:
        """One call."""
        said, usage = await self.say(_messages(prompt))
        text, is_unfinished = without_thinking(sendable(said))
        calls = calls_in(text, prompt.tool) if prompt.tool else ()
        data = json_object(text, prompt.answer.parameters) if prompt.answer and not is_unfinished else None
        stop: Stop = "length" if is_unfinished else "tool" if calls else "end"
        return Completion(text, usage or estimate(prompt, said), stop, data, calls)

    def price(self, usage: Usage) -> float | None:  # noqa: ARG002 - the protocol's
        """Return None: the cost is unknown."""
        return None

    async def close(self) -> None:
        """Let the threads go: a call that nobody waits for ends by itself."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class FunctionModel(LocalModel):
    """A function of the caller's program. One that is not asynchronous is called in one thread, one call after the other."""

    def __init__(self, name: str, function: Function) -> None:
        super().__init__(name, threads=1)
        self._function = function

    async def say(self, messages: Messages) -> tuple[str, Usage | None]:
        """What it returns. Raises ProviderRefused with what it raised: asked again, it would raise it again."""
        who = self.name.removeprefix(FUNCTION)
        try:
            if inspect.iscoroutinefunction(self._function):
                said = await self._function(messages)
            else:
                said = await asyncio.get_running_loop().run_in_executor(self._threads, self._function, messages)
                said = await said if inspect.isawaitable(said) else said
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(place.filename).name}, line {place.lineno}"
            raise ProviderRefused(f"the model {who}() raised {type(error).__name__}: {error} ({where})") from error
        if not isinstance(said, str):
            raise ProviderRefused(f"the model {who}() returned {type(said).__name__}: let it return the reply, a text")
        return said, None


class CommandModel(LocalModel):
    """A command: the prompt is its standard input, the reply its standard output. It is started without a shell, for each call anew.

    It runs in an empty folder of its own, so that an agent finds no settings and no instructions of the repository under review.
    """

    def __init__(self, name: str, timeout: float) -> None:
        super().__init__(name, threads=AT_ONCE)
        self._timeout = timeout
        try:
            program, *options = shlex.split(name.removeprefix(COMMAND))
        except ValueError as error:
            raise UsageError(
                f"{name!r} is no command ({error}): write it as in a terminal, such as {COMMAND}claude -p"
            ) from None
        self._command = [_found(name, program), *options]

    async def say(self, messages: Messages) -> tuple[str, Usage | None]:
        """Run the command and return what it prints. Its process group has ended in any case."""
        with tempfile.TemporaryDirectory(prefix="deeprepo-exec-") as folder:
            try:
                process = _started([*_unlimited(), *self._command], folder)
            except OSError as error:
                raise ProviderRefused(f"{self.name} cannot be started: {error.strerror}") from None
            converse = partial(_converse, process, _as_one_text(messages).encode(), self._timeout)
            try:
                out = await asyncio.get_running_loop().run_in_executor(self._threads, converse)
            except subprocess.TimeoutExpired:
                raise TimedOut(
                    f"{self.name} was ended after {self._timeout:g} s without a reply: allow more (models.timeout)"
                ) from None
            except asyncio.CancelledError:
                _end(process)
                raise
        text, usage, is_error = _reported(out.decode("utf-8", "replace"))
        if process.returncode or is_error:
            how = f"ended with exit code {process.returncode}" if process.returncode else "reported an error"
            raise ProviderDown(f"{self.name} {how}: run the command by hand to see what it says")
        return text, usage


def _started(command: Sequence[str], folder: str) -> subprocess.Popen[bytes]:
    """The command in a process group of its own, with pipes."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, cwd=folder, start_new_session=True
    )


def _converse(process: subprocess.Popen[bytes], text: bytes, seconds: float) -> bytes:
    """Return what the command prints until it ends. Raises TimeoutExpired. Its process group has ended in any case."""
    with process:
        try:
            return process.communicate(text, seconds)[0]
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a command and all that it has started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _unlimited() -> list[str]:
    """Return the command that lifts this process's limits on memory and computing: they are not meant for an agent."""
    kinds = (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_DATA)
    has_limits = any(soft != hard for soft, hard in map(resource.getrlimit, kinds))
    return [sys.executable, "-I", "-S", "-c", LIFT] if has_limits else []


def _found(name: str, program: str) -> str:
    """The program's own path. Folders of PATH that are not absolute are left out: they would be those of a checkout."""
    folders = os.pathsep.join(folder for folder in os.get_exec_path() if os.path.isabs(folder))  # noqa: PTH117 - texts
    found = shutil.which(program, path=folders)
    if found is None:
        raise UsageError(f"{name}: there is no program {program} here: install it, or write its whole path")
    return os.path.abspath(found)  # noqa: PTH100 - a link stays a link: its name may say what it is to do


def _messages(prompt: Prompt) -> Messages:
    """The dialogue in the plainest form: what the system says first, then user and assistant by turns."""
    rows = [
        (("user" if message.role == "tool" else message.role), sendable(message.text)) for message in prompt.messages
    ]
    if prompt.answer:
        rows.append(("user", JSON_ONLY + json.dumps(prompt.answer.parameters)))
    if prompt.tool:
        rows.append(("user", NO_TOOL))
    messages: Messages = []
    for role, text in rows:
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += f"\n\n{text}"
        else:
            messages.append({"role": role, "content": text})
    return messages


def _as_one_text(messages: Sequence[Mapping[str, str]]) -> str:
    """Write the messages as one text, which a command reads."""
    first = [message["content"] for message in messages if message["role"] == "system"]
    rest = [message for message in messages if message["role"] != "system"]
    if len(rest) == 1:
        return "\n\n".join([*first, rest[0]["content"]])
    said = "\n\n".join(f"<{row['role']}>\n{row['content']}\n</{row['role']}>" for row in rest)
    return "\n\n".join([*first, NEXT + said])


def _reported(out: str) -> tuple[str, Usage | None, bool]:
    """The reply in what a command has printed, its tokens if it is a report that tells them, and whether it reports an error.

    A report is one JSON object, or one on each line (`codex exec --json`); any other text is the reply itself.
    """
    report = parse(out)
    rows = (
        [report] if report is not None else [row for line in out.splitlines() if line.strip() and (row := parse(line))]
    )
    if report is None and (not rows or len(rows) < sum(map(bool, map(str.strip, out.splitlines())))):
        return out, None, False
    texts = [text for row in rows for text in _texts(row)]
    if not texts:
        return out, None, False
    counts = [count for row in rows for count in _counts(row)]
    usage = Usage(sum(sent for sent, _ in counts), sum(written for _, written in counts)) if counts else None
    return texts[-1], usage, any(row.get("is_error") is True for row in rows)


def _texts(row: Mapping[str, Any]) -> Iterator[str]:
    """The reply in a report: of the whole, or of one step of it."""
    item = row.get("item")
    if isinstance(item, Mapping) and item.get("type") == "agent_message":
        yield str(item.get("text", ""))
    if "usage" in row or "stats" in row:
        yield from (row[name] for name in TEXTS if isinstance(row.get(name), str))


def _counts(value: object) -> Iterator[tuple[int, int]]:
    """Tokens in and out, wherever a report has both. What is inside such a count is part of it."""
    if not isinstance(value, Mapping):
        return
    sent, written = (sum(_number(value.get(name)) for name in names) for names in (INPUTS, OUTPUTS))
    if sent and written:
        yield sent, written
        return
    for part in value.values():
        yield from _counts(part)


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
