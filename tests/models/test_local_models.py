"""Models that are local commands."""

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest
from talking import asked
from waits import gone, patience

from deeprepo.rlm import errors, models
from deeprepo.rlm.values import Completion, Prompt

READS = "import sys, os; sys.stdout.write(repr((sys.stdin.read(), sys.argv[1:], os.listdir('.'))))"


def program(folder: Path, code: str) -> str:
    """Return the name of a model that runs this Python program."""
    path = folder / "a program.py"
    path.write_text(code)
    return f"exec:{sys.executable} '{path}' -p"


def reply_of(name: str, prompt: Prompt, timeout: float = 20.0) -> Completion:
    async def ask() -> Completion:
        model = models.connect(name, timeout=timeout)
        try:
            return await model.complete(prompt)
        finally:
            await model.close()

    return asyncio.run(ask())


def test_command_reads_the_prompt_and_prints_the_reply(tmp_path: Path) -> None:
    """The prompt is sent to standard input, in an empty folder and without a shell."""
    reply = reply_of(program(tmp_path, READS) + " '$(id)'", asked("Is it $HOME?"))
    assert reply.text == repr(("You review code.\n\nIs it $HOME?", ["-p", "$(id)"], []))
    assert reply.usage.input > 0 < reply.usage.output


def test_child_processes_of_a_command_are_stopped(tmp_path: Path) -> None:
    """Child processes are stopped, both after a reply and after a timeout."""
    leaves = "import os, subprocess, sys, time\nchild = subprocess.Popen(['sleep', '60'], stdout=subprocess.DEVNULL)\n"
    leaves += f"open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))\n"

    assert reply_of(program(tmp_path, f"{leaves}print('done')"), asked()).text == "done\n"
    gone(int((tmp_path / "pid").read_text()))
    started = time.monotonic()
    with pytest.raises(errors.TimedOut, match=r"was stopped after 2 s without a reply. Allow more"):
        reply_of(program(tmp_path, f"{leaves}time.sleep(60)"), asked(), timeout=2)
    assert time.monotonic() - started < patience(20)
    gone(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize(
    ("name", "kind", "sentence"),
    [
        ("exec:", errors.UsageError, "is not a full model name"),
        ("exec:no-such-program -p", errors.UsageError, "the program no-such-program was not found. Install it"),
        ("exec:claude 'p", errors.UsageError, "is not a command"),
        ("exec:sh -c 'exit 3'", errors.ProviderDown, r"failed with exit code 3. Run the command yourself"),
        ("function:f", errors.UsageError, "is a function. Pass it from your program"),
    ],
)
def test_failed_command_error_names_the_cause(name: str, kind: type[Exception], sentence: str) -> None:
    """The error names the cause, and output of a failed command is not used."""
    with pytest.raises(kind, match=sentence):
        reply_of(name, asked())


def test_program_in_the_checkout_is_never_used_as_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative folders in PATH are ignored, because they may be in the checkout under review."""
    (tmp_path / "claude").write_text("#!/bin/sh\necho from the checkout\n")
    (tmp_path / "claude").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".{os.pathsep}bin")
    with pytest.raises(errors.UsageError, match="the program claude was not found"):
        reply_of("exec:claude -p", asked())
