"""Models without an API: a command on this machine (`exec:claude -p`), or a function in the caller's program.

They get the simplest form of a request: a list of messages without tools, and a structured answer as JSON in the text.
Their cost is unknown, because a command uses the subscription of the person who is signed in.
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
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from deeprepo.rlm.errors import ProviderDown, ProviderRefused, TimedOut, UsageError
from deeprepo.rlm.models.answers import JSON_ONLY, alternating, completion, estimate, sendable
from deeprepo.rlm.models.forms import RequestForm
from deeprepo.rlm.values import COMMAND, FUNCTION, Completion, Prompt, Usage

Messages = list[dict[str, str]]  # {"role": "system" | "user" | "assistant", "content": ...}
Function = Callable[[Messages], Any]  # returns a text, or an awaitable of one
LIFT = """import os, resource, sys
for kind in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_DATA):
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (hard, hard))
os.execv(sys.argv[1], sys.argv[1:])"""
NO_TOOL = "No tool can be called here: write the code in your reply, as one ```python block."
NEXT = "The conversation follows, oldest message first. Write the next message of the assistant, and nothing else.\n\n"


class LocalModel(ABC):
    """Base class for commands and functions. Satisfies `values.Model`."""

    is_own = True  # nobody bills its calls by the token

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    async def say(self, messages: Messages) -> str:
        """Return the reply."""

    async def complete(self, prompt: Prompt) -> Completion:
        """Make one call."""
        said = sendable(await self.say(_messages(prompt)))
        return completion(prompt, RequestForm(), said, (), "end", estimate(prompt, said), None)

    def price(self, usage: Usage) -> float | None:  # noqa: ARG002 - the protocol's
        """Return None: the cost is unknown."""
        return None

    async def close(self) -> None:  # noqa: B027 - a hook
        """Release resources."""


class FunctionModel(LocalModel):
    """A function in the caller's program. A synchronous function is called in one thread, one call at a time."""

    def __init__(self, name: str, function: Function) -> None:
        super().__init__(name)
        self._function = function
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)

    async def close(self) -> None:
        """Release the thread. A running call ends on its own."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def say(self, messages: Messages) -> str:
        """Call the function and return its reply. Raises ProviderRefused if it raises, since a retry would fail too."""
        who = self.name.removeprefix(FUNCTION)
        try:
            if inspect.iscoroutinefunction(self._function):
                said = await self._function(messages)
            else:
                said = await asyncio.get_running_loop().run_in_executor(self._thread, self._function, messages)
                said = await said if inspect.isawaitable(said) else said
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(place.filename).name}, line {place.lineno}"
            raise ProviderRefused(f"the model {who}() raised {type(error).__name__}: {error} ({where})") from error
        if not isinstance(said, str):
            raise ProviderRefused(
                f"the model {who}() returned {type(said).__name__}: it must return the reply as a string"
            )
        return said


class CommandModel(LocalModel):
    """A command that reads the prompt from standard input and writes the reply to standard output.

    Each call starts the command again, without a shell, in an empty folder, so that an agent finds no
    settings or instructions of a checkout.
    """

    def __init__(self, name: str, timeout: float) -> None:
        super().__init__(name)
        self._timeout = timeout
        try:
            program, *options = shlex.split(name.removeprefix(COMMAND))
        except ValueError as error:
            raise UsageError(
                f"{name!r} is not a command ({error}). Write it as in a terminal, for example {COMMAND}claude -p"
            ) from None
        self._command = [_found(name, program), *options]

    async def say(self, messages: Messages) -> str:
        """Run the command and return its output. Afterwards, its process group has ended."""
        text, pipe = _as_one_text(messages).encode(), subprocess.PIPE
        with tempfile.TemporaryDirectory(prefix="deeprepo-exec-") as folder:
            how: dict[str, Any] = {"stdin": pipe, "stdout": pipe, "stderr": subprocess.DEVNULL, "cwd": folder}
            try:
                process = await asyncio.create_subprocess_exec(
                    *_unlimited(), *self._command, start_new_session=True, **how
                )
            except OSError as error:
                raise ProviderRefused(f"{self.name} cannot be started: {error.strerror}") from None
            try:
                async with asyncio.timeout(self._timeout):
                    out, _ = await process.communicate(text)
            except TimeoutError:
                raise TimedOut(
                    f"{self.name} was stopped after {self._timeout:g} s without a reply. Allow more time (models.timeout)"
                ) from None
            finally:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
        if process.returncode:
            raise ProviderDown(
                f"{self.name} failed with exit code {process.returncode}. Run the command yourself to see its output"
            )
        return out.decode("utf-8", "replace")


def _unlimited() -> list[str]:
    """Return the command that removes this process's memory and CPU limits, which don't apply to an agent."""
    kinds = (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_DATA)
    has_limits = any(soft != hard for soft, hard in map(resource.getrlimit, kinds))
    return [sys.executable, "-I", "-S", "-c", LIFT] if has_limits else []


def _found(name: str, program: str) -> str:
    """Return the program's absolute path.

    Relative folders in PATH are ignored, because they could be in a checkout. Raises UsageError if it isn't
    installed.
    """
    folders = os.pathsep.join(folder for folder in os.get_exec_path() if os.path.isabs(folder))  # noqa: PTH117 - texts
    found = shutil.which(program, path=folders)
    if found is None:
        raise UsageError(f"{name}: the program {program} was not found. Install it, or use its full path")
    return os.path.abspath(found)  # noqa: PTH100 - links are kept, because a program may depend on its name


def _messages(prompt: Prompt) -> Messages:
    """Return the dialogue in the simplest form: the system message, then user and assistant in turn."""
    rows = [{"role": "user" if m.role == "tool" else m.role, "content": sendable(m.text)} for m in prompt.messages]
    if prompt.answer:
        rows.append({"role": "user", "content": JSON_ONLY + json.dumps(prompt.answer.parameters)})
    if prompt.tool:
        rows.append({"role": "user", "content": NO_TOOL})
    return alternating(rows)


def _as_one_text(messages: Sequence[Mapping[str, str]]) -> str:
    """Return the messages as one text for a command."""
    first = [message["content"] for message in messages if message["role"] == "system"]
    rest = [message for message in messages if message["role"] != "system"]
    if len(rest) == 1:
        return "\n\n".join([*first, rest[0]["content"]])
    said = "\n\n".join(f"<{row['role']}>\n{row['content']}\n</{row['role']}>" for row in rest)
    return "\n\n".join([*first, NEXT + said])
