"""Consumers: other repositories that use the one under review; and what manifests tell: who offers and who takes which package."""

from dataclasses import dataclass, field
from typing import Literal

from bot.values.change import PullRequest
from bot.values.exact import EXACT

Origin = Literal["registry", "path", "git", "workspace"]
# When a break reaches a repository: with its next build, with the next release of what it takes, or when somebody upgrades it.
Arrival = Literal["build", "release", "upgrade"]
LATEST = frozenset(
    {"", "*", "latest", "x", "+", "latest.release", "LATEST", "RELEASE"}
)  # constraints that any version meets


@dataclass(frozen=True, slots=True)
class Package:
    """What a repository offers under a name that other manifests can write."""

    language: str = field(metadata=EXACT)
    name: str = field(metadata=EXACT)
    folder: str = field(default="", metadata=EXACT)  # of its manifest
    roots: tuple[str, ...] = field(default=(), metadata=EXACT)  # folders and files that it consists of
    version: str = field(default="", metadata=EXACT)
    entries: tuple[str, ...] | None = field(default=None, metadata=EXACT)  # files that importers can name; None: any

    def holds(self, path: str) -> bool:
        """Whether a file is a part of the package."""
        return any(not root or path == root or path.startswith(f"{root}/") for root in self.roots)


@dataclass(frozen=True, slots=True)
class Requirement:
    """A package that a manifest asks for."""

    language: str = field(metadata=EXACT)
    name: str = field(metadata=EXACT)
    constraint: str = field(default="", metadata=EXACT)  # as written: ">=2.3,<3"; of git the branch or the tag
    origin: Origin = field(default="registry", metadata=EXACT)
    path: str = field(default="", metadata=EXACT)  # of the manifest
    line: int = 0
    fixed: bool = False  # of git: a tag or a commit, not a branch
    locked: str = field(default="", metadata=EXACT)  # the version that a lock file names

    @property
    def arrival(self) -> Arrival:
        """When a break of the package reaches who asks for it so."""
        if self.origin in ("path", "workspace") or (self.origin == "git" and not (self.fixed or self.locked)):
            return "build"
        if self.origin == "git" or self.locked:
            return "upgrade"
        asked = self.constraint.strip()
        opened = asked in LATEST or (asked.startswith(">") and "<" not in asked and "==" not in asked)
        return "release" if opened else "upgrade"

    @property
    def version(self) -> str:
        """The version that is in use, as far as the repository tells."""
        return self.locked or self.constraint.strip()


Visibility = Literal["public", "internal", "private"]
# "checked": its uses were compared with the change. "unread": it could not be, and what it uses is open. "unrelated": it takes nothing
# of what the reviewed repository offers, or it is a copy of it.
ConsumerState = Literal["checked", "unread", "unrelated"]


@dataclass(frozen=True, slots=True)
class NamedConsumer:
    """A clone that somebody named: where it lies, and who did."""

    place: str = field(metadata=EXACT)  # a path, or a path and a revision: "../billing@v2"
    settings: bool = False  # the repository's file named it, not the person who started the review


@dataclass(frozen=True, slots=True)
class Clone:
    """A repository on this disk, at one commit."""

    name: str = field(metadata=EXACT)  # "owner/name" of its origin, else the name of its folder
    pull: PullRequest  # base and head are the commit that is read
    day: str = field(default="", metadata=EXACT)  # of that commit: "2026-08-04"
    settings: bool = False  # the repository's file named it


@dataclass(frozen=True, slots=True)
class ConsumerReport:
    """What became of one consumer in a review."""

    name: str = field(metadata=EXACT)
    state: ConsumerState
    commit: str = field(default="", metadata=EXACT)  # that was read
    day: str = field(default="", metadata=EXACT)  # of that commit
    reason: str = ""  # of one that was not checked to its end
    takes: tuple[Requirement, ...] = ()  # of what the reviewed repository offers
    uses: int = 0  # lines that use something whose contract changed
    breaks: int = 0  # findings that code has proven
    hints: int = 0  # findings that it has not
    visibility: Visibility | None = None  # None: a clone on the reader's own disk


def label(name: str, path: str) -> str:
    """A file of a consumer, as people read it: "acme/billing:src/pay.py"."""
    return f"{name}:{path}"


@dataclass(frozen=True, slots=True)
class Standing:
    """Who can read a repository, as far as its host tells; a clone on the reader's own disk has none."""

    owner: str = ""
    visibility: Visibility | None = None
