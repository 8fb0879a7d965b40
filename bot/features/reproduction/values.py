"""What is run and what came of it, and what a sandbox is."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from bot.errors import DeepRepoError
from deeprepo.rlm.values import Exact

SandboxKind = Literal["bubblewrap", "docker", "podman"]
# Looked for in this order
PROGRAMS: Mapping[SandboxKind, str] = {"bubblewrap": "bwrap", "docker": "docker", "podman": "podman"}
# How a run ended: by itself ("exit"), at one of its limits, or before its command began ("setup").
ExitReason = Literal["exit", "seconds", "memory", "output", "setup"]
BOX, WORK, HOME, TEMPORARY = "/box", "/box/work", "/box/home", "/box/tmp"
INSTALL = (
    "install bubblewrap (`apt install bubblewrap`, `dnf install bubblewrap`), or docker or podman and name an image in `run.image` "
    "of .deeprepo.yml"
)


class SandboxRefused(DeepRepoError):  # noqa: N818 - an outcome of the probe
    """No sandbox that holds is there: nothing was run. The sentence names what to do; `output` is what a preparation printed."""

    def __init__(self, sentence: str, output: str = "") -> None:
        super().__init__(sentence)
        self.output = output


@dataclass(frozen=True, slots=True)
class RunLimits:
    """What one run may use. Whatever goes over a limit is ended with everything that it has started."""

    seconds: float = 120.0
    memory: int = 2 << 30  # bytes that all its processes hold together
    processes: int = 256
    output: int = 8 << 20  # bytes that it prints
    disk: int = 1 << 30  # bytes of all its files, the work tree and what was prepared included


@dataclass(frozen=True, slots=True)
class SandboxRun:
    """One command over one tree. Nothing else of this machine is handed to it."""

    tree: bytes  # a tar archive without its end mark: more follows in the same stream
    command: str  # for `sh -c`, in the top folder of the tree
    files: Mapping[str, str] = field(default_factory=dict)  # written over the tree
    limits: RunLimits = RunLimits()
    prepared: Path | None = None  # what an earlier run has left: an archive of `rig.Cache`
    network: bool = False
    folder: str = ""  # of the tree, whose installed programs come first in PATH


@dataclass(frozen=True, slots=True)
class SandboxOutcome:
    """What came of a run. `output` is a stranger's text: bounded, and without what a terminal would act upon."""

    ending: ExitReason
    status: int  # of the command; 128 and more: a signal
    output: str
    seconds: float
    probe: tuple[str, ...]  # what the probe in this very sandbox has found before the command began


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A program that runs others apart from this machine."""

    kind: SandboxKind
    program: str  # its path
    image: str = ""  # of a container
    tools: tuple[str, ...] = ()  # folders of this machine that bubblewrap shows beside /usr, read-only
    client: Mapping[str, str] = field(default_factory=dict)  # variables of the program itself, never of what it runs

    def environment(self, folder: str = "") -> dict[str, str]:
        """Return the variables of what runs. What was prepared in a folder of the tree, or in its top, goes first in PATH."""
        places = dict.fromkeys([f"{WORK}/{folder}" if folder else WORK, WORK])
        program_folders = [
            f"{place}/{name}" for place in places if ":" not in place for name in (".venv/bin", "node_modules/.bin")
        ]
        shown = [entry for tool in self.tools for entry in (f"{tool}/bin", tool)]
        system = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"]
        path = ":".join([*program_folders, *shown, *system, f"{HOME}/.local/bin"])
        return {"PATH": path, "HOME": HOME, "TMPDIR": TEMPORARY, "LANG": "C.UTF-8", "TERM": "dumb", "CI": "1"}


@dataclass(frozen=True, slots=True)
class RunPermission:
    """What the operator allows. `refusal`: why nothing is run for this change after all."""

    sandbox: str | None = None
    tools: Sequence[str] = ()
    network: bool = False
    cache: Path = Path()
    programs: Mapping[str, str] = field(default_factory=dict)  # the environment of a sandbox's own program
    refusal: str = ""


TestResult = Literal["", "green", "red", "fault", "limit"]  # "": not run; "fault": the test itself is at fault


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A test that shows a finding: it fails on the head, and passes without the change or with the suggestion."""

    path: Exact[str]  # where the test can be added
    test: str
    command: str  # that runs it
    output: str  # the end of what it printed on the head
    base: TestResult = ""
    fixed: TestResult = ""  # on the head with the suggestion


def choose(permission: RunPermission, image: str | None) -> Sandbox:
    """Return the sandbox that the operator names, else the first that is there. Raises SandboxRefused with what to install."""
    for kind, name in PROGRAMS.items():
        if permission.sandbox not in (None, kind):
            continue
        program = _program(name, permission.programs.get("PATH", ""))
        if program is None and permission.sandbox is not None:
            raise SandboxRefused(
                f"no tests were run: {name} (DEEPREPO_RUN_SANDBOX) was not found. To fix this, {INSTALL}"
            )
        if program is None:
            continue
        if kind == "bubblewrap":
            return Sandbox(kind, program, tools=tuple(permission.tools))
        if image:
            return Sandbox(kind, program, image, client=permission.programs)
        if permission.sandbox is not None:
            raise SandboxRefused(f"no tests were run: {kind} needs an image. Set `run.image` in .deeprepo.yml")
    raise SandboxRefused(f"no tests were run: this machine has no sandbox. To fix this, {INSTALL}")


def _program(name: str, path: str) -> str | None:
    """The path of a program in absolute folders alone: an entry such as `.` would lead into the reviewed repository."""
    found = (Path(folder, name) for folder in path.split(":") if Path(folder).is_absolute())
    return next((str(one) for one in found if one.is_file() and os.access(one, os.X_OK)), None)
