"""Sandboxes on this machine for running tests, and secrets outside that no run may reach."""

import asyncio
import io
import os
import secrets
import shutil
import socket
import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bot.reproduction.container import PROGRAMS, SandboxRefused
from bot.reproduction.execute import execute
from bot.values.reproduction import RunLimits, Sandbox, SandboxOutcome, SandboxRun

OPEN_FOLDERS = ("/tmp", "/dev/shm", "/var/tmp")  # noqa: S108 - of this machine
LIMITS = RunLimits(seconds=10, memory=400 << 20, processes=60, output=1 << 20, disk=64 << 20)


IMAGE = os.environ.get("RUN_TEST_IMAGE", "python:3.13-slim")  # must exist locally; nothing is downloaded


@cache
def missing() -> str:
    """Return why no container can run here, or an empty string."""
    sandbox = box()
    if not sandbox.program:
        return "neither docker nor podman is installed"
    try:
        asyncio.run(execute(sandbox, SandboxRun(b"", "true")))
    except SandboxRefused as error:
        return str(error)
    return ""


def box() -> Sandbox:
    """Return the sandbox on this machine."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), "")
    return Sandbox(program, IMAGE, client={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")})


def run(
    command: str, files: Mapping[str, str] | None = None, limits: RunLimits = LIMITS, tree: bytes = b""
) -> SandboxOutcome:
    """Run a command in a sandbox with these files."""
    return asyncio.run(execute(box(), SandboxRun(unended(tree) if tree else tree, command, files or {}, limits)))


def unended(tree: bytes) -> bytes:
    """Return a tar archive without its end marker."""
    with tarfile.TarFile(fileobj=io.BytesIO(tree)) as known:
        known.getmembers()
        return tree[: known.offset]


def tar(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    """Build a tar archive from raw members, which may be links, devices or unsafe names."""
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w", format=tarfile.GNU_FORMAT) as made:
        for about, data in members:
            about.size = len(data)
            made.addfile(about, io.BytesIO(data))
    return whole.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "", mode: int = 0o644) -> tarfile.TarInfo:
    """Build the header of one tar member."""
    about = tarfile.TarInfo(f"work/{name}")
    about.type, about.linkname, about.mode = kind, link, mode
    return about


@dataclass(frozen=True)
class World:
    """The machine outside the sandbox, with a secret word in files, in a process and behind sockets."""

    word: str
    home: Path
    port: int
    listeners: "list[socket.socket]"
    process: int

    def connections(self) -> int:
        """Count the connections that were made to the sockets."""
        found = 0
        for listener in self.listeners:
            listener.settimeout(0)
            try:
                listener.accept()[0].close()
                found += 1
            except BlockingIOError:
                pass
        return found

    def files(self) -> frozenset[str]:
        """Return files that a run left in folders that anybody may write to."""
        return frozenset(str(path) for folder in (*OPEN_FOLDERS, self.home) for path in Path(folder).glob("*escaped*"))


@contextmanager
def world(folder: Path) -> Iterator[World]:
    """Create secrets in the environment, in files and in a process, and open listening sockets."""
    word = f"canary{secrets.token_hex(12)}"
    home = folder / "home"
    home.mkdir()
    (home / ".netrc").write_text(f"machine example.org password {word}")
    (home / "journal.jsonl").write_text(word)
    (home / "deeprepo.sqlite").write_text(word)
    with ExitStack() as opened:
        tcp = opened.enter_context(socket.create_server(("127.0.0.1", 0)))
        plain = opened.enter_context(socket.socket(socket.AF_UNIX))
        plain.bind(str(home / "server.sock"))
        plain.listen()
        abstract = opened.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind(f"\0{word}")
        abstract.listen()
        beside = opened.enter_context(
            subprocess.Popen(["sleep", "300"], env={"PATH": os.environ["PATH"], "API_KEY": word})
        )
        opened.callback(beside.kill)
        before = {
            "GITHUB_TOKEN": os.environ.get("GITHUB_TOKEN"),
            "ANTHROPIC_API_KEY": os.environ.get("ANTHROPIC_API_KEY"),
        }
        os.environ.update(dict.fromkeys(before, word))
        opened.callback(
            lambda: [os.environ.pop(k) if v is None else os.environ.__setitem__(k, v) for k, v in before.items()]
        )
        yield World(word, home, tcp.getsockname()[1], [tcp, plain, abstract], beside.pid)
