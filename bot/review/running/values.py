"""What is run and what came of it, and what a sandbox is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Literal

from bot.errors import DeepRepoError

Kind = Literal["bubblewrap", "docker", "podman"]
KINDS: tuple[Kind, ...] = ("bubblewrap", "docker", "podman")  # in the order in which they are looked for
# How a run ended: by itself ("exit"), at one of its limits, or before its command began ("setup").
Ending = Literal["exit", "seconds", "memory", "output", "setup"]
NOBODY = 65534  # the user of the code that runs
BOX, WORK, HOME, TEMPORARY = "/box", "/box/work", "/box/home", "/box/tmp"
SHARED = 64 << 20  # bytes of /dev/shm


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
class Run:
    """One command over one tree. Nothing else of this machine is handed to it."""

    tree: bytes  # a tar archive without its end mark: more follows in the same stream
    command: str  # for `sh -c`, in the top folder of the tree
    files: Mapping[str, str] = field(default_factory=dict)  # written over the tree
    limits: RunLimits = RunLimits()
    prepared: Path | None = None  # what an earlier run has left: an archive of `prepare`
    network: bool = False
    folder: str = ""  # of the tree, whose installed programs come first in PATH
    time: int = 0  # when `files` were last altered
    variables: Mapping[str, str] = field(default_factory=dict)  # more of the environment
    home: Mapping[str, bytes] = field(default_factory=dict)  # files of the home


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run. `output` is a stranger's text: bounded, and without what a terminal would act upon."""

    ending: Ending
    status: int  # of the command; 128 and more: a signal
    output: str
    seconds: float
    probe: tuple[str, ...]  # what the probe in this very sandbox has found before the command began


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A program that runs others apart from this machine."""

    kind: Kind
    program: str  # its path
    image: str = ""  # of a container
    tools: tuple[str, ...] = ()  # folders of this machine that bubblewrap shows beside /usr, read-only
    client: Mapping[str, str] = field(
        default_factory=dict
    )  # the environment of the program itself, never of what it runs

    def path(self, folder: str = "") -> str:
        """PATH of what runs: what was prepared in a folder of the tree goes first, then in those above it, what is in the home last."""
        places = [f"{WORK}/{place}" if place != "." else WORK for place in _upwards(folder)]
        own = [f"{place}/{name}" for place in places for name in (".venv/bin", "node_modules/.bin", "vendor/bin")]
        more = [entry for tool in self.tools for entry in (f"{tool}/bin", tool)]
        system = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"]
        return ":".join([*(one for one in own if ":" not in one), *more, *system, f"{HOME}/.local/bin"])

    def environment(self, run: Run) -> dict[str, str]:
        """The whole environment of what runs."""
        return {
            **run.variables,
            "PATH": self.path(run.folder),
            "HOME": HOME,
            "TMPDIR": TEMPORARY,
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "CI": "1",
        }


def _upwards(folder: str) -> list[str]:
    at = PurePosixPath(folder)
    return [str(at), *map(str, at.parents)]


@dataclass(frozen=True, slots=True)
class Online:
    """What a preparation with the network is handed of this machine's settings: variables, and files of its home."""

    variables: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()  # the names of settings that hold a login


@dataclass(frozen=True, slots=True)
class RunPermission:
    """What the operator allows. `refusal`: why nothing is run for this change after all."""

    sandbox: str | None = None
    tools: Sequence[str] = ()
    network: bool = False
    cache: Path = Path()
    programs: Mapping[str, str] = field(default_factory=dict)  # the environment of a sandbox's own program
    online: Online = Online()  # what a preparation with the network may know of this machine
    refusal: str = ""
