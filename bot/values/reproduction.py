"""The values of sandboxed runs: what to run, its outcome, and the sandbox."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from deeprepo.rlm.values import Exact

# How a run ended: the command exited, it reached a limit, or it could not be set up.
ExitReason = Literal["exit", "seconds", "memory", "output", "setup"]
BOX, WORK, HOME, TEMPORARY = "/box", "/box/work", "/box/home", "/box/tmp"


MOST_FINDINGS = 3  # that a review tries to reproduce, most severe first


@dataclass(frozen=True, slots=True)
class RunLimits:
    """The limits of one run. A run that exceeds one is ended with all processes that it has started."""

    seconds: float = 120.0
    memory: int = 2 << 30  # bytes used by all its processes together
    processes: int = 256
    output: int = 8 << 20  # bytes of output
    disk: int = 1 << 30  # bytes of all files, including the work tree and what was prepared


LIMITS = RunLimits()


@dataclass(frozen=True, slots=True)
class SandboxRun:
    """One command to run in a tree. It has no access to anything else on this machine."""

    tree: bytes  # a tar archive without an end marker, because `files` follow in the same stream
    command: str  # for `sh -c`, in the tree's root
    files: Mapping[str, str] = field(default_factory=dict)  # path -> content, written over the tree
    limits: RunLimits = LIMITS
    prepared: Path | None = None  # the archive with the installed dependencies
    network: bool = False
    folder: str = ""  # folder of the tree whose installed programs come first in PATH


@dataclass(frozen=True, slots=True)
class SandboxOutcome:
    """The outcome of a run. `output` is untrusted text, shortened and without terminal escapes."""

    ending: ExitReason
    status: int  # the command's exit status; 128 or more for a signal
    output: str
    seconds: float
    probe: tuple[str, ...]  # the lines of the probe's report


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A program that runs containers, and the image to use."""

    program: str  # path of docker or podman
    image: str
    # Environment of the program itself, never of what it runs.
    client: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The program's name."""
        return Path(self.program).name

    def environment(self, folder: str = "") -> dict[str, str]:
        """Return the environment inside the sandbox. Programs installed in the tree come first in PATH."""
        places = dict.fromkeys([f"{WORK}/{folder}" if folder else WORK, WORK])
        program_folders = [
            f"{place}/{name}" for place in places if ":" not in place for name in (".venv/bin", "node_modules/.bin")
        ]
        system = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"]
        path = ":".join([*program_folders, *system, f"{HOME}/.local/bin"])
        return {"PATH": path, "HOME": HOME, "TMPDIR": TEMPORARY, "LANG": "C.UTF-8", "TERM": "dumb", "CI": "1"}


@dataclass(frozen=True, slots=True)
class RunPermission:
    """What the operator allows. `refusal` is the reason if no tests may run for this change."""

    network: bool = False
    cache: Path = Path()
    programs: Mapping[str, str] = field(default_factory=dict)  # the environment of docker or podman
    refusal: str = ""


TestResult = Literal["", "green", "red", "fault", "limit"]  # "": not run; "fault": the test itself is faulty


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A test that fails on the head, and passes on the base or with the suggestion."""

    path: Exact[str]  # where the test can be added
    test: str
    command: str  # runs the test
    output: str  # the end of its output on the head
    base: TestResult = ""
    fixed: TestResult = ""  # on the head with the suggestion
