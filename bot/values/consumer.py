"""Consumers, which are other repositories that use the reviewed one, and the packages that manifests list."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from bot.values.change import Excerpt, PullRequest
from bot.values.finding import Finding
from deeprepo.impact.packages import Requirement
from deeprepo.rlm.values import Exact

if TYPE_CHECKING:
    from bot.values.shared_file import SharedFile

TOO_MUCH = "reading it exceeds the limits of a review"  # a problem of a consumer


Visibility = Literal["public", "internal", "private"]
# "checked": its uses were compared with the change. "unread": it could not be, and what it uses is open. "unrelated": it takes nothing
# of what the reviewed repository offers, or it is a copy of it.
ConsumerState = Literal["checked", "unread", "unrelated"]


# How much of a consumer is shown: each includes those before it.
Disclosure = Literal["nothing", "existence", "name", "lines"]
DISCLOSURES: tuple[Disclosure, ...] = ("nothing", "existence", "name", "lines")


@dataclass(frozen=True, slots=True)
class Standing:
    """Who can read a repository, as far as its host says; nothing is known of a clone on a disk."""

    owner: Exact[str] = ""
    visibility: Visibility | None = None
    shows: Disclosure = "name"  # the most that its own settings let readers of others learn of it
    id: int = 0  # GitHub's number of the repository, which no other ever has, whatever its name; 0 if it is not known


@dataclass(frozen=True, slots=True)
class Audience:
    """Who reads a review, and what the operator lets them see of consumers that not everybody can read."""

    subject: Standing = field(default_factory=Standing)  # of the repository under review
    most: Disclosure = "existence"
    is_stranger: bool = False  # whether the change comes from somebody who may not write to the repository


@dataclass(frozen=True, slots=True)
class NamedConsumer:
    """A clone that a person or a settings file listed."""

    location: Exact[str]  # a path, or a path and a revision: "../billing@v2"
    settings: bool = False  # the repository's file named it, not the person who started the review
    name: Exact[str] = ""  # "owner/name" of one that was fetched
    standing: Standing | None = None  # None: a clone on the reader's own disk
    problem: str = ""  # why it was not fetched


@dataclass(frozen=True, slots=True)
class Consumers:
    """The other repositories that a review checks: listed clones, or those that a host returned."""

    audience: Audience | None = None  # who reads the review on a host; None: whoever named them
    named: tuple[NamedConsumer, ...] = ()
    note: str = ""  # a sentence for the reader of the review, of whom nobody learns which repositories there are
    shared: "tuple[SharedFile, ...]" = ()  # the settings that the reviewed repository shares with those of its owner


@dataclass(frozen=True, slots=True)
class Clone:
    """A repository on this disk, at one commit."""

    name: Exact[str]  # "owner/name" of its origin, else the name of its folder
    pull: PullRequest  # base and head are the commit that is read
    day: Exact[str] = ""  # of that commit: "2026-08-04"
    settings: bool = False  # the repository's file named it
    standing: Standing | None = None  # None: a clone on the reader's own disk


def label(name: str, path: str) -> str:
    """Return a file of a consumer, as people read it: "acme/billing:src/pay.py"."""
    return f"{name}:{path}"


PROMPT_TOKENS = 1_500  # of consumers' lines in one prompt


@dataclass(frozen=True, slots=True)
class ConsumerReport:
    """What became of one consumer in a review."""

    name: Exact[str]
    state: ConsumerState
    commit: Exact[str] = ""  # that was read
    day: Exact[str] = ""  # of that commit
    reason: str = ""  # of one that was not checked to its end
    takes: tuple[Requirement, ...] = ()  # of what the reviewed repository offers
    uses: int = 0  # lines that use something whose contract changed
    breaks: int = 0  # findings that code has proven
    hints: int = 0  # findings that it has not
    visibility: Visibility | None = None  # None: a clone on the reader's own disk


@dataclass(frozen=True, slots=True)
class ConsumerImpact:
    """What became of each consumer, and what the change breaks there."""

    reports: tuple[ConsumerReport, ...] = ()
    findings: tuple[Finding, ...] = ()
    summary: str = ""  # how many were looked at, and how many break
    # (changed definition as "path:name", the lines around a use of it), for models; paths begin with the consumer's name.
    excerpts: tuple[tuple[str, Excerpt], ...] = ()
    standings: tuple[
        tuple[str, Standing], ...
    ] = ()  # of those that a host has, by name, until it is decided what is shown
    readable: tuple[str, ...] = ()  # the names of those whose code models may look up
    clones: tuple[Clone, ...] = ()  # of these, where they lie; not in a record

    @property
    def unread(self) -> tuple[str, ...]:
        """A sentence for each consumer that was not looked at, or only in part."""
        return tuple(
            f"{report.name} was not checked: {report.reason}" for report in self.reports if report.state == "unread"
        )

    def beside(self, keys: Collection[str]) -> tuple[Excerpt, ...]:
        """Return the lines of consumers that use one of these definitions ("path:name"), as many as a prompt has room for."""
        found: list[Excerpt] = []
        room = PROMPT_TOKENS
        for key, excerpt in self.excerpts:
            if key in keys and excerpt.size <= room and excerpt not in found:
                room -= excerpt.size
                found.append(excerpt)
        return tuple(found)

    def texts(self) -> dict[str, str]:
        """Return every line of a consumer that is shown, by path: a secret in it is one for prompts and outputs too."""
        found: dict[str, list[str]] = defaultdict(list)
        for _, excerpt in self.excerpts:
            found[excerpt.path].append(excerpt.text)
        for item in (item for finding in self.findings for item in finding.evidence if item.repository):
            found[item.path].append(item.quote)
        return {path: "\n".join(lines) for path, lines in found.items()}

    def rows(self) -> dict[str, Any]:
        """Return the record's fields, or nothing if no consumer was listed."""
        return {"consumers": asdict(replace(self, clones=()))} if self.reports else {}

    @classmethod
    def restore(cls, rows: object) -> "ConsumerImpact":
        """Return what a record has kept."""
        from pydantic import TypeAdapter

        return TypeAdapter(cls).validate_python(rows) if rows else cls()
